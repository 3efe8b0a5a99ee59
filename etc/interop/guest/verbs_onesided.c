// Linux's end of one-sided operations; ours is OneSided.java in the tests of urma-tools, and both speak the same lines.
//
//   verbs_onesided [-i] [-g GID] [-m MTU] [-p PORT] [-t TIMEOUT] HOST        -i: this end initiates
//
// Both ends have memory that the other may read, write and count in. One initiates: WRITE, READ, atomics, messages. The
// other, its home, is told by TCP what must have come, looks into its memory, and answers. A line, an answer:
//
//   check OFFSET LENGTH SEED             the range holds the pattern, its surroundings nothing; it is blank again
//   fill OFFSET LENGTH SEED              puts the pattern there, for READs
//   blank                                all of it is as at the beginning
//   set OFFSET VALUE, word OFFSET        a word of 64 bits
//   message KIND LENGTH VALUE SEED       send, immediate, written or invalidated: the next message that has come
//   window OFFSET LENGTH                 opens a window for one SEND with invalidate
//   export LENGTH                        leases a buffer, and exports that many bytes to this queue: 3FS's layout, in hex
//   lease LENGTH SEED                    the exported bytes hold the pattern, the rest of the lease nothing
//   release                              ends the lease, and the export with it
//   again                                both take a new queue: the old one has failed, as it should
//   end
//
// Ends with 0 when all was right; else says what was not.
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	MIB = 1 << 20,
	MEMORY = MIB + (64 << 10),      // what the peer may use
	DATA = 4096,                    // where ranges begin; words are before
	SURROUNDINGS = 64,              // looked at on either side of a range
	INBOX = 16, INBOX_BYTES = 16 << 10,
	DEPTH = 64, READS = 16,         // in flight
	PATIENCE = 30                   // seconds, for anything
};
static const unsigned char BLANK = 0xEE;
static const int REMOTE = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ
	| IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND;

struct peer { uint32_t qpn, psn, key; uint64_t va, length; union ibv_gid gid; };

static int gid_index = 1, mtu = 1024, timeout = 18;
static FILE *in, *out;
static struct ibv_context *device;
static struct ibv_pd *pd;
static struct ibv_cq *sends, *receives;
static struct ibv_qp *qp;
static struct ibv_mr *memory, *scratch, *inbox;
static unsigned char *home, *local, *letters;
static struct peer remote;
static const char *doing = "starting";

static void fail(const char *format, ...) {
	va_list args;
	va_start(args, format);
	fprintf(stderr, "verbs_onesided: %s: ", doing);
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	exit(1);
}

static void must(int good, const char *what) { if (!good) fail("%s: %s", what, strerror(errno)); }

// ---- lines

static void tell(const char *format, ...) {
	va_list args;
	va_start(args, format);
	vfprintf(out, format, args);
	fputc('\n', out);
	must(fflush(out) == 0, "the peer went");
}

static char *hear(void) {
	static char line[512];
	if (!fgets(line, sizeof line, in)) fail("the peer went, or said nothing for long");
	line[strcspn(line, "\r\n")] = 0;
	return line;
}

#define ASK(...) do { tell(__VA_ARGS__); char *said = hear(); if (strcmp(said, "ok")) fail("the peer says: %s", said); } while (0)

// ---- bytes

static unsigned char pattern(uint64_t at, unsigned seed) { return (unsigned char)(at * 31 + (at >> 8) * 17 + seed); }

static void fill(unsigned char *at, uint64_t length, unsigned seed) {
	for (uint64_t i = 0; i < length; i++) at[i] = pattern(i, seed);
}

// Null when the range is right; else where it is not. Blanks it.
static const char *look(unsigned char *base, uint64_t offset, uint64_t length, unsigned seed) {
	static char why[96];
	const char *wrong = 0;
	for (int64_t i = -SURROUNDINGS; i < (int64_t)(length + SURROUNDINGS) && !wrong; i++) {
		unsigned char wanted = i < 0 || i >= (int64_t)length ? BLANK : pattern(i, seed), is = base[offset + i];
		if (is != wanted) {
			snprintf(why, sizeof why, "byte %" PRId64 " of %" PRIu64 " is 0x%02x, not 0x%02x", i, length, is, wanted);
			wrong = why;
		}
	}
	memset(base + offset - SURROUNDINGS, BLANK, length + 2 * SURROUNDINGS);
	return wrong;
}

// ---- the queue

static void post_receive(int slot) {
	struct ibv_sge range = { (uintptr_t)letters + slot * INBOX_BYTES, INBOX_BYTES, inbox->lkey };
	struct ibv_recv_wr request = { .wr_id = slot, .sg_list = &range, .num_sge = 1 }, *bad;
	must(!ibv_post_recv(qp, &request, &bad), "ibv_post_recv");
}

static struct ibv_wc next(struct ibv_cq *cq, const char *what) {
	struct ibv_wc wc;
	time_t end = time(0) + PATIENCE;
	int n;
	while ((n = ibv_poll_cq(cq, 1, &wc)) == 0) {
		if (time(0) > end) fail("no %s within %d s", what, PATIENCE);
		sched_yield();
	}
	must(n > 0, "ibv_poll_cq");
	return wc;
}

static enum ibv_mtu mtu_number(void) {
	for (int n = 1; n <= 5; n++) if (mtu == 128 << n) return n;
	fail("no MTU of %d", mtu);
	return 0;
}

static void new_queue(void) {
	if (qp) { ibv_destroy_qp(qp); ibv_destroy_cq(sends); ibv_destroy_cq(receives); }
	must((sends = ibv_create_cq(device, 2 * DEPTH, 0, 0, 0)) && (receives = ibv_create_cq(device, DEPTH, 0, 0, 0)), "ibv_create_cq");
	struct ibv_qp_init_attr made = { .send_cq = sends, .recv_cq = receives, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = INBOX, .max_send_sge = 1, .max_recv_sge = 1 } };
	must((qp = ibv_create_qp(pd, &made)) != 0, "ibv_create_qp");
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = REMOTE & ~IBV_ACCESS_MW_BIND };
	must(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "to INIT");
	for (int i = 0; i < INBOX; i++) post_receive(i);

	uint32_t psn = (0xfffff0 + qp->qp_num * 7) & 0xffffff; // the numbers wrap on their way
	union ibv_gid gid;
	must(!ibv_query_gid(device, 1, gid_index, &gid), "ibv_query_gid");
	tell("queue %x %x %016" PRIx64 "%016" PRIx64 " %x %" PRIx64 " %x", qp->qp_num, psn, be64toh(gid.global.subnet_prefix),
		be64toh(gid.global.interface_id), memory->rkey, (uint64_t)(uintptr_t)home, MEMORY);
	uint64_t high, low;
	char *said = hear();
	if (sscanf(said, "queue %x %x %16" SCNx64 "%16" SCNx64 " %x %" SCNx64 " %" SCNx64, &remote.qpn, &remote.psn, &high, &low, &remote.key,
		&remote.va, &remote.length) != 7) fail("no address: %s", said);
	remote.gid.global.subnet_prefix = htobe64(high);
	remote.gid.global.interface_id = htobe64(low);

	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR, .path_mtu = mtu_number(), .dest_qp_num = remote.qpn, .rq_psn = remote.psn,
		.max_dest_rd_atomic = READS, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .dgid = remote.gid, .sgid_index = gid_index, .hop_limit = 64 } } };
	must(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
		| IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER), "to RTR");
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = psn, .timeout = timeout, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = READS };
	must(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY
		| IBV_QP_MAX_QP_RD_ATOMIC), "to RTS");
	tell("ready");
	if (strcmp(said = hear(), "ready")) fail("the peer is not ready: %s", said);
}

// ---- initiating

// A request on the peer's memory and scratch; to be posted.
static struct ibv_send_wr request(enum ibv_wr_opcode opcode, struct ibv_sge *range, uint64_t from, uint32_t length, uint64_t to) {
	*range = (struct ibv_sge){ (uintptr_t)local + from, length, scratch->lkey };
	struct ibv_send_wr wr = { .opcode = opcode, .sg_list = range, .num_sge = length ? 1 : 0, .send_flags = IBV_SEND_SIGNALED };
	wr.wr.rdma.remote_addr = remote.va + to;
	wr.wr.rdma.rkey = remote.key;
	return wr;
}

static void post(struct ibv_send_wr wr) {
	struct ibv_send_wr *bad;
	must(!ibv_post_send(qp, &wr, &bad), "ibv_post_send");
}

static void ended(int count, enum ibv_wc_status wanted) {
	while (count-- > 0) {
		struct ibv_wc wc = next(sends, "completion");
		if (wc.status != wanted) fail("ended with '%s', not '%s'", ibv_wc_status_str(wc.status), ibv_wc_status_str(wanted));
	}
}

static void writes_and_reads(const uint32_t *sizes, int count) {
	struct ibv_sge range;
	for (int i = 0; i < count; i++) {
		uint64_t at = DATA + SURROUNDINGS + i * 3; // no alignment is required
		doing = "WRITE";
		fill(local + at, sizes[i], i);
		post(request(IBV_WR_RDMA_WRITE, &range, at, sizes[i], at + 1));
		ended(1, IBV_WC_SUCCESS);
		ASK("check %" PRIu64 " %u %d", at + 1, sizes[i], i);
		doing = "READ";
		ASK("fill %" PRIu64 " %u %d", at + 1, sizes[i], i + 100);
		memset(local, BLANK, MEMORY);
		post(request(IBV_WR_RDMA_READ, &range, at, sizes[i], at + 1));
		ended(1, IBV_WC_SUCCESS);
		const char *wrong = look(local, at, sizes[i], i + 100);
		if (wrong) fail("%s", wrong);
		ASK("check %" PRIu64 " %u %d", at + 1, sizes[i], i + 100);
	}
	doing = "READ behind WRITE";
	for (int i = 0; i < READS; i++) fill(local + DATA + i * 4096, 100 + i * 200, i);
	for (int i = 0; i < READS; i++) {
		// apart from each other, since only a fence keeps a WRITE behind a READ: with one, and a packet lost, rdma_rxe of
		// Linux 6.1 was seen to fall silent for ever
		post(request(IBV_WR_RDMA_WRITE, &range, DATA + i * 4096, 100 + i * 200, DATA + i * 4096));
		post(request(IBV_WR_RDMA_READ, &range, DATA + (READS + i) * 4096, 100 + i * 200, DATA + i * 4096));
	}
	ended(2 * READS, IBV_WC_SUCCESS);
	for (int i = 0; i < READS; i++) {
		if (memcmp(local + DATA + i * 4096, local + DATA + (READS + i) * 4096, 100 + i * 200)) fail("number %d read other bytes", i);
	}
	ASK("blank");
}

static void messages(void) {
	static const uint32_t values[] = { 0, 1, 0x01020304, 0xcafebabe, 0xffffffff };
	const uint32_t sizes[] = { 5, mtu, mtu + 1, 2 * mtu + 6, 64 };
	struct ibv_sge range;
	for (int i = 0; i < 5; i++) {
		uint64_t at = DATA + SURROUNDINGS + i;
		fill(local + at, sizes[i], i);
		doing = "SEND";
		post(request(IBV_WR_SEND, &range, at, sizes[i], 0));
		ended(1, IBV_WC_SUCCESS);
		ASK("message send %u 0 %d", sizes[i], i);
		doing = "SEND with immediate";
		struct ibv_send_wr wr = request(IBV_WR_SEND_WITH_IMM, &range, at, sizes[i], 0);
		wr.imm_data = htonl(values[i]);
		post(wr);
		ended(1, IBV_WC_SUCCESS);
		ASK("message immediate %u %u %d", sizes[i], values[i], i);
		doing = "WRITE with immediate";
		wr = request(IBV_WR_RDMA_WRITE_WITH_IMM, &range, at, sizes[i], at);
		wr.imm_data = htonl(values[i]);
		post(wr);
		ended(1, IBV_WC_SUCCESS);
		ASK("message written %u %u 0", sizes[i], values[i]);
		ASK("check %" PRIu64 " %u %d", at, sizes[i], i);
	}
}

static uint64_t scatter(uint64_t i) { return (i + 1) * 0x9E3779B97F4A7C15u; }

static void atomics(void) {
	struct ibv_sge range;
	uint64_t word = 0xfffffffffffffff0u, before[READS], *got = (uint64_t *)local;
	doing = "atomics";
	ASK("set 8 %" PRIx64, word);
	for (int i = 0; i < 20 * READS; i++) {
		struct ibv_send_wr wr = request(IBV_WR_ATOMIC_FETCH_AND_ADD, &range, i % READS * 8, 8, 0);
		wr.wr.atomic.remote_addr = remote.va + 8;
		wr.wr.atomic.rkey = remote.key;
		before[i % READS] = word;
		if (i % 2) { // every third comparison misses
			int hits = i % 3 != 0;
			wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
			wr.wr.atomic.compare_add = hits ? word : ~word;
			wr.wr.atomic.swap = scatter(i);
			if (hits) word = scatter(i);
		} else {
			wr.wr.atomic.compare_add = scatter(i);
			word += scatter(i);
		}
		post(wr);
		if (i % READS == READS - 1) {
			ended(READS, IBV_WC_SUCCESS);
			for (int j = 0; j < READS; j++) {
				if (got[j] != before[j]) fail("number %d gave 0x%" PRIx64 ", not 0x%" PRIx64, i - READS + 1 + j, got[j], before[j]);
			}
		}
	}
	ASK("word 8 %" PRIx64, word);
}

// Memory as 3FS describes it, for the first device: replaces what is known of the peer's memory.
static void export(uint32_t length) {
	unsigned char form[25];
	uint32_t device;
	tell("export %u", length);
	char *said = hear(), *hex = said + strlen("exported ");
	if (strncmp(said, "exported ", strlen("exported ")) || strlen(hex) != 2 * sizeof form) fail("no export: %s", said);
	for (size_t i = 0; i < sizeof form; i++) must(sscanf(hex + 2 * i, "%2hhx", form + i) == 1, "hexadecimal");
	memcpy(&remote.va, form, 8);
	memcpy(&remote.length, form + 8, 8);
	memcpy(&remote.key, form + 17, 4);
	memcpy(&device, form + 21, 4);
	if (remote.length != length || form[16] != 1 || device != 0) fail("another export: %s", said);
}

static void exports(void) {
	struct ibv_sge range;
	const uint32_t length = 5000;
	doing = "WRITE and READ of an export";
	export(length);
	fill(local + DATA, length, 3);
	post(request(IBV_WR_RDMA_WRITE, &range, DATA, length, 0));
	ended(1, IBV_WC_SUCCESS);
	ASK("lease %u 3", length);
	memset(local, BLANK, MEMORY);
	post(request(IBV_WR_RDMA_READ, &range, DATA, length, 0));
	ended(1, IBV_WC_SUCCESS);
	const char *wrong = look(local, DATA, length, 3);
	if (wrong) fail("%s", wrong);
	doing = "WRITE of one byte beyond an export";
	post(request(IBV_WR_RDMA_WRITE, &range, DATA, length, 1));
	ended(1, IBV_WC_REM_ACCESS_ERR);
	ASK("lease %u 3", length);
	tell("again");
	new_queue();
	doing = "WRITE into an export whose lease is over";
	export(length);
	ASK("release");
	post(request(IBV_WR_RDMA_WRITE, &range, DATA, length, 0));
	ended(1, IBV_WC_REM_ACCESS_ERR);
	tell("again");
	new_queue();
}

static void refusals(void) {
	struct ibv_sge range;
	doing = "WRITE beyond the end";
	post(request(IBV_WR_RDMA_WRITE, &range, 0, 128, remote.length - 64));
	ended(1, IBV_WC_REM_ACCESS_ERR);
	ASK("check %" PRIu64 " 0 0", remote.length - SURROUNDINGS);
	tell("again");
	new_queue();
	doing = "SEND with invalidate of what was not imported";
	struct ibv_send_wr wr = request(IBV_WR_SEND_WITH_INV, &range, 0, 16, 0);
	wr.invalidate_rkey = remote.key;
	post(wr);
	ended(1, IBV_WC_REM_ACCESS_ERR);
}

static void initiate(void) {
	const uint32_t sizes[] = { 0, 1, 8, mtu - 1, mtu, mtu + 1, 5000, 64 << 10, MIB };
	writes_and_reads(sizes, sizeof sizes / sizeof *sizes);
	messages();
	atomics();
	exports();
	refusals();
	tell("end");
}

// ---- being the home

static const char *message(const char *kind, uint32_t length, uint32_t value, unsigned seed) {
	static char why[160];
	struct ibv_wc wc = next(receives, "message");
	if (wc.status != IBV_WC_SUCCESS) return ibv_wc_status_str(wc.status);
	int writes = !strcmp(kind, "written"), plain = !strcmp(kind, "send"), invalidates = !strcmp(kind, "invalidated");
	// rdma_rxe of Linux 6.1 tells an invalidated key with the kernel's bit, which verbs have for checksums
	unsigned told_key = IBV_WC_WITH_INV | IBV_WC_IP_CSUM_OK;
	unsigned flags = plain ? 0 : invalidates ? wc.wc_flags & told_key : IBV_WC_WITH_IMM;
	enum ibv_wc_opcode opcode = writes ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	uint32_t told = plain ? 0 : invalidates ? wc.invalidated_rkey : ntohl(wc.imm_data);
	const char *wrong = 0;
	if (wc.opcode != opcode || (invalidates && !flags)
		|| (wc.wc_flags & (told_key | IBV_WC_WITH_IMM)) != flags
		|| wc.byte_len != length || told != value) {
		snprintf(why, sizeof why, "wanted %s of %u bytes with 0x%x; opcode %d, flags %u, %u bytes, 0x%x came", kind, length,
			value, wc.opcode, wc.wc_flags, wc.byte_len, told);
		wrong = why;
	}
	unsigned char *letter = letters + wc.wr_id * INBOX_BYTES;
	for (uint32_t i = 0; !writes && !wrong && i < length; i++) {
		if (letter[i] != pattern(i, seed)) wrong = "other bytes came in the message";
	}
	post_receive(wc.wr_id);
	return wrong;
}

static uint32_t window(uint64_t offset, uint64_t length) {
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	must(mw != 0, "ibv_alloc_mw");
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){ memory, (uintptr_t)home + offset, length, IBV_ACCESS_REMOTE_WRITE };
	post(wr);
	ended(1, IBV_WC_SUCCESS);
	return wr.bind_mw.rkey;
}

static int obey(char *line) {
	char kind[32];
	uint64_t offset, length, value;
	unsigned seed;
	const char *wrong = 0;
	doing = line;
	if (sscanf(line, "check %" SCNu64 " %" SCNu64 " %u", &offset, &length, &seed) == 3) {
		wrong = look(home, offset, length, seed);
	} else if (sscanf(line, "fill %" SCNu64 " %" SCNu64 " %u", &offset, &length, &seed) == 3) {
		fill(home + offset, length, seed);
	} else if (sscanf(line, "set %" SCNu64 " %" SCNx64, &offset, &value) == 2) {
		memcpy(home + offset, &value, 8);
	} else if (sscanf(line, "word %" SCNu64 " %" SCNx64, &offset, &value) == 2) {
		uint64_t is;
		memcpy(&is, home + offset, 8);
		if (is != value) wrong = "the word has another value";
	} else if (sscanf(line, "message %31s %" SCNu64 " %" SCNu64 " %u", kind, &length, &value, &seed) == 4) {
		wrong = message(kind, length, value, seed);
	} else if (sscanf(line, "window %" SCNu64 " %" SCNu64, &offset, &length) == 2) {
		tell("key %x", window(offset, length));
		return 1;
	} else if (!strcmp(line, "blank")) {
		memset(home, BLANK, MEMORY);
	} else if (!strcmp(line, "again")) {
		new_queue();
		return 1;
	} else {
		if (strcmp(line, "end")) fail("the peer wants something unknown");
		return 0;
	}
	if (wrong) fprintf(stderr, "verbs_onesided: %s: %s\n", line, wrong);
	tell("%s", wrong ? wrong : "ok");
	return 1;
}

// ---- set-up

static struct ibv_mr *region(unsigned char **at, size_t length, int access) {
	must((*at = aligned_alloc(4096, length)) != 0, "aligned_alloc");
	memset(*at, BLANK, length);
	struct ibv_mr *mr = ibv_reg_mr(pd, *at, length, access);
	must(mr != 0, "ibv_reg_mr");
	return mr;
}

static void call(const char *host, int port) {
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	must(inet_pton(AF_INET, host, &to.sin_addr) == 1, "not an IPv4 address");
	time_t end = time(0) + PATIENCE;
	int s = socket(AF_INET, SOCK_STREAM, 0);
	while (connect(s, (struct sockaddr *)&to, sizeof to)) {
		must(time(0) < end, "no peer listens");
		close(s);
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, 0); // the other end is a JVM that starts
		s = socket(AF_INET, SOCK_STREAM, 0);
	}
	struct timeval patience = { .tv_sec = 2 * PATIENCE };
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	must((in = fdopen(s, "r")) && (out = fdopen(dup(s), "w")), "fdopen");
}

int main(int argc, char **argv) {
	int option, initiates = 0, port = 18600;
	while ((option = getopt(argc, argv, "ig:m:p:t:")) != -1) {
		switch (option) {
		case 'i': initiates = 1; break;
		case 'g': gid_index = atoi(optarg); break;
		case 'm': mtu = atoi(optarg); break;
		case 'p': port = atoi(optarg); break;
		case 't': timeout = atoi(optarg); break;
		default: return 2;
		}
	}
	if (optind + 1 != argc) return 2;
	call(argv[optind], port);
	struct ibv_device **devices = ibv_get_device_list(0);
	must(devices && devices[0] && (device = ibv_open_device(devices[0])), "no device");
	must((pd = ibv_alloc_pd(device)) != 0, "ibv_alloc_pd");
	memory = region(&home, MEMORY, REMOTE);
	scratch = region(&local, MEMORY, IBV_ACCESS_LOCAL_WRITE);
	inbox = region(&letters, INBOX * INBOX_BYTES, IBV_ACCESS_LOCAL_WRITE);
	new_queue();
	if (initiates) initiate();
	else while (obey(hear())) ;
	return 0;
}
