package io.urma4j.internal.inspect;

import io.urma4j.spi.RecordSource;

/** Stands before a provider's completion queue while its context is measured: it takes the time of each poll that finds some. */
public record MeasuredJfc(RecordSource provider, PerfMeter.Run run) implements RecordSource {
    @Override
    public int poll(long[] words, int maxRecords) {
        long begun = System.nanoTime();
        int count = provider.poll(words, maxRecords);
        if (count > 0) {
            run.record(PerfStage.COMPLETE, System.nanoTime() - begun);
        }
        return count;
    }
}
