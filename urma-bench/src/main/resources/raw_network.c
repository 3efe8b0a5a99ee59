/*
 * The least that two processes can do with UDP sockets on the loopback interface: the limit beside which the figures of
 * the network stand. Plain C; nothing is acknowledged or repeated.
 *
 *   raw_network WORK BYTES MILLIS LEADER_CPU HOME_CPU PER_SECOND
 *   raw_network WORK BYTES lines LEADER_CPU HOME_CPU
 *
 * Small work is a datagram of BYTES to and fro: a half of it for messages and writes that are seen, the whole for reads
 * and atomics. Streams are datagrams of at most 4 KiB with GSO and GRO, counted where they arrive; the sender is never
 * more than a few batches ahead. Prints "mean=NANOSECONDS", and percentiles where single operations are timed.
 *
 * With "lines" it does so for each line N on its standard input: N operations. Between lines the home of small work goes on
 * looking, until a line says 0; then it sleeps, as it does after each stream.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

enum {
  BATCH_BYTES = 61440, BATCH_SEGMENTS = 64, SEGMENT_BYTES = 4096, SOCKET_BUFFER_BYTES = 8 << 20, CREDIT = 24,
  MOST_SAMPLES = 4 << 20
};
#define STOP UINT64_MAX
/* what takes longer than that was lost */
static const uint64_t LOST_NANOS = 100000000, LOST_OF_STREAM_NANOS = 2000000;
/* and when not even that comes, nobody is there */
static const uint64_t PATIENCE_NANOS = 10000000000u;

static char buffer[1 << 17];
static size_t bytes;
static uint64_t span = UINT64_MAX, most = UINT64_MAX; /* nanoseconds, and operations: whichever is over first */
static int is_awake; /* the home of small work */
static long per_second;
static uint32_t *samples;
static size_t count_of_samples;
static uint64_t counted; /* operations, for the processor time that each took */

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

static int open_socket(struct sockaddr_in *address) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), size = SOCKET_BUFFER_BYTES;
  if (fd < 0) die("socket");
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  memset(address, 0, sizeof *address);
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof *address;
  if (bind(fd, (struct sockaddr *)address, length) != 0) die("bind");
  getsockname(fd, (struct sockaddr *)address, &length);
  return fd;
}

static void put(int fd, uint64_t number, size_t length) {
  memcpy(buffer, &number, sizeof number);
  while (send(fd, buffer, length, 0) < 0)
    if (errno != EAGAIN && errno != ENOBUFS && errno != ECONNREFUSED) die("send");
}

/* A datagram, and its number; 0 when there is none. */
static ssize_t get(int fd, uint64_t *number) {
  ssize_t got = recv(fd, buffer, sizeof buffer, 0);
  if (got < 0 && errno != EAGAIN && errno != ECONNREFUSED) die("recv");
  if (got < (ssize_t)sizeof *number) return 0;
  memcpy(number, buffer, sizeof *number);
  return got;
}

/* ---- percentiles */

static void note(uint64_t nanos) {
  if (count_of_samples < MOST_SAMPLES) samples[count_of_samples++] = nanos > UINT32_MAX ? UINT32_MAX : (uint32_t)nanos;
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void say_percentiles(double divisor) {
  double sum = 0;
  if (count_of_samples == 0) {
    fprintf(stderr, "raw_network: nothing came back\n");
    exit(1);
  }
  qsort(samples, count_of_samples, sizeof *samples, by_size);
  for (size_t i = 0; i < count_of_samples; i++) sum += samples[i];
  size_t last = count_of_samples - 1;
  counted = count_of_samples;
  printf("mean=%.2f p50=%.2f p99=%.2f p999=%.2f", sum / (double)count_of_samples / divisor,
         samples[last / 2] / divisor, samples[(size_t)((double)last * 0.99)] / divisor,
         samples[(size_t)((double)last * 0.999)] / divisor);
}

/* The home sleeps until work begins. */
static void sleep_until_asked(int fd) {
  struct pollfd wanted = {fd, POLLIN, 0};
  poll(&wanted, 1, -1);
}

/* ---- to and fro */

static void echo(int fd) {
  uint64_t number = STOP;
  for (;;) {
    if (number == STOP) sleep_until_asked(fd);
    ssize_t got = get(fd, &number);
    if (got > 0 && number != STOP) put(fd, number, (size_t)got);
  }
}

/* Sends this number and waits until it has come back; false when one of both was lost. */
static int turn(int fd, uint64_t wanted) {
  uint64_t number, start = now();
  put(fd, wanted, bytes);
  do {
    if (get(fd, &number) > 0 && number == wanted) return 1;
  } while (now() - start < LOST_NANOS);
  return 0;
}

/* Who is woken, or has just been started, is not timed. */
static void wake(int fd) {
  uint64_t start = now();
  while (!is_awake) {
    is_awake = turn(fd, 0);
    if (now() - start > PATIENCE_NANOS) break;
  }
}

static void turns(int fd, double divisor) {
  static uint64_t number;
  wake(fd);
  count_of_samples = 0;
  uint64_t start = now(), then = start;
  for (uint64_t done = 0; done < most && then - start < span; done++) {
    int came = turn(fd, ++number);
    uint64_t end = now();
    if (came) note(end - then);
    then = end;
  }
  say_percentiles(divisor);
}

static void let_sleep(int fd) {
  put(fd, STOP, bytes);
  is_awake = 0;
}

static void at_rate(int fd) {
  wake(fd);
  uint64_t interval = 1000000000u / (uint64_t)per_second, due = 0, number, start = now(), sent = 0, returned = 0;
  while (due < span || (returned < sent && now() - start < span + (returned > 0 ? LOST_NANOS : PATIENCE_NANOS))) {
    if (due < span && now() - start >= due) {
      put(fd, due, bytes);
      due += interval;
      sent++;
    }
    if (get(fd, &number) > 0) {
      note(now() - start - number);
      returned++;
    }
  }
  say_percentiles(1);
}

/* ---- streams */

static ssize_t receive_many(int fd, int *segment) {
  char control[CMSG_SPACE(sizeof(int))];
  struct iovec iov = {buffer, sizeof buffer};
  struct msghdr message = {NULL, 0, &iov, 1, control, sizeof control, 0};
  ssize_t got = recvmsg(fd, &message, 0);
  if (got < 0) {
    if (errno == EAGAIN || errno == ECONNREFUSED) return -1;
    die("recvmsg");
  }
  *segment = (int)got;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c != NULL; c = CMSG_NXTHDR(&message, c))
    if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) memcpy(segment, CMSG_DATA(c), sizeof(int));
  return got;
}

/* Counts what arrives and tells it after each batch; told of the end, tells the time from first to last. */
static void count_stream(int fd) {
  static uint64_t told[3]; /* bytes, datagrams, nanoseconds */
  uint64_t first = 0, last = 0;
  for (;;) {
    int segment;
    ssize_t got = receive_many(fd, &segment);
    if (got < 0) continue;
    if (got == 1) break;
    last = now();
    if (first == 0) {
      first = last;
      memset(told, 0, sizeof told);
    }
    told[0] += (uint64_t)got;
    told[1] += (uint64_t)((got + segment - 1) / segment);
    if (send(fd, told, sizeof told, 0) < 0 && errno != EAGAIN) die("send");
  }
  if (first != 0) told[2] = last > first ? last - first : 1;
  send(fd, told, sizeof told, 0); /* once more, when the end was said once more */
}

static void sink(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on);
  for (;;) {
    sleep_until_asked(fd);
    count_stream(fd);
  }
}

static void send_batch(int fd, size_t length, uint16_t segment) {
  char control[CMSG_SPACE(sizeof segment)] = {0};
  struct iovec iov = {buffer, length};
  struct msghdr message = {NULL, 0, &iov, 1, control, sizeof control, 0};
  struct cmsghdr *c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = IPPROTO_UDP;
  c->cmsg_type = UDP_SEGMENT;
  c->cmsg_len = CMSG_LEN(sizeof segment);
  memcpy(CMSG_DATA(c), &segment, sizeof segment);
  while (sendmsg(fd, &message, 0) < 0)
    if (errno != EAGAIN && errno != ENOBUFS && errno != ECONNREFUSED) die("sendmsg with UDP_SEGMENT");
}

static void flood(int fd) {
  size_t segment = bytes < SEGMENT_BYTES ? bytes : SEGMENT_BYTES;
  uint64_t per_batch = BATCH_BYTES / segment < BATCH_SEGMENTS ? BATCH_BYTES / segment : BATCH_SEGMENTS;
  uint64_t segments = most == UINT64_MAX ? UINT64_MAX : most * (bytes / segment);
  uint64_t sent = 0, arrived = 0, told[3], start = now(), heard = start;
  while (recv(fd, told, sizeof told, 0) > 0) { /* what is late of the stream before */
  }
  while (sent < segments && now() - start < span) {
    while (recv(fd, told, sizeof told, 0) == sizeof told) {
      arrived = told[1];
      heard = now();
    }
    if (sent - arrived > CREDIT * per_batch) {
      if (now() - heard < LOST_OF_STREAM_NANOS) continue;
      arrived = sent; /* what is not there by now was lost */
      heard = now();
    }
    send_batch(fd, per_batch * segment, (uint16_t)segment);
    sent += per_batch;
  }
  usleep(3000);
  for (told[2] = 0, start = now(); told[2] == 0 && now() - start < 10 * LOST_NANOS;) {
    while (recv(fd, told, sizeof told, 0) > 0 && told[2] == 0) {
    }
    if (told[2] != 0) break;
    send(fd, buffer, 1, 0);
    usleep(1000);
  }
  if (told[2] == 0 || told[0] == 0) {
    fprintf(stderr, "raw_network: nothing arrived\n");
    exit(1);
  }
  counted = told[0] / bytes;
  printf("mean=%.3f", (double)told[2] / (double)told[0] * (double)bytes);
}

/* Does the work once, and says what it took. */
static void measure(int fd, const char *work, int streams) {
  if (streams) flood(fd);
  else if (per_second > 0) at_rate(fd);
  else turns(fd, strcmp(work, "SEND_LATENCY") == 0 || strcmp(work, "WRITE_SEEN") == 0 ? 2 : 1);
}

static void measure_lines(int fd, const char *work, int streams) {
  char line[64];
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin) != NULL) {
    most = strtoull(line, NULL, 10);
    if (most > 0) measure(fd, work, streams);
    else if (!streams) let_sleep(fd);
    printf("\n");
  }
}

static void say_cpu(void) {
  struct rusage both[2];
  getrusage(RUSAGE_SELF, &both[0]);
  getrusage(RUSAGE_CHILDREN, &both[1]);
  double micros = 0;
  for (int i = 0; i < 2; i++)
    micros += (double)(both[i].ru_utime.tv_sec + both[i].ru_stime.tv_sec) * 1e6 +
              (double)(both[i].ru_utime.tv_usec + both[i].ru_stime.tv_usec);
  if (counted > 0) printf(" cpu=%.3f", micros * 1e3 / (double)counted);
  printf("\n");
}

int main(int argc, char **argv) {
  int by_lines = argc > 3 && strcmp(argv[3], "lines") == 0;
  if (argc < 6 || (!by_lines && argc < 7)) {
    fprintf(stderr, "usage: raw_network WORK BYTES MILLIS|lines LEADER_CPU HOME_CPU PER_SECOND\n");
    return 2;
  }
  const char *work = argv[1];
  bytes = strtoul(argv[2], NULL, 10);
  if (!by_lines) {
    span = strtoull(argv[3], NULL, 10) * 1000000u;
    per_second = atol(argv[6]);
  }
  if (bytes < 8) return 2;
  int streams = strstr(work, "_RATE") != NULL && strcmp(work, "AT_RATE") != 0;
  struct sockaddr_in mine, theirs;
  int fd = open_socket(&mine), other = open_socket(&theirs);
  if (connect(fd, (struct sockaddr *)&theirs, sizeof theirs) != 0) die("connect");
  if (connect(other, (struct sockaddr *)&mine, sizeof mine) != 0) die("connect");
  pid_t parent = getpid(), home = fork();
  if (home < 0) die("fork");
  if (home == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return 1;
    pin(atoi(argv[5]));
    if (streams) sink(other);
    else echo(other);
  }
  pin(atoi(argv[4]));
  samples = malloc(sizeof *samples * MOST_SAMPLES);
  if (by_lines) measure_lines(fd, work, streams);
  else measure(fd, work, streams);
  kill(home, SIGKILL);
  waitpid(home, NULL, 0);
  if (!by_lines) say_cpu();
  return 0;
}
