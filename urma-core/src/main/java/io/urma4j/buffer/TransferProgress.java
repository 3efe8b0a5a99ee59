package io.urma4j.buffer;

/** Which thread sees that requests of {@link Transfers} have ended. */
public enum TransferProgress {
    /** A daemon thread for each context, which sleeps while there is nothing to do. Futures complete by themselves. */
    BY_THREAD,
    /**
     * The threads that post, and those that call {@link Transfers#poll}: no thread of its own, and no wake-up. Only {@code poll}
     * times out batches. For the lowest latency.
     */
    BY_CALLER
}
