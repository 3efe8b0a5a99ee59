/*
 * The least that a UDP socket can do: the peer of the network figures. Plain C, so that nobody can say that it is slow
 * for its language.
 *
 *   raw_udp pong  CPU           echoes, busy
 *   raw_udp ping  CPU PORT      each line N on stdin: N turns; answers nanoseconds for each
 *   raw_udp sink  CPU           receives with GRO
 *   raw_udp flood CPU PORT      each line SEGMENT_BYTES COUNT: sends so many segments with GSO
 *
 * pong and sink print their port, then wait for the line "serve"; they serve until a datagram of one byte comes, and
 * answer "BYTES DATAGRAMS NANOSECONDS", counted from the first datagram to the last.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

enum { MESSAGE_BYTES = 64, BATCH_BYTES = 61440, BATCH_SEGMENTS = 64, SOCKET_BUFFER_BYTES = 8 << 20, CREDIT = 24 };

static char buffer[1 << 17];

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
  sched_setaffinity(0, sizeof set, &set); /* a machine with one CPU measures something else, and says so elsewhere */
}

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {0};
  address.sin_family = AF_INET;
  address.sin_port = htons((uint16_t)port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static int open_socket(int *port) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  if (fd < 0) die("socket");
  int bytes = SOCKET_BUFFER_BYTES;
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  struct sockaddr_in address = loopback(0);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) die("bind");
  socklen_t length = sizeof address;
  getsockname(fd, (struct sockaddr *)&address, &length);
  *port = ntohs(address.sin_port);
  return fd;
}

static int next_line(char *line, int bytes) {
  return fgets(line, bytes, stdin) != NULL;
}

static ssize_t receive(int fd, struct sockaddr_in *from, int *segment) {
  char control[CMSG_SPACE(sizeof(int))];
  struct iovec iov = {buffer, sizeof buffer};
  struct msghdr message = {from, sizeof *from, &iov, 1, control, sizeof control, 0};
  ssize_t got = recvmsg(fd, &message, 0);
  if (got < 0) {
    if (errno == EAGAIN) return -1;
    die("recvmsg");
  }
  *segment = (int)got;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c != NULL; c = CMSG_NXTHDR(&message, c))
    if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) memcpy(segment, CMSG_DATA(c), sizeof(int));
  return got;
}

/* Receives until the datagram of one byte; echoes each when asked to, else gives credit now and then. */
static void serve(int fd, int echo) {
  uint64_t bytes = 0, datagrams = 0, first = 0, last = 0;
  for (;;) {
    struct sockaddr_in from;
    int segment;
    ssize_t got = receive(fd, &from, &segment);
    if (got < 0) continue;
    if (got == 1) break;
    last = now();
    if (first == 0) first = last;
    bytes += (uint64_t)got;
    uint64_t count = (uint64_t)((got + segment - 1) / segment);
    datagrams += count;
    if (echo) sendto(fd, buffer, (size_t)got, 0, (struct sockaddr *)&from, sizeof from);
    else sendto(fd, &datagrams, sizeof datagrams, 0, (struct sockaddr *)&from, sizeof from);
  }
  printf("%llu %llu %llu\n", (unsigned long long)bytes, (unsigned long long)datagrams,
         (unsigned long long)(last - first));
}

static void server(int echo) {
  int port;
  int fd = open_socket(&port);
  int on = 1;
  if (!echo && setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on) != 0) fprintf(stderr, "raw_udp: no GRO here\n");
  printf("%d\n", port);
  char line[64];
  while (next_line(line, sizeof line)) {
    printf("ready\n");
    serve(fd, echo);
  }
}

static void say_end(int fd, const struct sockaddr_in *to) {
  sendto(fd, buffer, 1, 0, (const struct sockaddr *)to, sizeof *to);
}

static void ping(int port) {
  int mine;
  int fd = open_socket(&mine);
  struct sockaddr_in to = loopback(port);
  char line[64];
  while (next_line(line, sizeof line)) {
    long turns = atol(line);
    if (turns == 0) {
      say_end(fd, &to);
      printf("ended\n");
      continue;
    }
    uint64_t start = now();
    for (long i = 0; i < turns; i++) {
      sendto(fd, buffer, MESSAGE_BYTES, 0, (struct sockaddr *)&to, sizeof to);
      while (recv(fd, buffer, sizeof buffer, 0) < 0)
        if (errno != EAGAIN && errno != ECONNREFUSED) die("recv");
    }
    printf("%.1f\n", (double)(now() - start) / (double)turns);
  }
}

static void send_batch(int fd, struct sockaddr_in *to, size_t bytes, uint16_t segment) {
  char control[CMSG_SPACE(sizeof segment)] = {0};
  struct iovec iov = {buffer, bytes};
  struct msghdr message = {to, sizeof *to, &iov, 1, control, sizeof control, 0};
  struct cmsghdr *c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = IPPROTO_UDP;
  c->cmsg_type = UDP_SEGMENT;
  c->cmsg_len = CMSG_LEN(sizeof segment);
  memcpy(CMSG_DATA(c), &segment, sizeof segment);
  while (sendmsg(fd, &message, 0) < 0)
    if (errno != EAGAIN && errno != ENOBUFS) die("sendmsg with UDP_SEGMENT");
}

/* So many segments, at most CREDIT batches ahead of what the other side has told to have received. */
static void flood(int port) {
  int mine;
  int fd = open_socket(&mine);
  struct sockaddr_in to = loopback(port);
  char line[64];
  while (next_line(line, sizeof line)) {
    int segment = 0;
    long long wanted = 0;
    if (sscanf(line, "%d %lld", &segment, &wanted) != 2 || segment <= 0) {
      say_end(fd, &to);
      printf("ended\n");
      continue;
    }
    long per_batch = BATCH_BYTES / segment < BATCH_SEGMENTS ? BATCH_BYTES / segment : BATCH_SEGMENTS;
    uint64_t sent = 0, arrived = 0, heard = now();
    while (recv(fd, &arrived, sizeof arrived, 0) > 0) {
    }
    arrived = 0;
    while ((long long)sent < wanted) {
      while (recv(fd, &arrived, sizeof arrived, 0) > 0) heard = now();
      if (sent - arrived > (uint64_t)(CREDIT * per_batch) && now() - heard < 2000000) continue;
      if (now() - heard >= 2000000) { /* credit was lost with a datagram: go on from here */
        heard = now();
        arrived = sent;
      }
      send_batch(fd, &to, (size_t)(per_batch * segment), (uint16_t)segment);
      sent += (uint64_t)per_batch;
    }
    usleep(2000);
    say_end(fd, &to);
    printf("%llu\n", (unsigned long long)sent);
  }
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc < 3) {
    fprintf(stderr, "usage: raw_udp pong|sink CPU, raw_udp ping|flood CPU PORT\n");
    return 2;
  }
  pin(atoi(argv[2]));
  if (strcmp(argv[1], "pong") == 0) server(1);
  else if (strcmp(argv[1], "sink") == 0) server(0);
  else if (strcmp(argv[1], "ping") == 0 && argc > 3) ping(atoi(argv[3]));
  else if (strcmp(argv[1], "flood") == 0 && argc > 3) flood(atoi(argv[3]));
  else return 2;
  return 0;
}
