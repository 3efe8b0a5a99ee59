package io.urma4j.tools.perftest;

import io.urma4j.Opcode;
import io.urma4j.TransportMode;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.perftest.Workload.Kind;

/** Rejects options that exclude each other, before anything starts. Each message names both. */
final class Clashes {
    private static final int MAX_LANES = 4096;
    private static final int MAX_DEPTH = 1 << 20;
    private static final long MOST_PAGE_BYTES = 1L << 30;
    private static final int MAX_SGES = 16;

    private final Settings settings;
    private final Workload workload;

    private Clashes(Settings settings) {
        this.settings = settings;
        this.workload = settings.workload();
    }

    /** Throws for the first two that clash, and for values that no device has. */
    static void check(Settings settings) {
        checkOffered(settings);
        Clashes clashes = new Clashes(settings);
        clashes.ranges();
        clashes.modes();
        clashes.sizes();
        clashes.lengthOfTheRun();
        clashes.kindsOfOperation();
        clashes.queues();
        clashes.latencyOrBandwidth();
        clashes.rate();
        clashes.waiting();
        clashes.goingOn();
        clashes.sharedJfs();
        clashes.singleCalls();
        clashes.pages();
        clashes.deviceMemory();
    }

    /** Throws for an option that URMA's own tool has and that can mean nothing here, whatever the test. */
    static void checkOffered(Settings settings) {
        refuse(
                settings,
                "--jfc_inline",
                "a completion record has no room for a payload: what arrives is placed in the receive's buffer");
        refuse(
                settings,
                "--priority",
                "queues have no priorities: a device serves all of them in turn; see --order_type for order");
    }

    private static void refuse(Settings settings, String option, String reason) {
        if (settings.isGiven(option)) {
            throw new CommandFailure(option + " is not offered: " + reason);
        }
    }

    private void ranges() {
        range("--jettys", settings.jetties(), 1, MAX_LANES);
        range("--pair_num", settings.pairs(), 1, MAX_LANES);
        range("--pair_num times --jettys", (long) settings.pairs() * settings.jetties(), 1, MAX_LANES);
        range("--sge_num", settings.sges(), 1, MAX_SGES);
        range("--jfs_depth", settings.jfsDepth(), 1, MAX_DEPTH);
        range("--jfr_depth", settings.jfrDepth(), 1, MAX_DEPTH);
        range("--jfs_post_list", settings.jfsPostList(), 1, 1 << 16);
        range("--jfr_post_list", settings.jfrPostList(), 1, 1 << 16);
        range("--cq_mod", settings.signalEvery(1), 1, 1 << 20);
        range("--burst_size", settings.burst(), 1, 1 << 20);
        range("--iters", settings.iterations(1), 5, Long.MAX_VALUE);
        range("--size", settings.sizeBytes(), 1, Integer.MAX_VALUE);
        range("--min_size", settings.minSizeBytes(), 1, Integer.MAX_VALUE);
        range("--max_size", settings.maxSizeBytes(), 1, Integer.MAX_VALUE);
        rangeWhereGiven("--err_timeout", 8, 31);
        rangeWhereGiven("--duration", 1, Integer.MAX_VALUE);
        rangeWhereGiven("--infinite", 1, Integer.MAX_VALUE);
        rangeWhereGiven("--warm_up", 0, Long.MAX_VALUE);
        rangeWhereGiven("--inline_size", 0, Integer.MAX_VALUE);
        rangeWhereGiven("--wait_jfc_timeout", 1, Integer.MAX_VALUE); // an endless wait would never check the peer
    }

    private void rangeWhereGiven(String option, long least, long most) {
        if (settings.isGiven(option)) {
            range(option, settings.number(option, least), least, most);
        }
    }

    private static void range(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new CommandFailure(option + " is " + value + ", must be "
                    + (most == Long.MAX_VALUE ? "at least " + least : least + " to " + most));
        }
    }

    private void modes() {
        TransportMode mode = settings.mode();
        if (mode == TransportMode.UM && workload.kind() != Kind.SEND) {
            throw clash("--trans_mode UM", workload.word(), "datagrams are messages only");
        }
        if (mode == TransportMode.RC && settings.isSimplex()) {
            throw clash("--trans_mode RC", "--simplex_mode", "mode RC has Jetties only");
        }
        if (!settings.orderType().isLegalFor(mode)) {
            throw clash(
                    "--order_type " + settings.orderType(),
                    "--trans_mode " + mode,
                    "mode " + mode + " does not have it");
        }
    }

    private void sizes() {
        exclude("--size", "--all", "all sizes or one");
        need("--min_size", "--all");
        need("--max_size", "--all");
        if (settings.isAll() && settings.minSizeBytes() > settings.maxSizeBytes()) {
            throw clash(
                    "--min_size " + settings.minSizeBytes(),
                    "--max_size " + settings.maxSizeBytes(),
                    "the minimum exceeds the maximum");
        }
        if (workload.kind() == Kind.ATOMIC) {
            for (String option : new String[] {"--size", "--min_size", "--max_size"}) {
                long value = Long.parseLong(settings.given().getOrDefault(option, "8"));
                if (value != 4 && value != 8) {
                    throw clash(option + " " + value, workload.word(), "atomics have 4 or 8 bytes");
                }
            }
        }
        if (settings.sges() > settings.firstSizeBytes()) {
            throw clash("--sge_num " + settings.sges(), "--size", "each range needs a byte");
        }
    }

    private void lengthOfTheRun() {
        exclude("--iters", "--duration", "a count or a time");
        exclude("--iters", "--infinite", "a count, or without end");
        exclude("--infinite", "--all", "the first size would never end");
        if (settings.isGiven("--duration")
                && settings.isGiven("--infinite")
                && settings.duration() != null
                && settings.period() != null
                && settings.duration().compareTo(settings.period()) < 0) {
            throw clash("--duration", "--infinite", "the period is longer than the whole");
        }
    }

    private void kindsOfOperation() {
        Kind kind = workload.kind();
        boolean moves = kind == Kind.WRITE || kind == Kind.SEND;
        exclude("--enable_imm", "--enable_notify", "an operation has one or the other");
        onlyIn("--enable_imm", moves, "only writes and sends have immediates");
        onlyIn("--enable_notify", kind == Kind.WRITE, "only writes can notify");
        onlyIn("--atomic_type", kind == Kind.ATOMIC, "it is no atomic");
        onlyIn("--inline_size", moves, "its result needs a local range");
        onlyIn("--sge_num", kind != Kind.ATOMIC, "atomics have one local range");
        exclude("--sge_num", "--inline_size", "a request has ranges or an inline payload");
        onlyIn("--jfr_depth", settings.receives(), "nothing is received");
        onlyIn("--jfr_post_list", settings.receives(), "nothing is received");
        onlyIn("--share_jfr", settings.receives(), "nothing is received");
        onlyIn("--enable_credit", workload == Workload.SEND_BW, "credit paces messages");
        if (settings.hasCredit() && settings.mode() == TransportMode.UM) {
            throw clash("--enable_credit", "--trans_mode UM", "lost messages would be awaited forever");
        }
    }

    private void queues() {
        fits("--jfs_post_list", settings.jfsPostList(), "--jfs_depth", settings.jfsDepth());
        fits("--cq_mod", settings.signalEvery(1), "--jfs_depth", settings.jfsDepth());
        fits("--jfr_post_list", settings.jfrPostList(), "--jfr_depth", settings.jfrDepth());
        range("--jfc_depth", settings.isGiven("--jfc_depth") ? settings.jfcDepth() : 1, 1, Integer.MAX_VALUE);
        if (settings.leastJfcDepth() > Integer.MAX_VALUE) {
            throw clash(
                    "--jettys " + settings.jetties(),
                    "--jfs_depth " + settings.jfsDepth(),
                    "all queues together may need " + settings.leastJfcDepth() + " records");
        }
        if (settings.jfcDepth() < settings.leastJfcDepth()) {
            throw clash(
                    "--jfc_depth " + settings.jfcDepth(),
                    "--jfs_depth " + settings.jfsDepth(),
                    "all queues together may need " + settings.leastJfcDepth() + " records");
        }
        if (settings.sharesJfr() && settings.hasCredit()) {
            throw clash("--share_jfr", "--enable_credit", "a shared receive cannot be credited to one sender");
        }
    }

    private void sharedJfs() {
        if (!settings.sharesJfs()) {
            return;
        }
        if (!settings.isSimplex()) {
            throw new CommandFailure("--share_jfs means nothing without --simplex_mode: a Jetty has a JFS of its own");
        }
        if (settings.lanes() == 1) {
            throw new CommandFailure(
                    "--share_jfs means nothing without --jettys or --pair_num: a single sender shares with no other");
        }
        exclude("--share_jfs", "--enable_err_continue", "one failure ends the shared JFS of all");
        long depth = (long) settings.lanes() * settings.laneDepth();
        range("the depth of the JFS that " + settings.lanes() + " Jetties share", depth, 1, MAX_DEPTH);
    }

    private void singleCalls() {
        if (!settings.postsSinglyOnly()) {
            return;
        }
        exclude("--use_flat_api", "--jfs_post_list", "a single call posts one");
        exclude("--use_flat_api", "--sge_num", "a single call has one local range");
        exclude("--use_flat_api", "--inline_size", "only a list has inline payloads");
        for (Opcode opcode : Operations.needed(settings)) {
            if (!Operations.hasSingleCall(opcode)) {
                boolean chosen = opcode == Opcode.WRITE_NOTIFY && !settings.hasNotify();
                String test = !chosen
                        ? workload.word()
                        : workload + (settings.usesDeviceMemory() ? " in device memory" : " of more than a word");
                throw clash("--use_flat_api", test, "no single call posts a " + opcode);
            }
        }
    }

    private void pages() {
        power("--page_size", settings.pageBytes(), Layout.LEAST_PAGE_BYTES);
        if (settings.isGiven("--hugepage_size")) {
            power("--hugepage_size", settings.hugePageBytes(), Layout.LEAST_PAGE_BYTES);
        }
    }

    private void deviceMemory() {
        if (!settings.usesDeviceMemory()) {
            return;
        }
        for (String option : new String[] {"--hugepages", "--hugepage_size"}) {
            if (settings.isGiven(option)) {
                throw clash(option, "--memory", "a device has pages of its own");
            }
        }
        if (settings.isGiven("--inline_size")) {
            throw clash("--inline_size", "--memory", "an inline payload is memory of the host");
        }
    }

    private static void power(String option, long value, long least) {
        range(option, value, least, MOST_PAGE_BYTES);
        if (Long.bitCount(value) != 1) {
            throw new CommandFailure(option + " is " + value + ", must be a power of two");
        }
    }

    private void goingOn() {
        need("--enable_err_continue", "--no-verify"); // what has failed has not arrived
        exclude("--enable_err_continue", "--enable_credit", "lost credit would never return");
        if (settings.continuesAfterErrors() && settings.mode() == TransportMode.RC) {
            throw clash("--enable_err_continue", "--trans_mode RC", "a failed RC Jetty must be bound again");
        }
    }

    private void fits(String small, long smallValue, String large, long largeValue) {
        if (smallValue > largeValue) {
            throw clash(small + " " + smallValue, large + " " + largeValue, "it does not fit");
        }
    }

    private void latencyOrBandwidth() {
        boolean bandwidth = !workload.isLatency();
        String reason = "latency is that of one operation at a time";
        for (String option : new String[] {
            "--jettys",
            "--pair_num",
            "--share_jfs",
            "--jfs_post_list",
            "--cq_mod",
            "--bidirection",
            "--infinite",
            "--no_peak",
            "--burst_size",
            "--enable_err_continue"
        }) {
            onlyIn(option, bandwidth, reason);
        }
        if (settings.isBidirectional() && settings.period() != null) {
            throw clash("--bidirection", "--infinite", "the sum is known only at the end");
        }
    }

    private void rate() {
        need("--rate_units", "--rate_limit");
        need("--burst_size", "--rate_limit");
        if (settings.hasRate() && !(settings.rate(1) > 0)) {
            throw new CommandFailure("--rate_limit must be more than 0");
        }
    }

    private void waiting() {
        need("--wait_jfc_timeout", "--use_jfce");
        boolean silent = workload == Workload.WRITE_LAT && !settings.hasImmediate();
        if (settings.usesEvents() && silent) {
            throw clash("--use_jfce", workload.word(), "a write raises no event where it lands; see --enable_imm");
        }
    }

    private void exclude(String first, String second, String reason) {
        if (settings.isGiven(first) && settings.isGiven(second)) {
            throw clash(first, second, reason);
        }
    }

    private void need(String option, String needed) {
        if (settings.isGiven(option) && !settings.isGiven(needed)) {
            throw new CommandFailure(option + " means nothing without " + needed);
        }
    }

    private void onlyIn(String option, boolean fits, String reason) {
        if (settings.isGiven(option) && !fits) {
            throw clash(option, workload.word(), reason);
        }
    }

    private static CommandFailure clash(String first, String second, String reason) {
        return new CommandFailure(first + " and " + second + " clash: " + reason);
    }
}
