package io.urma4j.tools.perftest;

import java.util.List;

/**
 * The latency of operations of one size, in microseconds.
 *
 * @param tailMicros at the percentiles of {@link #TAIL}
 */
record Latency(
        long sizeBytes,
        long iterations,
        double minMicros,
        double maxMicros,
        double medianMicros,
        double averageMicros,
        double deviationMicros,
        List<Double> tailMicros) {

    static final List<Double> TAIL = List.of(99.0, 99.9, 99.99, 99.999);

    /** Of no operation at all. */
    static Latency none(long sizeBytes) {
        return new Latency(sizeBytes, 0, 0, 0, 0, 0, 0, List.of(0.0, 0.0, 0.0, 0.0));
    }
}
