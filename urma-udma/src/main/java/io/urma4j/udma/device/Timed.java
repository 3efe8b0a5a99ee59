package io.urma4j.udma.device;

/** What wants to be called at a time. */
abstract class Timed {
    /** Where it is in the heap of {@link Deadlines}; −1 when it waits for no time. */
    int heapIndex = -1;

    /** When it is due; means nothing outside of the heap. */
    long dueNanos;

    /** Its time has come; it is no longer in the heap. */
    abstract void due(long nowNanos);
}
