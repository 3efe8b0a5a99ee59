package io.urma4j.bench;

import com.sun.management.ThreadMXBean;
import io.urma4j.bench.Limit.AtMost;
import io.urma4j.tools.CompilerThreads;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;

/** Bytes that a thread allocates on the Java heap per operation, each with its poll: none. */
final class AllocationSuite {
    private static final int WINDOWS = 3;
    private static final int WARM_UPS = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Numbers.Run run;
    private final String device;
    private final String prefix;
    private final int operations;

    /**
     * For a device.
     *
     * @param prefix what the names of its figures begin with
     * @param operations of each window; as many go before
     */
    AllocationSuite(Numbers.Run run, String device, String prefix, int operations) {
        this.run = run;
        this.device = device;
        this.prefix = prefix;
        this.operations = operations;
    }

    /** Operations that a thread does one after the other. */
    @FunctionalInterface
    private interface Step {
        void run(long number);
    }

    void measure() throws Exception {
        if (!run.wantsSomeOf(prefix + "bytes-")) {
            return;
        }
        for (boolean lockFree : new boolean[] {true, false}) {
            try (LocalPair pair = new LocalPair(device, lockFree, 1 << 16)) {
                Pinned.run(0, () -> measure(pair, lockFree));
            }
        }
    }

    private void measure(LocalPair pair, boolean lockFree) throws InterruptedException {
        String suffix = lockFree ? "" : "-locked";
        String how = lockFree ? ", lock_free" : ", with locks";
        bytes(prefix + "bytes-write" + suffix, "WRITE + poll" + how, number -> {
            pair.jfs.write(pair.remote, 0, pair.local, 0, 8, number);
            pair.one();
        });
        bytes(prefix + "bytes-read" + suffix, "READ + poll" + how, number -> {
            pair.jfs.read(pair.remote, 0, pair.local, 0, 8, number);
            pair.one();
        });
        bytes(prefix + "bytes-atomic" + suffix, "FADD + poll" + how, number -> {
            pair.jfs.fetchAndAdd(pair.remote, 0, pair.local, 0, 1, number);
            pair.one();
        });
        bytes(prefix + "bytes-send" + suffix, "SEND + receive + polls" + how, number -> {
            pair.homeJfr.receive(pair.home(), 0, 64, number);
            pair.jfs.send(pair.target, pair.local, 0, 64, number);
            pair.oneAtHome();
            pair.one();
        });
    }

    private void bytes(String name, String what, Step step) throws InterruptedException {
        if (!run.wants(name)) {
            return;
        }
        warmUp(step);
        double[] windows = new double[WINDOWS];
        for (int i = 0; i < WINDOWS; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            repeat(step, operations);
            // the first window may hold what the JIT put back on the interpreter for a moment; the median does not
            windows[i] = (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / operations;
        }
        double bytes = Rounds.median(windows);
        run.tell(new Figure(
                name,
                what + ", allocated",
                String.format(Locale.ROOT, "%.3f B", bytes),
                "",
                bytes,
                Rounds.least(windows),
                Rounds.most(windows),
                new AtMost(0)));
    }

    /** Code that is not compiled yet allocates what the compiler takes away. */
    private void warmUp(Step step) throws InterruptedException {
        CompilerThreads compilers = CompilerThreads.own();
        for (int i = 0; i < WARM_UPS; i++) {
            repeat(step, operations / WARM_UPS);
            compilers.awaitRest(PATIENCE);
        }
    }

    private static void repeat(Step step, int operations) {
        for (int i = 0; i < operations; i++) {
            step.run(i);
        }
    }
}
