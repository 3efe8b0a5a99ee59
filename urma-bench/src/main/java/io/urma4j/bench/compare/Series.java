package io.urma4j.bench.compare;

import io.urma4j.bench.PredictedPackets;
import io.urma4j.bench.Rounds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The samples of one peer at one task, round by round. */
public final class Series {
    private final List<Sample> samples = new ArrayList<>();

    void add(Sample sample) {
        samples.add(sample);
    }

    boolean isEmpty() {
        return samples.isEmpty();
    }

    /** Whether the peer reports this metric for every run. */
    boolean has(Metric metric) {
        return !samples.isEmpty() && samples.stream().allMatch(sample -> sample.has(metric));
    }

    double[] nanos(Metric metric) {
        return samples.stream().mapToDouble(sample -> sample.nanos(metric)).toArray();
    }

    double median(Metric metric) {
        return Rounds.median(nanos(metric));
    }

    /** What both sides have received in all of them. */
    PredictedPackets packets() {
        return samples.stream().map(Sample::packets).reduce(PredictedPackets.NONE, PredictedPackets::plus);
    }

    /** The time of an undisturbed operation; the mean for peers that report only that. */
    double typical() {
        return median(has(Metric.P50) ? Metric.P50 : Metric.MEAN);
    }

    /** Our speed as a multiple of the peer's, in each round that both had. */
    static double[] speeds(Series ours, Series theirs, Metric metric) {
        double[] mine = ours.nanos(metric);
        double[] other = theirs.nanos(metric);
        double[] ratios = new double[Math.min(mine.length, other.length)];
        Arrays.setAll(ratios, round -> other[round] / mine[round]);
        return ratios;
    }

    /** Our time as a multiple of the peer's. */
    static double[] times(Series ours, Series theirs, Metric metric) {
        return Arrays.stream(speeds(ours, theirs, metric))
                .map(speed -> 1 / speed)
                .toArray();
    }
}
