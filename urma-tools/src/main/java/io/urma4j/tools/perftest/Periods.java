package io.urma4j.tools.perftest;

import java.time.Duration;

/** Prints a row for each period of an endless run. */
final class Periods implements Stream.Listener {
    private final Report report;
    private final long sizeBytes;
    private final long periodNanos;
    private long lastCompleted;
    private long lastNanos;

    Periods(Report report, long sizeBytes, Duration period) {
        this.report = report;
        this.sizeBytes = sizeBytes;
        this.periodNanos = period.toNanos();
    }

    @Override
    public void at(long completed, long nanos) {
        if (nanos - lastNanos >= periodNanos) {
            report.row(new Bandwidth(sizeBytes, completed - lastCompleted, nanos - lastNanos, 0));
            lastCompleted = completed;
            lastNanos = nanos;
        }
    }
}
