package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;

/** The receive buffers of a queue, as the transport sees them. */
public interface ReceiveWork {
    long NONE = -1;

    /**
     * Takes the next receive work request, and reserves space for its record.
     *
     * @return its handle, to be {@linkplain #done done} once; {@link #NONE} if there is none
     */
    long take();

    /** The wait of a sender whose message finds none: a code of WIRE §4.4. */
    int rnrTimerCode();

    /** Whether SEND_INVALIDATE is executed here; otherwise it is refused as an access error (S8.11). */
    boolean allowsInvalidate();

    /** Total size of its buffers. */
    long capacityBytes(long taken);

    /** Stores a part of a message; false if the local memory is closed. */
    boolean scatter(long taken, long toOffset, NativeMemory from, long fromOffset, int lengthBytes);

    /**
     * Begins to store a part of a message. The bytes may change when this returns.
     *
     * @return the number of its copy, as of {@link Memory#place}; {@link Memory#AT_ONCE}, {@link Memory#REFUSED} if the local
     *     memory is closed, or {@link Memory#BUSY}
     */
    default long place(long taken, long toOffset, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        return scatter(taken, toOffset, from, fromOffset, lengthBytes) ? Memory.AT_ONCE : Memory.REFUSED;
    }

    /**
     * The message is complete, or has failed.
     *
     * @param status number of URMA's completion status
     * @param opcode of URMA: SEND, SEND_IMM, SEND_INVALIDATE or WRITE_IMM
     * @param immediate or the key that SEND_INVALIDATE has revoked
     * @param sourceQueue number of the sender's queue
     * @param connection number of the connection of the message
     */
    void done(
            long taken,
            int status,
            int opcode,
            long lengthBytes,
            long immediate,
            boolean solicited,
            int sourceQueue,
            int connection,
            long nowNanos);

    /** The message will not complete: its receive work request becomes the next one again. */
    void giveBack(long taken);
}
