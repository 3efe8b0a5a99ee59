package io.urma4j.udma.transport;

import java.lang.foreign.MemorySegment;

/** Where the messages for a queue find their buffers, as the transport sees it. */
public interface ReceiveWork {
    long NONE = -1;

    /**
     * Takes the next receive work request, and a place for its record.
     *
     * @return its handle, to be {@linkplain #done done} once; {@link #NONE} when there is none
     */
    long take();

    /** What the sender of a message that finds none is to wait: a code of WIRE §4.4. */
    int rnrTimerCode();

    /** Whether SEND_INVALIDATE is obeyed here; else it is refused as an access error (S8.11). */
    boolean allowsInvalidate();

    /** Sum of the buffers of what was taken. */
    long capacityBytes(long taken);

    /** Stores a part of a message; false when the local memory is gone. */
    boolean scatter(long taken, long toOffset, MemorySegment from, long fromOffset, int lengthBytes);

    /**
     * The message is there, or has failed.
     *
     * @param status number of URMA's completion status
     * @param opcode of URMA: SEND, SEND_IMM, SEND_INVALIDATE or WRITE_IMM
     * @param immediate or the key that SEND_INVALIDATE has revoked
     * @param sourceQueue number of the sender's queue
     * @param connection number of the connection that brought it
     */
    void done(
            long taken,
            int status,
            int opcode,
            long lengthBytes,
            long immediate,
            boolean solicited,
            int sourceQueue,
            int connection);

    /** The message will not come to its end: what was taken is given back, first in line. */
    void giveBack(long taken);
}
