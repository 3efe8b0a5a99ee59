package io.urma4j.shm;

/** A queue whose records lie in a JFC: it learns when one was polled, and when there is no room for more. */
interface RecordOwner {
    /**
     * The record that was made for a position has left the JFC. Called by the thread that polls, one at a time for each
     * JFC. A receive work request does not need it: it is free when its message arrives.
     *
     * @param position its low half: a record has no room for more
     */
    default void recordTaken(int position) {}

    /** The JFC has overflowed: it takes no more records, and its queues go to ERROR (S10.5). Under its lock. */
    void jfcFailed();
}
