package io.urma4j.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Cycles of taking and releasing a buffer, in one thread or two at once, platform threads or virtual ones. A peer runs them in a
 * process of its own, on its own class path. Lines on its standard input say which.
 */
public final class Cycles {
    static final int OPERATIONS = 8 * 1024; // of a chunk

    private Cycles() {}

    /** Takes and releases buffers. */
    @FunctionalInterface
    public interface Cycle {
        /**
         * Does it so often.
         *
         * @return a value that depends on every buffer
         */
        long run(int operations);
    }

    /** What a peer has. */
    @FunctionalInterface
    public interface Allocators {
        /** The cycle of one allocator with buffers of one length. */
        Cycle cycle(String allocator, int lengthBytes);
    }

    /**
     * In which threads cycles run.
     *
     * @param count 1 or 2
     * @param areVirtual whether they are virtual ones, started for each chunk
     */
    record Threads(int count, boolean areVirtual) {
        @Override
        public String toString() {
            return count + (areVirtual ? "v" : "p");
        }

        static Threads parse(String text) {
            return new Threads(text.charAt(0) - '0', text.charAt(1) == 'v');
        }
    }

    /** Takes the time of cycles. */
    static Timed timed(Cycle cycle, Threads threads) {
        if (threads.areVirtual()) {
            return () -> inVirtualThreads(cycle, threads.count());
        }
        return threads.count() == 1 ? Timed.of(cycle::run, OPERATIONS) : new SideBySide(cycle::run, OPERATIONS, 1);
    }

    /** The slowest thread counts, without its start. */
    private static double inVirtualThreads(Cycle cycle, int count) {
        long[] nanos = new long[count];
        CountDownLatch ended = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            int place = i;
            Thread.startVirtualThread(() -> {
                long start = System.nanoTime();
                consumed = cycle.run(OPERATIONS);
                nanos[place] = System.nanoTime() - start;
                ended.countDown();
            });
        }
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        long most = 0;
        for (long each : nanos) {
            most = Math.max(most, each);
        }
        return (double) most / OPERATIONS;
    }

    @SuppressWarnings("UnusedVariable") // keeps the results
    private static volatile long consumed;

    /** The main method of a peer: answers each line with the nanoseconds of a cycle, until its parent has ended. */
    public static void serve(Allocators allocators) throws IOException {
        ParentWatch.endWithParent();
        Map<String, Timed> all = new HashMap<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            pin(Threads.parse(line.substring(line.lastIndexOf(' ') + 1)));
            System.out.println(
                    all.computeIfAbsent(line, asked -> timed(allocators, asked)).chunkNanos());
        }
        System.exit(0);
    }

    /** The carriers of virtual threads inherit the CPUs of the thread that starts them. */
    static void pin(Threads threads) {
        if (threads.areVirtual()) {
            Pinned.free();
        } else {
            Pinned.pin(0);
        }
    }

    private static Timed timed(Allocators allocators, String asked) {
        String[] words = asked.split(" ", -1);
        return timed(allocators.cycle(words[0], Integer.parseInt(words[1])), Threads.parse(words[2]));
    }

    /** What {@link #serve} is asked for. */
    static String line(String allocator, int lengthBytes, Threads threads) {
        return allocator + " " + lengthBytes + " " + threads;
    }
}
