package io.urma4j.udma.driver;

import io.urma4j.libc.NativeMemory;

/** A queue whose records lie in completion queues. */
interface RecordOwner {
    /**
     * Translates a completion queue element of this queue into a record, and releases what its work request held.
     *
     * @param words of a {@link io.urma4j.spi.CompletionRecord}, from {@code at} on
     * @param ring of the completion queue
     * @param cqe position of the element
     * @param word the element's first word
     */
    void record(long[] words, int at, NativeMemory ring, long cqe, int word);

    /** The element is still in its completion queue: releases what its work request held, which has ended. */
    void ended(NativeMemory ring, long cqe, int word);

    /** The queue is closed, and the element removed: releases what its work request still occupies. */
    default void removed(NativeMemory ring, long cqe) {}
}
