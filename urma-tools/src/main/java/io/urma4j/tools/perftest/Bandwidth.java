package io.urma4j.tools.perftest;

/**
 * The bandwidth of operations of one size.
 *
 * @param nanos from the first post to the last completion
 * @param peakBytesPerSecond of the best twentieth; 0 when it was not measured
 */
record Bandwidth(long sizeBytes, long iterations, long nanos, double peakBytesPerSecond) {
    double bytesPerSecond() {
        return perSecond() * sizeBytes;
    }

    double perSecond() {
        return nanos == 0 ? 0 : iterations * 1e9 / nanos;
    }

    /** Both directions at the same time: what moved together. */
    Bandwidth plus(Bandwidth other) {
        double rate = perSecond() + other.perSecond();
        long both = iterations + other.iterations;
        return new Bandwidth(
                sizeBytes,
                both,
                rate == 0 ? 0 : Math.round(both * 1e9 / rate),
                peakBytesPerSecond + other.peakBytesPerSecond);
    }
}
