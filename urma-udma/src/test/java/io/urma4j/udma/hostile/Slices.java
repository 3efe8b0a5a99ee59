package io.urma4j.udma.hostile;

import java.io.IOException;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * How many honest rounds pass a second beside different companions, each of which has a thread of its own to itself: slice
 * by slice in turn, so that whatever else the machine does falls on all of them. The middle of its slices counts for each.
 */
final class Slices {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

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
        double[][] all = new double[companions.length][slices];
        for (int slice = 0; slice < slices; slice++) {
            for (int i = 0; i < companions.length; i++) {
                all[i][slice] = roundsASecond(steps, companions[i]);
            }
        }
        return Arrays.stream(all).mapToDouble(Slices::middle).toArray();
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
