package io.urma4j.shm.ring;

/** What a receiver answers to a slot. */
public final class Answer {
    /** Taken: by a receive work request when it was the last chunk of its message. */
    public static final int TAKEN = 1;
    /** No receive work request; the argument is the receiver's RNR timer in microseconds. */
    public static final int NOT_READY = 2;
    /** Behind a message that was not ready: repeat it after that one. */
    public static final int HELD = 3;
    /** The message did not fit, or the queue is in ERROR or gone. */
    public static final int FAILED = 4;
    /** The token id may not be revoked by this sender. */
    public static final int REFUSED = 5;
    /** The opcode is unknown here. */
    public static final int UNSUPPORTED = 6;
    /** The receiver needs time, however often; the argument says how many microseconds. */
    public static final int LATER = 7;

    private Answer() {}
}
