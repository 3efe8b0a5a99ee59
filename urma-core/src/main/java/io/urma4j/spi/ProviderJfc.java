package io.urma4j.spi;

import io.urma4j.Counters;

/** A completion queue of a provider. */
public interface ProviderJfc extends RecordSource {
    int id();

    /** Capacity in records, after rounding (S3.4). */
    int depth();

    /** False once it has overflowed (S10.5). */
    boolean isValid();

    /**
     * Requests one event: at once if unpolled records exist, else with the next one (S11.1).
     *
     * @param solicitedOnly only a solicited record or an error counts
     */
    void rearm(boolean solicitedOnly);

    /** A snapshot of its counters; EINVAL when closed, also by another thread while the call runs (S4.2). */
    Counters counters();

    void close();
}
