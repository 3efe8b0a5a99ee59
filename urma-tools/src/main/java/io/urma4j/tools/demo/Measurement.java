package io.urma4j.tools.demo;

import com.sun.management.ThreadMXBean;
import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import io.urma4j.tools.CommandFailure;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Latency and bandwidth by size: write, read and plain copy, one operation at a time, on warm memory. The three take
 * turns at each size, and rates and allocations are medians of the turns, so that whatever disturbs the machine
 * disturbs them alike.
 */
final class Measurement {
    private static final int[] SIZES = {8, 64, 4 << 10, 64 << 10, 1 << 20, 4 << 20};
    private static final long WARM_UP_NANOS = Duration.ofMillis(150).toNanos();
    private static final int TURNS = 7; // an odd number, so that there is a median
    private static final long TURN_NANOS = Duration.ofMillis(20).toNanos();
    private static final int MAX_SAMPLES = 50_000; // per turn
    private static final int MIN_SAMPLES = 8;
    private static final long LONGEST_NANOS = Duration.ofMinutes(1).toNanos();

    private final Jfc jfc;
    private final Jfs jfs;
    private final RemoteSegment remote;
    private final LocalSegment local;
    private final MemorySegment other;
    private final CompletionBatch batch = new CompletionBatch(1);
    private final long[] samples = new long[MAX_SAMPLES];
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Measures against the scratch space of a board. */
    Measurement(UrmaContext context, Jfc jfc, Jfs jfs, RemoteSegment board) {
        this.jfc = jfc;
        this.jfs = jfs;
        this.remote = board;
        this.local = context.register(context.allocate(Board.SCRATCH_BYTES), Access.LOCAL_ONLY);
        this.other = context.allocate(Board.SCRATCH_BYTES).segment();
        local.memory().fill((byte) 1); // pages there are, on both sides
        other.fill((byte) 1);
    }

    /** One kind of operation, in a loop of its own, so that the compiler sees one target in each. */
    private interface Loop {
        /** Runs {@code times} operations. */
        void run(int sizeBytes, long times);

        /** Runs as many as {@code samples} asks for, and notes how long each took. */
        void sample(int sizeBytes, int times);
    }

    /** Measures size by size, and reports each at once. */
    void run(Consumer<Figures> told) throws InterruptedException {
        Loop write = new WriteLoop();
        Loop read = new ReadLoop();
        Loop copy = new CopyLoop();
        for (Loop loop : new Loop[] {write, read, copy}) {
            warmUp(loop, 8);
            warmUp(loop, 4 << 10);
        }
        for (int size : SIZES) {
            Meter writes = new Meter(write, size);
            Meter reads = new Meter(read, size);
            Meter copies = new Meter(copy, size);
            for (int turn = 0; turn < TURNS; turn++) {
                writes.turn();
                reads.turn();
                copies.turn();
            }
            told.accept(new Figures(size, writes.speed(), reads.speed(), copies.speed()));
        }
    }

    private void warmUp(Loop loop, int sizeBytes) {
        long end = System.nanoTime() + WARM_UP_NANOS;
        while (System.nanoTime() - end < 0) {
            loop.run(sizeBytes, 2_000);
            loop.sample(sizeBytes, 2_000);
        }
    }

    /** What the turns of one kind and size bring together. */
    private final class Meter {
        private final Loop loop;
        private final int sizeBytes;
        private final long times;
        private final Histogram latencies = new Histogram(LONGEST_NANOS, 3);
        private final double[] rates = new double[TURNS];
        private final double[] allocations = new double[TURNS];
        private int turns;

        Meter(Loop loop, int sizeBytes) {
            this.loop = loop;
            this.sizeBytes = sizeBytes;
            this.times = timesFor(loop, sizeBytes);
        }

        /** One turn: first without a clock between the operations, then with. */
        void turn() throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long allocatedBefore = threads.getCurrentThreadAllocatedBytes();
            long begin = System.nanoTime();
            loop.run(sizeBytes, times);
            long nanos = System.nanoTime() - begin;
            allocations[turns] = (double) (threads.getCurrentThreadAllocatedBytes() - allocatedBefore) / times;
            rates[turns++] = (double) sizeBytes * times * 1e9 / nanos;

            int sampled = (int) Math.min(times, MAX_SAMPLES);
            loop.sample(sizeBytes, sampled);
            for (int i = 0; i < sampled; i++) {
                latencies.recordValue(Math.min(samples[i], LONGEST_NANOS));
            }
        }

        Figures.Speed speed() {
            Arrays.sort(rates);
            Arrays.sort(allocations);
            return new Figures.Speed(
                    latencies.getValueAtPercentile(50),
                    latencies.getValueAtPercentile(99),
                    rates[TURNS / 2],
                    allocations[TURNS / 2]);
        }
    }

    /** How many fill a turn. */
    private static long timesFor(Loop loop, int sizeBytes) {
        long times = 1;
        while (true) {
            long begin = System.nanoTime();
            loop.run(sizeBytes, times);
            long nanos = Math.max(1, System.nanoTime() - begin);
            if (nanos > TURN_NANOS / 4) {
                return Math.max(MIN_SAMPLES, TURN_NANOS * times / nanos);
            }
            times *= 2;
        }
    }

    /** Polls for the record of the one operation that is unfinished. */
    private void finish(boolean accepted) {
        if (!accepted) {
            throw new IllegalStateException("the queue is full, though nothing is unfinished");
        }
        while (jfc.poll(batch) == 0) {
            Thread.onSpinWait();
        }
        if (!batch.isSuccess(0)) {
            throw new CommandFailure("an operation ended with " + batch.status(0));
        }
    }

    private final class WriteLoop implements Loop {
        @Override
        public void run(int sizeBytes, long times) {
            for (long i = 0; i < times; i++) {
                finish(jfs.write(remote, Board.SCRATCH, local, 0, sizeBytes, i));
            }
        }

        @Override
        public void sample(int sizeBytes, int times) {
            for (int i = 0; i < times; i++) {
                long begin = System.nanoTime();
                finish(jfs.write(remote, Board.SCRATCH, local, 0, sizeBytes, i));
                samples[i] = System.nanoTime() - begin;
            }
        }
    }

    private final class ReadLoop implements Loop {
        @Override
        public void run(int sizeBytes, long times) {
            for (long i = 0; i < times; i++) {
                finish(jfs.read(remote, Board.SCRATCH, local, 0, sizeBytes, i));
            }
        }

        @Override
        public void sample(int sizeBytes, int times) {
            for (int i = 0; i < times; i++) {
                long begin = System.nanoTime();
                finish(jfs.read(remote, Board.SCRATCH, local, 0, sizeBytes, i));
                samples[i] = System.nanoTime() - begin;
            }
        }
    }

    private final class CopyLoop implements Loop {
        @Override
        public void run(int sizeBytes, long times) {
            MemorySegment from = local.memory();
            for (long i = 0; i < times; i++) {
                MemorySegment.copy(from, 0, other, 0, sizeBytes);
            }
        }

        @Override
        public void sample(int sizeBytes, int times) {
            MemorySegment from = local.memory();
            for (int i = 0; i < times; i++) {
                long begin = System.nanoTime();
                MemorySegment.copy(from, 0, other, 0, sizeBytes);
                samples[i] = System.nanoTime() - begin;
            }
        }
    }
}
