package io.urma4j.spi;

import io.urma4j.Counters;

/** A completion queue of a provider. */
public interface ProviderJfc {
    int id();

    /** How many records it holds, after rounding (S3.4). */
    int depth();

    /** False once it has overflowed (S10.5). */
    boolean isValid();

    /**
     * Moves up to {@code maxRecords} records into {@code words}, laid out as {@link CompletionRecord} says, and drives
     * the progress of its context when there are none. Never blocks.
     *
     * @return how many records were moved
     */
    int poll(long[] words, int maxRecords);

    /**
     * Asks for one event: at once when unpolled records are there, else with the next one (S11.1).
     *
     * @param solicitedOnly only a solicited record or an error counts
     */
    void rearm(boolean solicitedOnly);

    Counters counters();

    void close();
}
