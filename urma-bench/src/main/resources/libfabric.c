/*
 * What libfabric does of the work, between two processes of this host.
 *
 *   libfabric PROVIDER WORK BYTES MILLIS LEADER_CPU HOME_CPU
 *
 * An RDM endpoint on each side; addresses and keys go through pipes. The home makes progress until it is told to stop.
 * Prints "mean=NANOSECONDS", and percentiles where single operations are timed.
 */
#define _GNU_SOURCE
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SMALL_BYTES = 4096, SMALL_WINDOW = 256, WINDOW = 16, NAME_BYTES = 256, WARM_UP = 20, MOST_SAMPLES = 4 << 20 };
static const uint64_t PATIENCE_NANOS = 10000000000u;

struct introduction {
  char name[NAME_BYTES];
  uint64_t name_bytes, address, key;
};

static size_t bytes;
static uint64_t span;
static int window, tell, hear;
static struct fi_info *info;
static struct fid_ep *ep;
static struct fid_cq *cq;
static struct fid_mr *mr;
static fi_addr_t peer;
static uint64_t peer_address, peer_key;
static char *memory, *target; /* what we send, and where things arrive: one registered range */
static uint64_t done_sends, done_receives;
static uint32_t *samples;
static size_t noted;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void die(const char *what, long status) {
  fprintf(stderr, "libfabric: %s: %s\n", what, fi_strerror((int)-status));
  exit(1);
}

static void must(const char *what, long status) {
  if (status < 0) die(what, status);
}

static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static void progress(void) {
  struct fi_cq_msg_entry entries[16];
  ssize_t count = fi_cq_read(cq, entries, 16);
  if (count == -FI_EAGAIN) return;
  if (count < 0) {
    struct fi_cq_err_entry error = {0};
    fi_cq_readerr(cq, &error, 0);
    die("completion", -(long)error.err);
  }
  for (ssize_t i = 0; i < count; i++) {
    if (entries[i].flags & FI_RECV) done_receives++;
    else done_sends++;
  }
}

static void await(uint64_t *counter, uint64_t wanted) {
  uint64_t start = 0;
  for (long turns = 1; *counter < wanted; turns++) {
    progress();
    if (turns % 65536 == 0) {
      if (start == 0) start = now();
      if (now() - start > PATIENCE_NANOS) die("nothing came for 10 s", -FI_ETIMEDOUT);
    }
  }
}

#define POST(call)                                          \
  do {                                                      \
    long status;                                            \
    while ((status = (call)) == -FI_EAGAIN) progress();     \
    must(#call, status);                                    \
  } while (0)

static void post_receive(void) { POST(fi_recv(ep, target, bytes, fi_mr_desc(mr), peer, NULL)); }
static void post_send(void) { POST(fi_send(ep, memory, bytes, fi_mr_desc(mr), peer, NULL)); }

static void open_endpoint(const char *provider) {
  struct fi_info *hints = fi_allocinfo();
  hints->ep_attr->type = FI_EP_RDM;
  hints->caps = FI_MSG | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->fabric_attr->prov_name = strdup(provider);
  int is_memory = strcmp(provider, "shm") == 0;
  must("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), is_memory ? NULL : "127.0.0.1", NULL, is_memory ? 0 : FI_SOURCE, hints, &info));
  struct fid_fabric *fabric;
  struct fid_domain *domain;
  struct fid_av *av;
  struct fi_cq_attr cq_attr = {.size = 4096, .format = FI_CQ_FORMAT_MSG};
  struct fi_av_attr av_attr = {.type = FI_AV_UNSPEC};
  must("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
  must("fi_domain", fi_domain(fabric, info, &domain, NULL));
  must("fi_endpoint", fi_endpoint(domain, info, &ep, NULL));
  must("fi_cq_open", fi_cq_open(domain, &cq_attr, &cq, NULL));
  must("fi_av_open", fi_av_open(domain, &av_attr, &av, NULL));
  must("fi_ep_bind", fi_ep_bind(ep, &cq->fid, FI_SEND | FI_RECV));
  must("fi_ep_bind", fi_ep_bind(ep, &av->fid, 0));
  must("fi_enable", fi_enable(ep));
  size_t each = bytes < 4096 ? 4096 : bytes;
  memory = aligned_alloc(4096, 2 * each);
  target = memory + each;
  memset(memory, 0, 2 * each);
  must("fi_mr_reg", fi_mr_reg(domain, memory, 2 * each,
                              FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 17, 0, &mr, NULL));
  int has_addresses = (info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  struct introduction mine = {.name_bytes = NAME_BYTES,
                              .address = has_addresses ? (uint64_t)(uintptr_t)target : each,
                              .key = fi_mr_key(mr)}, theirs;
  size_t length = NAME_BYTES;
  must("fi_getname", fi_getname(&ep->fid, mine.name, &length));
  if (write(tell, &mine, sizeof mine) != sizeof mine || read(hear, &theirs, sizeof theirs) != sizeof theirs)
    die("pipe", -FI_EIO);
  if (fi_av_insert(av, theirs.name, 1, &peer, 0, NULL) != 1) die("fi_av_insert", -FI_EINVAL);
  peer_address = theirs.address;
  peer_key = theirs.key;
}

static int told(void) {
  char byte;
  return read(hear, &byte, 1) == 1;
}

/* ---- both sides of each work */

static void home(const char *work) {
  long turns = 0;
  fcntl(hear, F_SETFL, O_NONBLOCK);
  if (strcmp(work, "SEND_LATENCY") == 0) {
    post_receive();
    for (uint64_t seen = 0;; turns++) {
      progress();
      if (done_receives > seen) {
        seen = done_receives;
        post_receive();
        post_send();
      } else if (turns % 4096 == 0 && told()) return;
    }
  }
  if (strcmp(work, "SEND_RATE") == 0) {
    for (int i = 0; i < 2 * window; i++) post_receive();
    for (uint64_t seen = 0, answered = 0;; turns++) {
      progress();
      for (; seen < done_receives; seen++) post_receive();
      for (; seen - answered >= (uint64_t)window; answered += (uint64_t)window)
        POST(fi_send(ep, memory, 8, fi_mr_desc(mr), peer, NULL));
      if (turns % 4096 == 0 && told()) return;
    }
  }
  for (;; turns++) {
    progress();
    if (turns % 4096 == 0 && told()) return;
  }
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void say(uint64_t nanos, uint64_t operations, double divisor) {
  double mean = (double)nanos / (double)operations / divisor;
  if (noted == 0) {
    printf("mean=%.3f\n", mean);
    return;
  }
  qsort(samples, noted, sizeof *samples, by_size);
  printf("mean=%.3f p50=%.2f p99=%.2f p999=%.2f\n", mean, samples[noted / 2] / divisor,
         samples[(size_t)((double)(noted - 1) * 0.99)] / divisor, samples[(size_t)((double)(noted - 1) * 0.999)] / divisor);
}

static void lead(const char *work) {
  int reads = strcmp(work, "READ") == 0 || strcmp(work, "READ_RATE") == 0;
  int single = strcmp(work, "READ") == 0;
  uint64_t start = now(), then = start, posted = 0;
  if (strcmp(work, "SEND_LATENCY") == 0) {
    samples = malloc(sizeof *samples * MOST_SAMPLES);
    post_receive();
    while ((then - start < span || posted <= WARM_UP) && noted < MOST_SAMPLES) {
      post_send();
      await(&done_receives, ++posted);
      post_receive();
      uint64_t end = now();
      samples[noted++] = (uint32_t)(end - then);
      then = end;
      if (posted == WARM_UP) { /* connected by now */
        noted = 0;
        start = end;
      }
    }
    say(then - start, posted - WARM_UP, 2);
  } else if (strcmp(work, "SEND_RATE") == 0) {
    uint64_t batches = 0, answered = 0;
    for (int i = 0; i < 8; i++) post_receive();
    for (; now() - start < span || batches < 4; batches++) {
      if (batches == 2) start = now(); /* one has been received */
      for (int i = 0; i < window; i++) post_send();
      if (batches > 0) { /* one batch ahead of what has been received */
        await(&done_receives, ++answered);
        post_receive();
      }
    }
    await(&done_receives, batches);
    say(now() - start, (batches - 1) * (uint64_t)window, 1);
  } else if (reads || strcmp(work, "WRITE_RATE") == 0) {
    int most = single ? 1 : window;
    uint64_t warm_up = (uint64_t)window;
    for (; now() - start < span || posted <= warm_up; posted++) {
      if (posted == warm_up) {
        await(&done_sends, posted);
        start = now();
      }
      if (posted >= (uint64_t)most) await(&done_sends, posted - (uint64_t)most + 1);
      if (reads) POST(fi_read(ep, memory, bytes, fi_mr_desc(mr), peer, peer_address, peer_key, NULL));
      else POST(fi_write(ep, memory, bytes, fi_mr_desc(mr), peer, peer_address, peer_key, NULL));
    }
    await(&done_sends, posted);
    say(now() - start, posted - warm_up, 1);
  } else {
    die("no such work", -FI_ENOSYS);
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc < 7) {
    fprintf(stderr, "usage: libfabric PROVIDER WORK BYTES MILLIS LEADER_CPU HOME_CPU\n");
    return 2;
  }
  bytes = strtoul(argv[3], NULL, 10);
  span = strtoull(argv[4], NULL, 10) * 1000000u;
  window = bytes <= SMALL_BYTES ? SMALL_WINDOW : WINDOW;
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) die("pipe", -FI_EIO);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return 1;
    pin(atoi(argv[6]));
    hear = there[0];
    tell = back[1];
    open_endpoint(argv[1]);
    home(argv[2]);
    fi_close(&ep->fid);
    return 0;
  }
  pin(atoi(argv[5]));
  hear = back[0];
  tell = there[1];
  open_endpoint(argv[1]);
  lead(argv[2]);
  if (write(tell, "e", 1) != 1) return 1;
  for (int i = 0; i < 3000; i++) { /* its last words may want an answer */
    progress();
    if (waitpid(child, NULL, WNOHANG) == child) {
      fi_close(&ep->fid); /* and with it the region of provider shm in /dev/shm */
      return 0;
    }
    usleep(1000);
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  fi_close(&ep->fid);
  return 0;
}
