/*
 * What Open MPI does of the work, between two ranks.
 *
 *   mpirun -n 2 open_mpi WORK BYTES MILLIS LEADER_CPU HOME_CPU
 *
 * One-sided work is passive: a window of MPI_Win_allocate, locked once, flushed after each operation that is awaited, else
 * after as many as the others have in flight. Rank 0 prints "mean=NANOSECONDS", and percentiles of single messages.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALL_BYTES = 4096, SMALL_WINDOW = 256, WINDOW = 16, PROBES = 100 };

static size_t bytes;
static int rank, window;
static char *source, *memory;
static MPI_Win win;
static uint32_t *samples;
static long noted;

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

/* ---- one-sided, by rank 0 */

static void puts_many(long count) {
  for (long i = 1; i <= count; i++) {
    MPI_Put(source, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, win);
    if (i % window == 0) MPI_Win_flush(1, win);
  }
  MPI_Win_flush(1, win);
}

static void gets_many(long count) {
  for (long i = 1; i <= count; i++) {
    MPI_Get(source, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, win);
    if (i % window == 0) MPI_Win_flush(1, win);
  }
  MPI_Win_flush(1, win);
}

static void gets(long count) {
  for (long i = 0; i < count; i++) {
    MPI_Get(source, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, win);
    MPI_Win_flush(1, win);
  }
}

static void adds(long count) {
  uint64_t one = 1, before;
  for (long i = 0; i < count; i++) {
    MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, 1, 0, MPI_SUM, win);
    MPI_Win_flush(1, win);
  }
}

static void swaps(long count) {
  uint64_t seen = 0, next, before;
  for (long i = 0; i < count; i++) {
    next = seen + 1;
    MPI_Compare_and_swap(&next, &seen, &before, MPI_UINT64_T, 1, 0, win);
    MPI_Win_flush(1, win);
    seen = before == seen ? next : before;
  }
}

/* ---- by both */

/* Each writes the turn into the other's window, behind what else it writes, and looks at its own. */
static void turns(long count) {
  volatile uint64_t *inbox = (volatile uint64_t *)memory;
  uint64_t base = *inbox; /* the same on both sides */
  MPI_Barrier(MPI_COMM_WORLD);
  for (long i = 1; i <= count; i++) {
    uint64_t turn = base + (uint64_t)i;
    if (rank == 1) {
      while (*inbox != turn) MPI_Win_sync(win);
    }
    memcpy(source, &turn, sizeof turn);
    if (bytes > 8) {
      int rest = (int)bytes - 8;
      MPI_Put(source + 8, rest, MPI_BYTE, 1 - rank, 8, rest, MPI_BYTE, win);
      MPI_Win_flush(1 - rank, win);
    }
    MPI_Put(source, 8, MPI_BYTE, 1 - rank, 0, 8, MPI_BYTE, win);
    MPI_Win_flush(1 - rank, win);
    if (rank == 0) {
      while (*inbox != turn) MPI_Win_sync(win);
    }
  }
}

static void pings(long count) {
  for (long i = 0; i < count; i++) {
    uint64_t start = now();
    if (rank == 0) MPI_Send(source, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(memory, (int)bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(source, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    samples[noted++] = (uint32_t)(now() - start);
  }
}

static void stream(long count) {
  static MPI_Request requests[SMALL_WINDOW];
  for (long done = 0; done < count; done += window) {
    for (int i = 0; i < window; i++) {
      if (rank == 0) MPI_Isend(source, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[i]);
      else MPI_Irecv(memory, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  }
  /* the last ones have arrived */
  if (rank == 0) MPI_Recv(memory, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else MPI_Send(source, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 6) MPI_Abort(MPI_COMM_WORLD, 2);
  const char *work = argv[1];
  bytes = strtoul(argv[2], NULL, 10);
  double span = strtod(argv[3], NULL) * 1e6;
  pin(atoi(argv[rank == 0 ? 4 : 5]));
  window = bytes <= SMALL_BYTES ? SMALL_WINDOW : WINDOW;
  source = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  memset(source, 0, bytes);
  MPI_Win_allocate((MPI_Aint)(bytes < 4096 ? 4096 : bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, bytes);
  MPI_Win_lock_all(0, win);

  void (*alone)(long) = NULL, (*together)(long) = NULL;
  int halves = 1;
  if (strcmp(work, "WRITE_RATE") == 0) alone = puts_many;
  else if (strcmp(work, "READ_RATE") == 0) alone = gets_many;
  else if (strcmp(work, "READ") == 0) alone = gets;
  else if (strcmp(work, "FADD") == 0) alone = adds;
  else if (strcmp(work, "CAS") == 0) alone = swaps;
  else if (strcmp(work, "SEND_RATE") == 0) together = stream;
  else if (strcmp(work, "WRITE_SEEN") == 0) together = turns, halves = 2;
  else if (strcmp(work, "SEND_LATENCY") == 0) together = pings, halves = 2;
  else MPI_Abort(MPI_COMM_WORLD, 2);

  samples = malloc(sizeof *samples * (PROBES + 4));
  long count = PROBES;
  uint64_t nanos = 0;
  for (int round = 0; round < 2; round++) { /* a short one tells how long the other is to be */
    noted = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    uint64_t start = now();
    if (together != NULL) together(count);
    else if (rank == 0) alone(count);
    nanos = now() - start;
    if (round == 0) {
      count = (long)(span / ((double)nanos / (double)count));
      count = count < PROBES ? PROBES : count / window * window + window;
      MPI_Bcast(&count, 1, MPI_LONG, 0, MPI_COMM_WORLD);
      free(samples);
      samples = malloc(sizeof *samples * (size_t)count);
    }
  }
  if (together == stream) count = (count + window - 1) / window * window;
  if (rank == 0 && noted > 0) {
    qsort(samples, (size_t)noted, sizeof *samples, by_size);
    printf("mean=%.3f p50=%.2f p99=%.2f p999=%.2f\n", (double)nanos / (double)(halves * count), samples[noted / 2] / 2.0,
           samples[(long)((double)noted * 0.99)] / 2.0, samples[(long)((double)noted * 0.999)] / 2.0);
  } else if (rank == 0) {
    printf("mean=%.3f\n", (double)nanos / (double)(halves * count));
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
