package io.urma4j.shm;

/** A queue whose records lie in a JFC: it learns when one was polled. */
interface RecordOwner {
    /**
     * The record that was made for {@code position} has left the JFC. Called by the thread that polls, one at a time for
     * each JFC.
     */
    void recordTaken(long position);
}
