package io.urma4j.udma.ring;

import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;

/**
 * Layout of a send or receive queue: a header, then as many elements as its depth, which is a power of two; all elements
 * have the queue's stride.
 *
 * <pre>
 *    0  produced  u64  elements posted so far; only the driver writes it
 *   64  consumed  u64  elements that the card needs no more; only the card writes it
 *   72  state     u32  of a send queue; only the card writes it
 *  128  elements
 * </pre>
 *
 * <p>A reader of {@code produced} with acquire sees the elements before it; a reader of {@code consumed} with acquire
 * may overwrite those.
 */
public final class WqRing {
    private static final long PRODUCED = 0;
    private static final long CONSUMED = 64;
    private static final long STATE = 72;
    private static final long ELEMENTS = 128;

    private WqRing() {}

    public static long bytes(int depth, int strideBytes) {
        return ELEMENTS + (long) depth * strideBytes;
    }

    /** Where the element of a position lies. */
    public static long at(long position, int depth, int strideBytes) {
        return ELEMENTS + (position & (depth - 1)) * strideBytes;
    }

    /** Hands every element before {@code position} to the card. */
    public static void produced(NativeMemory ring, long position) {
        assert position >= produced(ring);
        ring.setLongRelease(PRODUCED, position);
    }

    public static long produced(NativeMemory ring) {
        return ring.getLongAcquire(PRODUCED);
    }

    /** Gives every element before {@code position} back to the driver. */
    public static void consumed(NativeMemory ring, long position) {
        assert mayFree(ring, position);
        ring.setLongRelease(CONSUMED, position);
    }

    private static boolean mayFree(NativeMemory ring, long position) {
        return position >= consumed(ring) && position <= produced(ring);
    }

    public static long consumed(NativeMemory ring) {
        return ring.getLongAcquire(CONSUMED);
    }

    /** Tells the driver the state of a send queue. */
    public static void state(NativeMemory ring, QueueState state) {
        ring.setIntRelease(STATE, state.value());
    }

    public static QueueState state(NativeMemory ring) {
        return switch (ring.getIntAcquire(STATE)) { // the numbers of QueueState
            case 0 -> QueueState.RESET;
            case 1 -> QueueState.READY;
            case 2 -> QueueState.SUSPENDED;
            default -> QueueState.ERROR;
        };
    }
}
