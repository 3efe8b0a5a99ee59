package io.urma4j;

import io.urma4j.spi.ProviderJfc;

/** Replaces a provider's completion queue while its context is measured. */
final class MeasuredJfc implements ProviderJfc {
    private final ProviderJfc provider;
    private final PerfMeter.Run run;

    MeasuredJfc(ProviderJfc provider, PerfMeter.Run run) {
        this.provider = provider;
        this.run = run;
    }

    @Override
    public int poll(long[] words, int maxRecords) {
        long begun = System.nanoTime();
        int count = provider.poll(words, maxRecords);
        if (count > 0) {
            run.record(PerfStage.COMPLETE, System.nanoTime() - begun);
        }
        return count;
    }

    @Override
    public int id() {
        return provider.id();
    }

    @Override
    public int depth() {
        return provider.depth();
    }

    @Override
    public boolean isValid() {
        return provider.isValid();
    }

    @Override
    public void rearm(boolean solicitedOnly) {
        provider.rearm(solicitedOnly);
    }

    @Override
    public Counters counters() {
        return provider.counters();
    }

    @Override
    public void close() {
        provider.close();
    }

    @Override
    public String toString() {
        return provider.toString();
    }
}
