package io.urma4j.spi;

/** Where the records of work requests are polled. */
public interface RecordSource {
    /**
     * Moves up to {@code maxRecords} records into {@code words}, in the layout of {@link CompletionRecord}; if there are
     * none, drives the progress of its context. Never blocks.
     *
     * @return how many records were moved
     */
    int poll(long[] words, int maxRecords);
}
