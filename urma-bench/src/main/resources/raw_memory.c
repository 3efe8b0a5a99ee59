/*
 * The least that two processes can do with shared memory: the limit beside which the figures of one host stand. Plain C.
 *
 *   raw_memory WORK BYTES MILLIS LEADER_CPU HOME_CPU PER_SECOND
 *
 * WORK as in Work.java. Prints "mean=NANOSECONDS", and percentiles where single operations are timed. Messages go through
 * a ring with two copies: into it, and out of it again.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64, PAIR = 128, CHUNK = 256, MOST_SAMPLES = 4 << 20, MOST_BYTES = 4 << 20, LEAST_RING = 256 << 10 };
#define STOP UINT64_MAX

static size_t bytes;
static uint64_t span;
static long per_second;
static char *source; /* private to each process, as an application's buffers are */

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

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void *shared(size_t length) {
  void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) die("mmap");
  memset(memory, 0, length); /* every page is there before anything is measured */
  return memory;
}

static long chunk(void) {
  long fits = (1 << 20) / (long)bytes;
  return fits < 1 ? 1 : fits > CHUNK ? CHUNK : fits;
}

static uint64_t counted; /* operations, for the processor time that each took */

static void say(uint64_t nanos, uint64_t operations) {
  counted = operations;
  printf("mean=%.4f", (double)nanos / (double)operations);
}

/* ---- single operations by one process */

static void repeat(void (*work)(long)) {
  long count = chunk();
  for (uint64_t start = now(); now() - start < span / 10;) work(count);
  uint64_t start = now(), done = 0, end = start;
  for (; end - start < span; end = now()) {
    work(count);
    done += (uint64_t)count;
  }
  say(end - start, done);
}

static char *target;

static void stores(long count) {
  if (bytes == 8) {
    for (long i = 0; i < count; i++) *(volatile uint64_t *)target = (uint64_t)i;
    return;
  }
  for (long i = 0; i < count; i++) {
    memcpy(target, source, bytes);
    __asm__ volatile("" ::: "memory");
  }
}

static void loads(long count) {
  if (bytes == 8) {
    for (long i = 0; i < count; i++) *(volatile uint64_t *)source = *(volatile uint64_t *)target;
    return;
  }
  for (long i = 0; i < count; i++) {
    memcpy(source, target, bytes);
    __asm__ volatile("" ::: "memory");
  }
}

static void adds(long count) {
  for (long i = 0; i < count; i++)
    *(volatile uint64_t *)source = atomic_fetch_add((_Atomic uint64_t *)target, 1);
}

static void swaps(long count) {
  for (long i = 0; i < count; i++) {
    uint64_t seen = *(volatile uint64_t *)source;
    if (atomic_compare_exchange_strong((_Atomic uint64_t *)target, &seen, seen + 1)) seen++;
    *(volatile uint64_t *)source = seen;
  }
}

/* ---- a cache line to and fro, behind what else is written */

static void store_turn(char *area, _Atomic uint64_t *mine, uint64_t turn) {
  if (bytes > 8) memcpy(area, source, bytes - 8);
  atomic_store_explicit(mine, turn, memory_order_release);
}

static void turns(int leads, char *area, _Atomic uint64_t *mine, _Atomic uint64_t *theirs) {
  if (!leads) {
    for (uint64_t last = 0;;) {
      uint64_t seen = atomic_load_explicit(theirs, memory_order_acquire);
      if (seen == STOP) return;
      if (seen != last) store_turn(area, mine, last = seen);
      else relax();
    }
  }
  uint64_t turn = 0, start = now(), end = start;
  for (; end - start < span; end = now())
    for (long i = chunk(); i > 0; i--) {
      store_turn(area, mine, ++turn);
      while (atomic_load_explicit(theirs, memory_order_acquire) != turn) relax();
    }
  atomic_store_explicit(mine, STOP, memory_order_release);
  say(end - start, 2 * turn);
}

/* ---- rings: slots of a word, which is the turn when full, and the message */

struct ring {
  _Atomic uint64_t taken; /* by the receiver, told now and then */
  char apart[PAIR - sizeof(uint64_t)];
  char slots[];
};

struct end {
  struct ring *ring;
  uint64_t position, known_taken;
};

static size_t stride;
static uint64_t slots;

static struct ring *new_ring(void) {
  stride = (bytes + 8 + LINE - 1) / LINE * LINE;
  slots = LEAST_RING / stride;
  if (slots < 4) slots = 4;
  return shared(sizeof(struct ring) + stride * slots);
}

static int offer(struct end *end, uint64_t number) {
  if (end->position - end->known_taken == slots) {
    end->known_taken = atomic_load_explicit(&end->ring->taken, memory_order_acquire);
    if (end->position - end->known_taken == slots) return 0;
  }
  char *slot = end->ring->slots + end->position % slots * stride;
  *(uint64_t *)source = number;
  memcpy(slot + 8, source, bytes);
  atomic_store_explicit((_Atomic uint64_t *)slot, ++end->position, memory_order_release);
  return 1;
}

static int take(struct end *end, uint64_t *number) {
  char *slot = end->ring->slots + end->position % slots * stride;
  if (atomic_load_explicit((_Atomic uint64_t *)slot, memory_order_acquire) != end->position + 1) return 0;
  memcpy(source, slot + 8, bytes);
  *number = *(volatile uint64_t *)source;
  end->position++;
  if (end->position % (slots / 4) == 0) atomic_store_explicit(&end->ring->taken, end->position, memory_order_release);
  return 1;
}

static void send_one(struct end *out, uint64_t number) {
  while (!offer(out, number)) relax();
}

static uint64_t receive_one(struct end *in) {
  uint64_t number;
  while (!take(in, &number)) relax();
  return number;
}

static uint32_t *samples;
static size_t count_of_samples;

static void note(uint64_t nanos) {
  if (count_of_samples < MOST_SAMPLES) samples[count_of_samples++] = nanos > UINT32_MAX ? UINT32_MAX : (uint32_t)nanos;
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void say_percentiles(double divisor) {
  double sum = 0;
  qsort(samples, count_of_samples, sizeof *samples, by_size);
  for (size_t i = 0; i < count_of_samples; i++) sum += samples[i];
  size_t last = count_of_samples - 1;
  counted = count_of_samples;
  printf("mean=%.2f p50=%.2f p99=%.2f p999=%.2f", sum / (double)count_of_samples / divisor,
         samples[last / 2] / divisor, samples[(size_t)((double)last * 0.99)] / divisor,
         samples[(size_t)((double)last * 0.999)] / divisor);
}

static void messages(int leads, int streams, struct end *out, struct end *in) {
  if (!leads) {
    for (;;) {
      uint64_t number = receive_one(in);
      if (!streams || number == STOP) send_one(out, number);
      if (number == STOP) return;
    }
  }
  uint64_t start = now(), then = start, sent = 0;
  if (per_second > 0) {
    uint64_t interval = 1000000000u / (uint64_t)per_second, due = 0, returned = 0, number;
    while (due < span || returned < sent) {
      if (due < span && now() - start >= due && offer(out, due)) {
        due += interval;
        sent++;
      }
      while (take(in, &number)) {
        note(now() - start - number);
        returned++;
      }
    }
    send_one(out, STOP);
    receive_one(in);
    say_percentiles(1);
  } else if (streams) {
    while (now() - start < span)
      for (int i = 0; i < LINE; i++, sent++) send_one(out, 0);
    send_one(out, STOP);
    receive_one(in);
    say(now() - start, sent);
  } else {
    while (then - start < span) {
      send_one(out, 0);
      receive_one(in);
      uint64_t end = now();
      note(end - then);
      then = end;
    }
    send_one(out, STOP);
    receive_one(in);
    say_percentiles(2);
  }
}

/* ---- asleep: an eventfd, a thread in epoll, and a second thread that it wakes, as an engine wakes who waits */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static uint64_t wakes;
static int my_event;

static void *first_thread(void *unused) {
  struct epoll_event event = {.events = EPOLLIN};
  int epoll = epoll_create1(0);
  if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, my_event, &event) != 0) die("epoll");
  for (uint64_t count;;) {
    if (epoll_wait(epoll, &event, 1, -1) < 1 || read(my_event, &count, sizeof count) < 0) continue;
    pthread_mutex_lock(&lock);
    wakes++;
    pthread_cond_signal(&woken);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void await_wake(uint64_t wanted) {
  pthread_mutex_lock(&lock);
  while (wakes < wanted) pthread_cond_wait(&woken, &lock);
  pthread_mutex_unlock(&lock);
}

static void wakings(int leads, int mine, int theirs) {
  pthread_t thread;
  uint64_t one = 1, turn = 0;
  my_event = mine;
  if (pthread_create(&thread, NULL, first_thread, NULL) != 0) die("pthread_create");
  uint64_t start = now(), then = start;
  while (!leads || then - start < span) {
    if (!leads) await_wake(++turn);
    if (write(theirs, &one, sizeof one) < 0) die("write");
    if (!leads) continue;
    await_wake(++turn);
    uint64_t end = now();
    note(end - then);
    then = end;
  }
  say_percentiles(2);
}

int main(int argc, char **argv) {
  if (argc < 7) {
    fprintf(stderr, "usage: raw_memory WORK BYTES MILLIS LEADER_CPU HOME_CPU PER_SECOND\n");
    return 2;
  }
  const char *work = argv[1];
  bytes = strtoul(argv[2], NULL, 10);
  span = strtoull(argv[3], NULL, 10) * 1000000u;
  per_second = atol(argv[6]);
  if (bytes < 8 || bytes > MOST_BYTES) return 2;
  source = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  memset(source, 0, bytes);
  pin(atoi(argv[4]));
  target = shared(bytes);

  if (strcmp(work, "WRITE_RATE") == 0) repeat(stores);
  else if (strcmp(work, "READ") == 0 || strcmp(work, "READ_RATE") == 0) repeat(loads);
  else if (strcmp(work, "FADD") == 0) repeat(adds);
  else if (strcmp(work, "CAS") == 0) repeat(swaps);
  else {
    int is_write = strcmp(work, "WRITE_SEEN") == 0;
    int streams = strcmp(work, "SEND_RATE") == 0, sleeps = strcmp(work, "WAKE") == 0;
    int events[2] = {eventfd(0, EFD_NONBLOCK), eventfd(0, EFD_NONBLOCK)};
    char *words = shared(4 * PAIR);
    struct end there = {new_ring(), 0, 0}, back = {new_ring(), 0, 0};
    pid_t parent = getpid(), home = fork();
    if (home < 0) die("fork");
    if (home == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) return 1;
      pin(atoi(argv[5]));
      if (sleeps) wakings(0, events[1], events[0]);
      else if (is_write) turns(0, shared(bytes), (_Atomic uint64_t *)(words + 2 * PAIR), (_Atomic uint64_t *)words);
      else messages(0, streams, &back, &there);
      return 0;
    }
    samples = malloc(sizeof *samples * MOST_SAMPLES);
    if (sleeps) wakings(1, events[0], events[1]);
    else if (is_write) turns(1, target, (_Atomic uint64_t *)words, (_Atomic uint64_t *)(words + 2 * PAIR));
    else messages(1, streams, &there, &back);
    if (sleeps) kill(home, SIGKILL); /* it would sleep for ever */
    waitpid(home, NULL, 0);
  }
  struct rusage both[2]; /* of a few milliseconds beyond the work: the start of both */
  getrusage(RUSAGE_SELF, &both[0]);
  getrusage(RUSAGE_CHILDREN, &both[1]);
  double micros = 0;
  for (int i = 0; i < 2; i++)
    micros += (double)(both[i].ru_utime.tv_sec + both[i].ru_stime.tv_sec) * 1e6 +
              (double)(both[i].ru_utime.tv_usec + both[i].ru_stime.tv_usec);
  printf(" cpu=%.3f\n", micros * 1e3 / (double)counted);
  return 0;
}
