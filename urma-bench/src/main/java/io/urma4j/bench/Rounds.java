package io.urma4j.bench;

import java.util.Arrays;

/**
 * What was measured, round by round: a subject, and its peer right before or after.
 *
 * <p>The ratio is made within each round, since the machine's speed drifts between rounds.
 */
public final class Rounds {
    private final double[] subject;
    private final double[] peer;

    Rounds(int rounds) {
        subject = new double[rounds];
        peer = new double[rounds];
    }

    void subject(int round, double value) {
        subject[round] = value;
    }

    void peer(int round, double value) {
        peer[round] = value;
    }

    /** Median of the subject. */
    public double subject() {
        return median(subject);
    }

    /** Median of the peer. */
    public double peer() {
        return median(peer);
    }

    /** Times of the subject, by round. */
    public double[] subjects() {
        return subject.clone();
    }

    /** Times of the peer, by round. */
    public double[] peers() {
        return peer.clone();
    }

    /** Subject by peer: times, so more is slower. */
    public double[] ratios() {
        double[] ratios = new double[subject.length];
        Arrays.setAll(ratios, round -> subject[round] / peer[round]);
        return ratios;
    }

    /** Peer by subject: speeds, so more is faster. */
    public double[] speeds() {
        double[] speeds = new double[subject.length];
        Arrays.setAll(speeds, round -> peer[round] / subject[round]);
        return speeds;
    }

    /** The median of the values, in any order. */
    public static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** The smallest of the values, in any order. */
    public static double least(double[] values) {
        return Arrays.stream(values).min().orElseThrow();
    }

    /** The largest of the values, in any order. */
    public static double most(double[] values) {
        return Arrays.stream(values).max().orElseThrow();
    }
}
