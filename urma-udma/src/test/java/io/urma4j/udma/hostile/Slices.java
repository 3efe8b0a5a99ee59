package io.urma4j.udma.hostile;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * How many honest rounds pass a second beside different companions, each of which has a thread of its own to itself: slice
 * by slice in turn, so that whatever else the machine does falls on all of them. The middle of its slices counts for each.
 */
final class Slices {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final int SETTLED_ROUNDS = 20;

    private final LongSupplier rounds;
    private final int slices;
    private final long sliceNanos;

    /** One step of a companion, of which there are as many as the time allows. */
    @FunctionalInterface
    interface Companion {
        void step() throws IOException;
    }

    /**
     * So many slices of each companion.
     *
     * @param rounds how many there were so far
     */
    Slices(LongSupplier rounds, int slices, long sliceNanos) {
        this.rounds = rounds;
        this.slices = slices;
        this.sliceNanos = sliceNanos;
    }

    /**
     * The rounds a second beside each, in their order.
     *
     * @param steps that each takes in a slice at least, however long that is
     */
    double[] roundsASecond(int steps, Companion... companions) throws IOException {
        long settleNanos = 5 * sliceNanos;
        double[][] all = new double[companions.length][slices];
        for (int slice = 0; slice < slices; slice++) {
            for (int i = 0; i < companions.length; i++) {
                settle(settleNanos);
                all[i][slice] = roundsASecond(steps, companions[i]);
            }
        }
        return Arrays.stream(all).mapToDouble(Slices::middle).toArray();
    }

    /** What the slice before has left in buffers is not the next one's. */
    private void settle(long limitNanos) {
        long until = rounds.getAsLong() + SETTLED_ROUNDS;
        long start = System.nanoTime();
        while (rounds.getAsLong() < until && System.nanoTime() - start < limitNanos) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private double roundsASecond(int steps, Companion companion) throws IOException {
        long before = rounds.getAsLong();
        long start = System.nanoTime();
        long elapsed = 0;
        for (int step = 0; step < steps || elapsed < sliceNanos; step++) {
            companion.step();
            elapsed = System.nanoTime() - start;
        }
        return (double) (rounds.getAsLong() - before) * NANOS_PER_SECOND / elapsed;
    }

    private static double middle(double... values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
