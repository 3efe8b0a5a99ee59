package io.urma4j.simulation;

import java.util.SplittableRandom;

/**
 * The faults of a network until it is healed. Shares are of all packets.
 *
 * @param delayNanos the delay of each packet
 * @param jitterNanos the largest additional delay, without reordering
 * @param loss share of lost packets
 * @param duplication share of packets that arrive twice
 * @param reordering share of packets that are delayed, so that later ones may overtake them
 * @param corruption share of packets with a flipped bit
 * @param spikes how often the delay is ten times as long for a while
 * @param cuts how often one direction loses all packets for a while
 * @param pauses how often a machine stops for a while; packets wait in its socket, up to the limit of the socket
 * @param restarts how often a machine's process is killed, and a new one begins
 * @param revocations how often a home revokes a key
 * @param healedNanos when all faults end
 */
record Faults(
        long delayNanos,
        long jitterNanos,
        double loss,
        double duplication,
        double reordering,
        double corruption,
        int spikes,
        int cuts,
        int pauses,
        int restarts,
        int revocations,
        long healedNanos) {

    private static final long MICROS = 1_000;
    private static final long MILLIS = 1_000_000;

    static Faults drawn(SplittableRandom random, boolean harmless) {
        long delay = new long[] {5 * MICROS, 50 * MICROS, 500 * MICROS, 5 * MILLIS, 25 * MILLIS}[random.nextInt(5)];
        return new Faults(
                delay,
                random.nextInt(2) == 0 ? 0 : delay / 2,
                random.nextInt(4) == 0 ? 0 : share(random, 0.2),
                random.nextInt(2) == 0 ? 0 : share(random, 0.1),
                random.nextInt(2) == 0 ? 0 : share(random, 0.2),
                random.nextInt(3) == 0 ? share(random, 0.05) : 0,
                random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0,
                random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0,
                random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0,
                !harmless && random.nextInt(4) == 0 ? 1 : 0,
                !harmless && random.nextInt(2) == 0 ? 1 + random.nextInt(3) : 0,
                200 * delay + 100 * MILLIS + random.nextLong(400 * MILLIS));
    }

    /** A random share, more often small than large. */
    private static double share(SplittableRandom random, double largest) {
        double drawn = random.nextDouble();
        return largest * drawn * drawn;
    }

    @Override
    public String toString() {
        return String.format(
                "delay %.3f ms + %.3f, loss %.1f %%, twice %.1f %%, out of order %.1f %%, damaged %.1f %%, %d spikes, %d"
                        + " cuts, %d pauses, %d restarts, %d revocations, healed at %.0f ms",
                delayNanos / 1e6,
                jitterNanos / 1e6,
                100 * loss,
                100 * duplication,
                100 * reordering,
                100 * corruption,
                spikes,
                cuts,
                pauses,
                restarts,
                revocations,
                healedNanos / 1e6);
    }
}
