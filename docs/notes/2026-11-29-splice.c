/*
 * A long datagram to another process over loopback, sent by a copy (sendmsg) and by reference to its pages (vmsplice,
 * splice), in turn; and the speed of REP MOVSB by the distance of the two ranges. The figures of 2026-11-29-spliced-sends.md.
 *
 *   cc -O2 -o splice 2026-11-29-splice.c && ./splice
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 12, TAIL = 4, SLOT = 1 << 16, SLOTS = 8, ROUNDS = 40, IN_FLIGHT = 8, PAGE = 4096, UDP_SEGMENT_ = 103 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void die(const char *what) {
    perror(what);
    exit(1);
}

static char *memory(size_t bytes, int value, int flags) {
    char *at = mmap(0, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) die("mmap");
    return memset(at, value, bytes);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- REP MOVSB */

static void movsb(int distance) {
    static char *from, *to;
    if (!from) from = memory(1 << 17, 1, MAP_PRIVATE), to = memory(1 << 17, 1, MAP_PRIVATE);
    double best = 1e9;
    for (int round = 0; round < 10; round++) {
        double start = seconds();
        for (int i = 0; i < 500; i++) {
            char *d = to + distance, *s = from;
            long count = SLOT;
            __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(count)::"memory");
        }
        double each = (seconds() - start) / 500;
        if (each < best) best = each;
    }
    printf("REP MOVSB of 64 KiB, destination %4d bytes behind the source in its page: %5.2f us\n", distance, best * 1e6);
}

/* ---- datagrams */

static struct sockaddr_in peer = {.sin_family = AF_INET};
static char head[HEAD], tail[TAIL];
static int to_kernel, from_kernel;

static void copy(int tx, char *payload, int bytes) {
    struct iovec parts[] = {{head, HEAD}, {payload, bytes}, {tail, TAIL}};
    struct msghdr message = {.msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = parts, .msg_iovlen = 3};
    if (sendmsg(tx, &message, 0) < 0) die("sendmsg");
}

/* A segment size of the whole datagram: else the kernel computes a checksum where a datagram is sent in parts. */
static void refer(int tx, char *payload, int bytes) {
    char control[CMSG_SPACE(2)] __attribute__((aligned(8))) = {0};
    struct iovec first = {head, HEAD}, pages = {payload, bytes};
    struct msghdr message = {.msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = &first, .msg_iovlen = 1};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    struct cmsghdr *segment = CMSG_FIRSTHDR(&message);
    segment->cmsg_level = IPPROTO_UDP;
    segment->cmsg_type = UDP_SEGMENT_;
    segment->cmsg_len = CMSG_LEN(2);
    *(uint16_t *)CMSG_DATA(segment) = HEAD + bytes + TAIL;
    if (sendmsg(tx, &message, MSG_MORE) < 0) die("sendmsg, more");
    if (vmsplice(to_kernel, &pages, 1, 0) != bytes) die("vmsplice");
    for (long left = bytes, moved; left > 0; left -= moved) {
        moved = splice(from_kernel, 0, tx, 0, left, SPLICE_F_MORE);
        if (moved <= 0) die("splice");
    }
    if (send(tx, tail, TAIL, 0) < 0) die("send");
}

static void compare(int bytes, int receive_at) {
    int rx = socket(AF_INET, SOCK_DGRAM, 0), tx = socket(AF_INET, SOCK_DGRAM, 0), buffer = 4 << 20;
    setsockopt(rx, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    setsockopt(tx, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    peer.sin_port = 0;
    socklen_t length = sizeof peer;
    if (bind(rx, (void *)&peer, sizeof peer) || getsockname(rx, (void *)&peer, &length)) die("bind");
    volatile long *received = (volatile long *)memory(PAGE, 0, MAP_SHARED);
    pid_t child = fork();
    if (child == 0) {
        pin(1);
        char *into = memory(SLOT * SLOTS + PAGE, 1, MAP_PRIVATE) + receive_at;
        for (;;)
            if (recv(rx, into + received[0] % SLOTS * SLOT, SLOT, MSG_DONTWAIT) > 0) received[0]++;
    }
    pin(0);
    char *payloads = memory(SLOT * SLOTS, 7, MAP_PRIVATE);
    double times[2][ROUNDS];
    for (int round = 0; round < 2 * ROUNDS; round++) {
        long first = received[0], sent = first;
        double start = seconds(), now;
        do {
            while (sent - received[0] >= IN_FLIGHT);
            (round % 2 ? refer : copy)(tx, payloads + sent % SLOTS * SLOT, bytes);
            sent++;
        } while ((now = seconds()) - start < 0.02);
        times[round % 2][round / 2] = (now - start) / (sent - first) * 1e6;
        while (received[0] < sent && seconds() - now < 1);
        if (received[0] < sent) die("a datagram was lost");
    }
    kill(child, SIGKILL);
    waitpid(child, 0, 0);
    close(rx);
    close(tx);
    for (int way = 0; way < 2; way++) {
        double *t = times[way];
        qsort(t, ROUNDS, sizeof *t, ascending);
        printf("%5d bytes %-12s, buffer at %4d: min %6.2f, p25 %6.2f, median %6.2f, p75 %6.2f us\n", bytes,
               way ? "by reference" : "by a copy", receive_at, t[0], t[ROUNDS / 4], t[ROUNDS / 2], t[ROUNDS * 3 / 4]);
    }
}

int main(void) {
    int ends[2];
    if (pipe(ends)) die("pipe");
    from_kernel = ends[0];
    to_kernel = ends[1];
    for (const int *at = (int[]){0, 4, 12, 16, 28, 64, 2048, 4084, -1}; *at >= 0; at++) movsb(*at);
    for (const int *bytes = (int[]){4096, 16384, 32768, 61440, 0}; *bytes; bytes++) compare(*bytes, 2048);
    compare(61440, 0); /* the payload arrives 12 bytes behind its place in the sender's page */
    return 0;
}
