package io.urma4j.shm.control;

/** Under whose lock work requests name segments: a JFC. */
public interface SegmentUser {
    /** Whether it is closed, so that none of its work requests names anything any more. */
    boolean isClosed();
}
