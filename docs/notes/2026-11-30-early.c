// What packets behind a gap cost: datagrams of 61440 bytes arrive, each is read once, as by a CRC, and copied to its place. One in
// a hundred counts as lost and comes a round trip later. Those behind it wait for it, each in the buffer that it was received in.
//
//   cc -O2 -pthread early.c -o early && ./early [packets that wait behind each lost one, 0 for no loss]

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

enum { BYTES = 61440, BUFFERS = 128, PLACES = 18, CHUNK = 4000, ROUNDS = 15 };

static int in, out;
static struct sockaddr_in address;
static volatile int ends;

static void *memory(size_t bytes) {
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (at == MAP_FAILED) exit(1);
  return at;
}

static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *send_all(void *unused) {
  pin(1);
  char *from = memory(BYTES);
  while (!ends) sendto(out, from, BYTES, 0, (struct sockaddr *)&address, sizeof address);
  return unused;
}

static uint64_t sum(const char *from) {
  uint64_t a = 0, b = 0, c = 0, d = 0;
  for (const uint64_t *at = (const uint64_t *)from, *end = at + BYTES / 8; at < end; at += 4) {
    a ^= at[0], b ^= at[1], c ^= at[2], d ^= at[3];
  }
  return a ^ b ^ c ^ d;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static volatile uint64_t sink;

// Nanoseconds for each packet.
static double chunk(char *buffers[], char *places[], int waiting) {
  int free_at = 0, kept = 0, behind = 0;
  static char *waits[BUFFERS];
  double began = now();
  for (int i = 0; i < CHUNK; i++) {
    char *buffer = buffers[free_at];
    if (recv(in, buffer, BYTES, 0) != BYTES) exit(1);
    sink ^= sum(buffer);
    if (waiting && !behind && i % 100 == 50) behind = waiting;
    if (!behind) {
      memcpy(places[i % PLACES], buffer, BYTES);
      continue;
    }
    waits[kept++] = buffer; // its buffer is exchanged for the next one
    free_at = (free_at + 1) % BUFFERS;
    if (--behind == 0) {
      for (int k = 0; k < kept; k++) memcpy(places[k % PLACES], waits[k], BYTES);
      kept = 0;
      free_at = 0;
    }
  }
  return (now() - began) * 1e9 / CHUNK;
}

static int up(const void *a, const void *b) {
  return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

int main(int count, char **arguments) {
  int waiting = count > 1 ? atoi(arguments[1]) : 35;
  if (waiting < 0 || waiting >= 100) return 2;
  in = socket(AF_INET, SOCK_DGRAM, 0);
  out = socket(AF_INET, SOCK_DGRAM, 0);
  int room = 4 << 20;
  setsockopt(in, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  setsockopt(out, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(in, (struct sockaddr *)&address, sizeof address) || getsockname(in, (struct sockaddr *)&address, &length)) return 1;
  char *buffers[BUFFERS], *places[PLACES];
  for (int i = 0; i < BUFFERS; i++) buffers[i] = memory(1 << 16);
  for (int i = 0; i < PLACES; i++) places[i] = memory(BYTES);
  pthread_t sender;
  pthread_create(&sender, NULL, send_all, NULL);
  pin(0);
  double plain[ROUNDS], lossy[ROUNDS], ratio[ROUNDS];
  for (int i = -5; i < ROUNDS; i++) {
    double a = chunk(buffers, places, 0), b = chunk(buffers, places, waiting);
    if (i >= 0) plain[i] = a, lossy[i] = b, ratio[i] = a / b;
  }
  ends = 1;
  qsort(plain, ROUNDS, sizeof(double), up), qsort(lossy, ROUNDS, sizeof(double), up), qsort(ratio, ROUNDS, sizeof(double), up);
  printf("%d of 100 packets wait: %.0f ns, none: %.0f ns, speed %.2f (%.2f to %.2f)\n", waiting, lossy[ROUNDS / 2], plain[ROUNDS / 2],
         ratio[ROUNDS / 2], ratio[1], ratio[ROUNDS - 2]);
  return 0;
}
