/*
 * Half a round trip of 64 bytes between two processes that poll, over loopback: with the system calls of raw UDP, with those
 * of the port of udma0, and with what its card adds between them, step by step. The figures of
 * 2026-11-29-second-processor.md.
 *
 *   cc -O2 -o half-trip 2026-11-29-half-trip.c && ./half-trip
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 64 + 12 + 4, ROUNDS = 20000, BATCHES = 20, PAGE = 4096, MAX_PAGES = 160, UDP_GRO_ = 104, UDP_ = 17 };

struct way {
    const char *name;
    int connected; /* send, in place of sendto with an address */
    int full;      /* recvmsg with address, control messages and GRO, in place of recv */
    int crc;       /* a CRC of the packet at both ends */
    int pages;     /* pages of which a word is read between the system calls */
};

static const struct way WAYS[] = {
    {"sendto, recv", 0, 0, 0, 0},
    {"connected: send, recv", 1, 0, 0, 0},
    {"sendto, recvmsg with address, GRO and control messages: the port's calls", 0, 1, 0, 0},
    {"the same, and a CRC at both ends", 0, 1, 1, 0},
    {"the same, and a word of 40 pages", 0, 1, 1, 40},
    {"the same, and a word of 160 pages", 0, 1, 1, 160},
};

static uint32_t table[256];
static volatile uint8_t *pages;
static volatile uint64_t sink;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec + at.tv_nsec * 1e-9;
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static uint32_t crc(const uint8_t *bytes, int length) {
    uint32_t sum = ~0u;
    for (int i = 0; i < length; i++) {
        sum = table[(sum ^ bytes[i]) & 255] ^ sum >> 8;
    }
    return ~sum;
}

static int open_socket(struct sockaddr_in *at, int full) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof *at;
    if (fd < 0 || bind(fd, (struct sockaddr *) &any, sizeof any) < 0
        || getsockname(fd, (struct sockaddr *) at, &length) < 0) {
        die("socket");
    }
    int one = 1;
    if (full
        && (setsockopt(fd, UDP_, UDP_GRO_, &one, sizeof one) < 0
            || setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &one, sizeof one) < 0)) {
        die("setsockopt");
    }
    return fd;
}

static void work(const struct way *way, const uint8_t *packet) {
    uint64_t read = 0;
    for (int i = 0; i < way->pages; i++) {
        read += pages[i * PAGE + 64 * (i % 60)];
    }
    sink += read + (way->crc ? crc(packet, BYTES) : 0);
}

static void put(int fd, const struct way *way, const struct sockaddr_in *to, uint8_t *packet) {
    work(way, packet);
    ssize_t sent = way->connected ? send(fd, packet, BYTES, 0)
                                  : sendto(fd, packet, BYTES, 0, (const struct sockaddr *) to, sizeof *to);
    if (sent != BYTES) {
        die("send");
    }
}

static void take(int fd, const struct way *way, uint8_t *packet) {
    static uint8_t control[256];
    struct sockaddr_in from;
    struct iovec piece = {packet, 1 << 16};
    for (;;) {
        ssize_t got;
        if (way->full) {
            struct msghdr message = {
                .msg_name = &from,
                .msg_namelen = sizeof from,
                .msg_iov = &piece,
                .msg_iovlen = 1,
                .msg_control = control,
                .msg_controllen = sizeof control};
            got = recvmsg(fd, &message, MSG_DONTWAIT);
        } else {
            got = recv(fd, packet, 1 << 16, MSG_DONTWAIT);
        }
        if (got == BYTES) {
            break;
        }
    }
    work(way, packet);
}

static int ascending(const void *a, const void *b) {
    double d = *(const double *) a - *(const double *) b;
    return d < 0 ? -1 : d > 0;
}

static void measure(const struct way *way) {
    struct sockaddr_in here, there;
    int one = open_socket(&here, way->full);
    int other = open_socket(&there, way->full);
    if (way->connected
        && (connect(one, (struct sockaddr *) &there, sizeof there) < 0
            || connect(other, (struct sockaddr *) &here, sizeof here) < 0)) {
        die("connect");
    }
    static uint8_t packet[1 << 16];
    pid_t peer = fork();
    if (peer < 0) {
        die("fork");
    }
    if (peer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pin(1);
        for (;;) {
            take(other, way, packet);
            put(other, way, &here, packet);
        }
    }
    pin(0);
    double halves[BATCHES];
    for (int batch = -2; batch < BATCHES; batch++) {
        double start = now();
        for (int i = 0; i < ROUNDS; i++) {
            put(one, way, &there, packet);
            take(one, way, packet);
        }
        if (batch >= 0) {
            halves[batch] = (now() - start) / ROUNDS / 2 * 1e6;
        }
    }
    kill(peer, SIGKILL);
    waitpid(peer, NULL, 0);
    close(one);
    close(other);
    qsort(halves, BATCHES, sizeof halves[0], ascending);
    printf("%-75s least %.2f, median %.2f us\n", way->name, halves[0], halves[BATCHES / 2]);
}

int main(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t sum = i;
        for (int bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
        }
        table[i] = sum;
    }
    pages = mmap(NULL, MAX_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        die("mmap");
    }
    memset((void *) pages, 1, MAX_PAGES * PAGE);
    double start = now();
    for (int i = 0; i < 200000; i++) {
        syscall(SYS_getppid);
    }
    printf("a system call (getppid): %.2f us\n", (now() - start) / 200000 * 1e6);
    for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++) {
        measure(&WAYS[i]);
    }
    return 0;
}
