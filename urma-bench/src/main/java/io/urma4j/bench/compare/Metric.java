package io.urma4j.bench.compare;

/** The metrics of a run, all in nanoseconds. */
public enum Metric {
    /** Time of all, by their number. */
    MEAN("mean"),
    P50("p50"),
    P99("p99"),
    P999("p99.9"),
    /** Processor time of both processes for an operation. */
    CPU("CPU");

    private final String words;

    Metric(String words) {
        this.words = words;
    }

    /** For the table. */
    public String words() {
        return words;
    }
}
