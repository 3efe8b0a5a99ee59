package io.urma4j.udma.device;

/** An object with a deadline. */
abstract class Timed {
    /** Its position in the heap of {@link Deadlines}; −1 if it has no deadline. */
    int heapIndex = -1;

    /** Its deadline; meaningless outside of the heap. */
    long dueNanos;

    /** Its deadline has passed; it is no longer in the heap. */
    abstract void due(long nowNanos);
}
