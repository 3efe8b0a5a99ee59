/*
 * The steps of udma over loopback UDP, in C: what a program must do that keeps the promises of a RoCE packet, beside which
 * urma4j shows what its own machinery takes. Each packet has a header and a CRC, both checked; the payload leaves from the
 * source's own memory, and the receiver copies it to its place; what arrives is acknowledged. Nothing is looked up, repeated
 * or protected.
 *
 *   stepped_network WORK BYTES MILLIS LEADER_CPU HOME_CPU PER_SECOND
 *
 * Small work is a packet of BYTES to and fro: a half of it for messages and writes that are seen, the whole for reads and
 * atomics. Streams are messages in packets of at most 61440 bytes (as for udma, URMA_UDMA_MTU in the environment), sixteen
 * in flight, 256 where they are small. Prints "mean=NANOSECONDS", percentiles where single operations are timed, and
 * "cpu=NANOSECONDS" of both.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/udp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __PCLMUL__
#include <immintrin.h>
#endif

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

struct header { uint32_t number, message, offset; }; /* as many bytes as a BTH */

enum {
  HEAD = sizeof(struct header), TAIL = 4, LONGEST = 65507, RUN = 1 << 16, RUNS = 8, SEGMENTS = 64, QUEUE = 256, PIECES = 3,
  SOCKET_BUFFER = 8 << 20, IN_FLIGHT = 4 << 20, PAGE = 4096, MEMORY = 16 << 20, SMALL = 4096, COPIED = 256, LONG = 32768,
  TRIALS = 15, TRIAL_AFTER = 64, MOST_SAMPLES = 4 << 20
};
static const uint64_t PATIENCE_NANOS = 1000000000u;

static size_t bytes, mtu = 61440;
static struct sockaddr_in mine, theirs;
static int fd;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static char *memory(size_t length) {
  char *at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) die("mmap");
  return memset(at, 1, length);
}

/* ---- the CRC of Ethernet, by folding where the CPU multiplies without carry */

#define POLYNOMIAL 0xEDB88320u
static uint32_t table[8][256]; /* of a byte, and of one that up to seven more follow */

static uint32_t crc_by_table(uint32_t crc, const uint8_t *at, size_t length) {
  for (; length >= 8; at += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word ^= crc;
    crc = 0;
    for (int i = 0; i < 8; i++) crc ^= table[7 - i][word >> 8 * i & 255];
  }
  while (length-- > 0) crc = table[0][(crc ^ *at++) & 255] ^ crc >> 8;
  return crc;
}

#ifdef __PCLMUL__
static __m128i over_64, over_16; /* what multiplies both halves of a word that is carried so many bytes on */

/* x to this power modulo the polynomial, reflected */
static uint64_t power(int exponent) {
  uint32_t value = 0x80000000u;
  while (exponent-- > 0) value = value >> 1 ^ (value & 1 ? POLYNOMIAL : 0);
  return (uint64_t)value << 1;
}

static __m128i fold(__m128i sum, __m128i by, __m128i next) {
  __m128i low = _mm_clmulepi64_si128(sum, by, 0x00), high = _mm_clmulepi64_si128(sum, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

static uint32_t crc_from(uint32_t crc, const uint8_t *at, size_t length) {
  if (length < 128) return crc_by_table(crc, at, length);
  const __m128i *words = (const __m128i *)at;
  __m128i a = _mm_xor_si128(_mm_loadu_si128(words), _mm_cvtsi32_si128((int)crc)), b = _mm_loadu_si128(words + 1),
          c = _mm_loadu_si128(words + 2), d = _mm_loadu_si128(words + 3);
  for (words += 4, length -= 64; length >= 64; words += 4, length -= 64) {
    a = fold(a, over_64, _mm_loadu_si128(words));
    b = fold(b, over_64, _mm_loadu_si128(words + 1));
    c = fold(c, over_64, _mm_loadu_si128(words + 2));
    d = fold(d, over_64, _mm_loadu_si128(words + 3));
  }
  a = fold(fold(fold(a, over_16, b), over_16, c), over_16, d);
  return crc_by_table(crc_by_table(0, (const uint8_t *)&a, sizeof a), (const uint8_t *)words, length);
}
#else
#define crc_from crc_by_table
#endif

static void prepare_crc(void) {
  for (uint32_t i = 0; i < 256; i++) {
    table[0][i] = i;
    for (int bit = 0; bit < 8; bit++) table[0][i] = table[0][i] >> 1 ^ (table[0][i] & 1 ? POLYNOMIAL : 0);
  }
  for (int more = 1; more < 8; more++)
    for (int i = 0; i < 256; i++) table[more][i] = table[more - 1][i] >> 8 ^ table[0][table[more - 1][i] & 255];
#ifdef __PCLMUL__
  over_64 = _mm_set_epi64x((long long)power(512 - 32), (long long)power(512 + 32));
  over_16 = _mm_set_epi64x((long long)power(128 - 32), (long long)power(128 + 32));
  uint8_t sample[999]; /* the two ways check each other */
  for (size_t i = 0; i < sizeof sample; i++) sample[i] = (uint8_t)(i * 7);
  if (crc_from(~0u, sample, sizeof sample) != crc_by_table(~0u, sample, sizeof sample)) {
    fprintf(stderr, "stepped_network: the folded CRC is wrong\n");
    exit(1);
  }
#endif
}

static uint32_t crc_of(const struct header *header, const void *payload, size_t length) {
  return ~crc_from(crc_from(~0u, (const uint8_t *)header, HEAD), payload, length);
}

/* ---- sockets */

static int is_busy(ssize_t result) {
  return result < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ECONNREFUSED);
}

static int open_socket(struct sockaddr_in *address) {
  int socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), size = SOCKET_BUFFER, on = 1;
  if (socket_fd < 0) die("socket");
  if (setsockopt(socket_fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
    setsockopt(socket_fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  if (setsockopt(socket_fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on) != 0) die("UDP_GRO");
  if (setsockopt(socket_fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof on) != 0) die("IP_RECVTOS");
  memset(address, 0, sizeof *address);
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof *address;
  if (bind(socket_fd, (struct sockaddr *)address, length) != 0) die("bind");
  getsockname(socket_fd, (struct sockaddr *)address, &length);
  return socket_fd;
}

static struct run {
  char *at, control[CMSG_SPACE(sizeof(int)) * 4];
  struct sockaddr_in from;
  struct iovec piece;
} runs[RUNS];
static struct mmsghdr arrived[RUNS];

static void prepare_runs(void) {
  char *all = memory(PAGE + RUNS * RUN) + PAGE / 2;
  for (int i = 0; i < RUNS; i++) {
    runs[i].at = all + i * RUN;
    runs[i].piece = (struct iovec){runs[i].at, RUN};
  }
}

/* Datagrams that have arrived: as many as wanted, or fewer. */
static int receive(int wanted) {
  for (int i = 0; i < wanted; i++)
    arrived[i].msg_hdr = (struct msghdr){&runs[i].from, sizeof runs[i].from, &runs[i].piece, 1, runs[i].control,
                                         sizeof runs[i].control, 0};
  int got;
  if (wanted == 1) {
    ssize_t length = recvmsg(fd, &arrived[0].msg_hdr, MSG_DONTWAIT);
    arrived[0].msg_len = (unsigned)length;
    got = length < 0 ? -1 : 1;
  } else {
    got = recvmmsg(fd, arrived, (unsigned)wanted, MSG_DONTWAIT, NULL);
  }
  if (got < 0 && errno != EAGAIN && errno != ECONNREFUSED) die("recvmsg");
  return got < 0 ? 0 : got;
}

static size_t segment_of(int datagram) {
  int segment = (int)arrived[datagram].msg_len;
  struct msghdr *message = &arrived[datagram].msg_hdr;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c))
    if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) memcpy(&segment, CMSG_DATA(c), sizeof segment);
  return (size_t)segment;
}

/* The payload of a packet, when its CRC is right. */
static const char *check(const char *packet, size_t length, struct header *header) {
  uint32_t wanted;
  if (length < HEAD + TAIL) return NULL;
  memcpy(header, packet, HEAD);
  memcpy(&wanted, packet + length - TAIL, TAIL);
  return crc_of(header, packet + HEAD, length - HEAD - TAIL) == wanted ? packet + HEAD : NULL;
}

static void put(struct header header, const char *payload, size_t length) {
  static char packet[HEAD + SMALL + TAIL];
  uint32_t crc = crc_of(&header, payload, length);
  memcpy(packet, &header, HEAD);
  memcpy(packet + HEAD, payload, length);
  memcpy(packet + HEAD + length, &crc, TAIL);
  ssize_t done;
  while (is_busy(done = sendto(fd, packet, HEAD + length + TAIL, 0, (const struct sockaddr *)&theirs, sizeof theirs))) {
  }
  if (done < 0) die("sendto");
}

/* ---- to and fro */

static char *source, *destination;

/* Waits for a packet, and copies its payload to its place; its number. */
static uint32_t take(void) {
  struct header header;
  for (uint64_t start = 0, looks = 1;; looks++) {
    if (receive(1) == 1) {
      const char *payload = check(runs[0].at, arrived[0].msg_len, &header);
      if (payload == NULL) continue;
      memcpy(destination, payload, arrived[0].msg_len - HEAD - TAIL);
      return header.number;
    }
    if (looks % 4096 != 0) continue;
    if (start == 0) start = now();
    if (now() - start > PATIENCE_NANOS) {
      fprintf(stderr, "stepped_network: a packet was lost\n");
      exit(1);
    }
  }
}

static void echo(void) {
  for (;;) {
    struct header header = {take(), 0, 0};
    put(header, source, bytes);
  }
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static uint64_t turns(uint64_t span, double divisor) {
  uint32_t *samples = malloc(sizeof *samples * MOST_SAMPLES);
  size_t count = 0;
  struct header header = {0, 0, 0};
  for (int i = 0; i < 1000; i++) {
    put(header, source, bytes);
    take();
  }
  uint64_t start = now(), then = start;
  while (then - start < span && count < MOST_SAMPLES) {
    header.number++;
    put(header, source, bytes);
    while (take() != header.number) {
    }
    uint64_t end = now();
    samples[count++] = (uint32_t)(end - then);
    then = end;
  }
  double sum = (double)(then - start);
  qsort(samples, count, sizeof *samples, by_size);
  size_t last = count - 1;
  printf("mean=%.2f p50=%.2f p99=%.2f p999=%.2f", sum / (double)count / divisor, samples[last / 2] / divisor,
         samples[(size_t)((double)last * 0.99)] / divisor, samples[(size_t)((double)last * 0.999)] / divisor);
  return count;
}

/* ---- streams, sending */

static struct datagram {
  struct header headers[SEGMENTS];
  uint32_t tails[SEGMENTS];
  struct iovec pieces[PIECES * SEGMENTS];
  char control[CMSG_SPACE(sizeof(uint16_t))] __attribute__((aligned(8)));
  char copies[SEGMENTS * (HEAD + COPIED + TAIL)]; /* packets whose short payloads are copied, one behind the other */
  size_t length, segment;
  int packets, is_full;
} queue[QUEUE];
static struct mmsghdr leaving[QUEUE];
static int queued, to_kernel = -1, from_kernel = -1;
static uint32_t sent, confirmed; /* packets */

static void set_segment(struct datagram *datagram, struct msghdr *message) {
  message->msg_control = datagram->control;
  message->msg_controllen = sizeof datagram->control;
  struct cmsghdr *c = CMSG_FIRSTHDR(message);
  uint16_t segment = (uint16_t)datagram->segment;
  c->cmsg_level = IPPROTO_UDP;
  c->cmsg_type = UDP_SEGMENT;
  c->cmsg_len = CMSG_LEN(sizeof segment);
  memcpy(CMSG_DATA(c), &segment, sizeof segment);
}

static int is_copied(size_t segment) {
  return segment <= HEAD + COPIED + TAIL;
}

static void gather(int first, int count) {
  for (int i = first; i < first + count; i++) {
    struct datagram *datagram = &queue[i];
    leaving[i].msg_hdr =
        (struct msghdr){&theirs, sizeof theirs, datagram->pieces, (size_t)(PIECES * datagram->packets), NULL, 0, 0};
    if (is_copied(datagram->segment)) {
      datagram->pieces[0] = (struct iovec){datagram->copies, datagram->length};
      leaving[i].msg_hdr.msg_iovlen = 1;
    }
    if (datagram->packets > 1) set_segment(datagram, &leaving[i].msg_hdr);
  }
  for (int done = 0; done < count;) {
    int some = sendmmsg(fd, leaving + first + done, (unsigned)(count - done), 0);
    if (some < 0 && !is_busy(some)) die("sendmmsg");
    done += some < 0 ? 0 : some;
  }
}

/* One packet, whose payload the kernel takes by reference to its pages. */
static void refer(struct datagram *datagram) {
  struct msghdr message = {&theirs, sizeof theirs, datagram->pieces, 1, NULL, 0, 0};
  struct iovec payload = datagram->pieces[1];
  ssize_t done;
  set_segment(datagram, &message); /* of the whole datagram: else the kernel computes a checksum */
  while (is_busy(done = sendmsg(fd, &message, MSG_MORE))) {
  }
  if (done < 0) die("sendmsg");
  if (vmsplice(to_kernel, &payload, 1, 0) != (ssize_t)payload.iov_len) die("vmsplice");
  for (size_t left = payload.iov_len; left > 0; left -= (size_t)done) {
    while (is_busy(done = splice(from_kernel, NULL, fd, NULL, left, SPLICE_F_MORE))) {
    }
    if (done <= 0) die("splice");
  }
  while (is_busy(done = send(fd, datagram->pieces[2].iov_base, TAIL, 0))) {
  }
  if (done < 0) die("send");
}

/* Each way is settled for a while, then measured, one packet at a time; reference must be faster by an eighth. */
static int looks_at, refers;

static uint32_t median(uint32_t *samples) {
  qsort(samples, TRIALS, sizeof *samples, by_size);
  return samples[TRIALS / 2];
}

static void try_one(int i) {
  static uint32_t samples[2][TRIALS];
  int way = looks_at / (TRIAL_AFTER + TRIALS), at = looks_at % (TRIAL_AFTER + TRIALS) - TRIAL_AFTER;
  uint64_t start = now();
  if (way) refer(&queue[i]);
  else gather(i, 1);
  if (at >= 0) samples[way][at] = (uint32_t)(now() - start);
  if (++looks_at == 2 * (TRIAL_AFTER + TRIALS)) refers = median(samples[1]) < median(samples[0]) / 8 * 7;
}

static int is_long(const struct datagram *datagram) {
  return to_kernel >= 0 && datagram->packets == 1 && datagram->segment >= HEAD + LONG + TAIL;
}

static void flush(void) {
  int first = 0;
  for (int i = 0; i < queued; i++) {
    int is_tried = looks_at < 2 * (TRIAL_AFTER + TRIALS);
    if (!is_long(&queue[i]) || !(is_tried || refers)) continue;
    if (i > first) gather(first, i - first);
    if (is_tried) try_one(i);
    else refer(&queue[i]);
    first = i + 1;
  }
  if (queued > first) gather(first, queued - first);
  queued = 0;
}

static void append(uint32_t message, uint32_t offset, char *payload, size_t length) {
  size_t packet = HEAD + length + TAIL;
  struct datagram *last = queued > 0 ? &queue[queued - 1] : NULL;
  if (last == NULL || last->is_full || packet > last->segment || last->length + packet > LONGEST ||
      last->packets == SEGMENTS) {
    if (queued == QUEUE) flush();
    last = &queue[queued++];
    last->packets = 0;
    last->length = 0;
    last->segment = packet;
    last->is_full = 0;
  }
  last->is_full = packet < last->segment;
  char *copy = last->copies + last->length;
  int i = last->packets++;
  last->length += packet;
  last->headers[i] = (struct header){sent++, message, offset};
  last->tails[i] = crc_of(&last->headers[i], payload, length);
  if (is_copied(last->segment)) {
    memcpy(copy, &last->headers[i], HEAD);
    memcpy(copy + HEAD, payload, length);
    memcpy(copy + HEAD + length, &last->tails[i], TAIL);
    return;
  }
  last->pieces[PIECES * i] = (struct iovec){&last->headers[i], HEAD};
  last->pieces[PIECES * i + 1] = (struct iovec){payload, length};
  last->pieces[PIECES * i + 2] = (struct iovec){&last->tails[i], TAIL};
}

static void hear(void) {
  struct header header;
  while (receive(1) == 1)
    if (check(runs[0].at, arrived[0].msg_len, &header) != NULL) confirmed = header.number;
}

static void await(uint32_t most_in_flight) {
  if (sent - confirmed <= most_in_flight) return;
  flush();
  uint64_t start = now();
  do {
    hear();
    if (now() - start > PATIENCE_NANOS) {
      fprintf(stderr, "stepped_network: %u packets were lost\n", sent - confirmed);
      exit(1);
    }
  } while (sent - confirmed > most_in_flight);
}

static uint64_t stream(uint64_t span, int is_send) {
  uint32_t per_message = (uint32_t)((bytes + mtu - 1) / mtu), messages = bytes <= SMALL ? 256 : 16;
  socklen_t length = sizeof(int);
  int buffer = 0, ends[2];
  getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, &length);
  uint32_t window = (uint32_t)((buffer / 4 < IN_FLIGHT ? (size_t)buffer / 4 : IN_FLIGHT) / (bytes < mtu ? bytes : mtu));
  if (window < 1) window = 1;
  if (window > messages * per_message) window = messages * per_message;
  if (pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 1 << 17) > 0) {
    from_kernel = ends[0];
    to_kernel = ends[1];
  }
  uint64_t done = 0, start = now();
  for (; now() - start < span; done++) {
    char *from = source + (is_send ? done % messages * bytes : 0);
    for (size_t at = 0; at < bytes; at += mtu) {
      await(window - 1);
      append((uint32_t)done, (uint32_t)at, from + at, bytes - at < mtu ? bytes - at : mtu);
    }
    if (bytes > SMALL || done % SEGMENTS == SEGMENTS - 1) {
      flush();
      hear();
    }
  }
  await(0);
  printf("mean=%.3f", (double)(now() - start) / (double)done);
  return done;
}

/* ---- streams, receiving */

static void sink(int is_send) {
  uint32_t next = 0;
  size_t buffers = is_send ? MEMORY / bytes : 1;
  if (buffers > 512) buffers = 512;
  for (int wanted = 1;;) {
    int got = receive(wanted);
    for (int i = 0; i < got; i++) {
      size_t segment = segment_of(i), all = arrived[i].msg_len;
      for (size_t at = 0; at < all; at += segment) {
        struct header header;
        size_t length = all - at < segment ? all - at : segment;
        const char *payload = check(runs[i].at + at, length, &header);
        if (payload == NULL || header.number != next) continue;
        memcpy(destination + header.message % buffers * bytes + header.offset, payload, length - HEAD - TAIL);
        next++;
      }
    }
    if (got > 0) put((struct header){next, 0, 0}, source, 4);
    wanted = got == wanted ? (2 * wanted < RUNS ? 2 * wanted : RUNS) : got > 1 ? got : 1;
  }
}

static double cpu_nanos(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}

int main(int argc, char **argv) {
  if (argc < 7) {
    fprintf(stderr, "usage: stepped_network WORK BYTES MILLIS LEADER_CPU HOME_CPU PER_SECOND\n");
    return 2;
  }
  const char *work = argv[1];
  int streams = strstr(work, "_RATE") != NULL, is_send = strcmp(work, "SEND_RATE") == 0;
  uint64_t span = strtoull(argv[3], NULL, 10) * 1000000u;
  bytes = strtoul(argv[2], NULL, 10);
  const char *forced = getenv("URMA_UDMA_MTU");
  if (forced != NULL && strcmp(forced, "auto") != 0) mtu = strtoul(forced, NULL, 10);
  if (bytes < 4 || mtu < 1 || mtu > LONGEST - HEAD - TAIL || bytes > MEMORY / 16 || (!streams && bytes > SMALL)) return 2;
  prepare_crc();
  int other = open_socket(&theirs);
  fd = open_socket(&mine);
  pid_t parent = getpid(), home = fork();
  if (home < 0) die("fork");
  prepare_runs();
  source = memory(MEMORY);
  destination = memory(MEMORY);
  if (home == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return 1;
    pin(atoi(argv[5]));
    fd = other;
    theirs = mine;
    if (streams) sink(is_send);
    else echo();
  }
  pin(atoi(argv[4]));
  double divisor = strcmp(work, "SEND_LATENCY") == 0 || strcmp(work, "WRITE_SEEN") == 0 ? 2 : 1;
  uint64_t count = streams ? stream(span, is_send) : turns(span, divisor);
  kill(home, SIGKILL);
  waitpid(home, NULL, 0);
  printf(" cpu=%.3f\n", (cpu_nanos(RUSAGE_SELF) + cpu_nanos(RUSAGE_CHILDREN)) / (double)count);
  return 0;
}
