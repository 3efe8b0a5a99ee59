package io.urma4j.bench.scale;

import java.time.Duration;
import java.util.Arrays;

/**
 * How long is measured.
 *
 * @param perFigure the minimum time of a loop, after a third of it as an untimed warm-up
 * @param cycles what is made and closed is made so often at least, all together
 */
record Pace(Duration perFigure, int cycles) {
    private static final int LEAST_CHUNKS = 5;

    /** Does something so often. */
    @FunctionalInterface
    interface Loop {
        void run(int times);
    }

    static Pace quick() {
        return new Pace(Duration.ofMillis(150), 100);
    }

    static Pace thorough() {
        return new Pace(Duration.ofSeconds(1), 1000);
    }

    /** How often a set of {@code count} objects is created, so that there are enough of them to be timed. */
    int rounds(int count) {
        return Math.max(1, cycles / count);
    }

    /** Nanoseconds of one pass: the median of chunks of {@code chunk} passes each. */
    double nanos(int chunk, Loop loop) {
        repeat(perFigure.toNanos() / 3, chunk, loop);
        return repeat(perFigure.toNanos(), chunk, loop);
    }

    private static double repeat(long budgetNanos, int chunk, Loop loop) {
        double[] each = new double[16];
        int chunks = 0;
        long begin = System.nanoTime();
        long before = begin;
        while (chunks < LEAST_CHUNKS || before - begin < budgetNanos) {
            loop.run(chunk);
            long now = System.nanoTime();
            if (chunks == each.length) {
                each = Arrays.copyOf(each, 2 * chunks);
            }
            each[chunks++] = (double) (now - before) / chunk;
            before = now;
        }
        Arrays.sort(each, 0, chunks);
        return each[chunks / 2];
    }
}
