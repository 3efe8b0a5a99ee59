package io.urma4j.bench;

import com.sun.management.ThreadMXBean;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Limit.AtMost;
import io.urma4j.buffer.LeakDetector;
import io.urma4j.buffer.LeakLevel;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** Acquire and release of pooled buffers. */
final class PoolSuite {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int BYTES = 4096;
    private static final int FEW = 10;
    private static final int MANY = 100_000;
    private static final int OPERATIONS = 8 * 1024;
    private static final int ALLOCATIONS = 1_000_000;
    private static final PoolConfig POOL = PoolConfig.builder(1L << 30).build();

    private final Numbers.Run run;

    PoolSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wantsSomeOf("buffer-acquire")) {
            return;
        }
        try (Urma urma = Urma.open();
                UrmaContext context = urma.device("shm0").openContext()) {
            Pinned.run(0, () -> measure(context));
        }
    }

    private void measure(UrmaContext context) {
        try (RegisteredBufferPool pool = RegisteredBufferPool.open(POOL, context);
                RegisteredBufferPool other = RegisteredBufferPool.open(POOL, context)) {
            acquire(pool);
            twoThreads(pool);
            manyOut(pool, other);
            sampled(context, pool);
            allocation(pool);
        }
    }

    private void acquire(RegisteredBufferPool pool) {
        if (run.wants("buffer-acquire")) {
            run.tell(Figure.ratio(
                    "buffer-acquire",
                    "acquire and release 4 KiB of a pool; two uncontended CAS",
                    run.alternation()
                            .measure(
                                    Timed.of(cycles(pool), OPERATIONS), Timed.of(twoCas(new AtomicLong()), OPERATIONS)),
                    new AtMost(4)));
        }
    }

    private void twoThreads(RegisteredBufferPool pool) {
        if (run.wants("buffer-acquire-two")) {
            try (SideBySide both = new SideBySide(cycles(pool), OPERATIONS, 1)) {
                run.tell(Figure.ratio(
                        "buffer-acquire-two",
                        "the same in two threads at once; in one",
                        run.alternation().measure(both, Timed.of(cycles(pool), OPERATIONS)),
                        new AtMost(1.5)));
            }
        }
    }

    private void manyOut(RegisteredBufferPool pool, RegisteredBufferPool other) {
        if (run.wants("buffer-acquire-many")) {
            List<RdmaBuf> out = new ArrayList<>(leases(pool, MANY));
            out.addAll(leases(other, FEW));
            run.tell(Figure.ratio(
                    "buffer-acquire-many",
                    "the same while 100,000 leases are out; ten",
                    run.alternation().measure(Timed.of(cycles(pool), OPERATIONS), Timed.of(cycles(other), OPERATIONS)),
                    new AtMost(1.2)));
            out.forEach(RdmaBuf::close);
        }
    }

    private static List<RdmaBuf> leases(RegisteredBufferPool pool, int count) {
        List<RdmaBuf> leases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            leases.add(pool.acquire(BYTES, Duration.ZERO));
        }
        return leases;
    }

    private void sampled(UrmaContext context, RegisteredBufferPool pool) {
        if (run.wants("buffer-acquire-sampled")) {
            PoolConfig tracking =
                    POOL.toBuilder().leaks(LeakDetector.of(LeakLevel.SAMPLED)).build();
            try (RegisteredBufferPool tracked = RegisteredBufferPool.open(tracking, context)) {
                run.tell(Figure.ratio(
                        "buffer-acquire-sampled",
                        "the same with one of 128 leases tracked; with none",
                        run.alternation()
                                .measure(Timed.of(cycles(tracked), OPERATIONS), Timed.of(cycles(pool), OPERATIONS)),
                        new AtMost(1.1)));
            }
        }
    }

    private void allocation(RegisteredBufferPool pool) {
        if (run.wants("buffer-acquire-bytes")) {
            try (RdmaBuf kept = pool.acquire(BYTES, Duration.ZERO)) {
                double handle = bytes(operations -> retains(kept, operations));
                double bytes = bytes(cycles(pool));
                run.tell(new Figure(
                        "buffer-acquire-bytes",
                        "acquire and release, allocated; a handle",
                        String.format(Locale.ROOT, "%.1f B", bytes),
                        String.format(Locale.ROOT, "%.1f B", handle),
                        bytes,
                        bytes,
                        bytes,
                        new AtMost(Math.rint(handle))));
            }
        }
    }

    private static double bytes(Loop loop) {
        double[] windows = new double[3];
        loop.run(ALLOCATIONS);
        for (int i = 0; i < windows.length; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            loop.run(ALLOCATIONS);
            windows[i] = (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / ALLOCATIONS;
        }
        return Math.rint(Rounds.median(windows) * 10) / 10;
    }

    private static Loop cycles(RegisteredBufferPool pool) {
        return cycles(pool, BYTES);
    }

    /** Acquires a buffer and releases it, again and again. */
    static Loop cycles(RegisteredBufferPool pool, int lengthBytes) {
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                RdmaBuf buf = pool.acquire(lengthBytes, Duration.ZERO);
                sum += buf.lengthBytes();
                buf.close();
            }
            return sum;
        };
    }

    private static long retains(RdmaBuf kept, int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            RdmaBuf buf = kept.retain();
            sum += buf.lengthBytes();
            buf.close();
        }
        return sum;
    }

    static Loop twoCas(AtomicLong word) {
        return operations -> {
            for (int i = 0; i < operations; i++) {
                long now = word.get();
                word.compareAndSet(now, now + 1);
                word.compareAndSet(now + 1, now + 2);
            }
            return word.get();
        };
    }
}
