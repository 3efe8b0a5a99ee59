package io.urma4j.shm.control;

/** The owner of the lock under which work requests name segments: a JFC. */
public interface SegmentUser {
    /** Whether it is closed, so that none of its work requests names a segment any more. */
    boolean isClosed();
}
