package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.transport.CopyState;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Copies between registered device memory and fragments of host memory, for a card. A region is the number of a registration. A
 * copy has a positive number, and stays until it is {@linkplain #release released}. All calls are for the thread of the card, and
 * none blocks.
 *
 * <p>Of two copies of one region with common bytes, the one that began later takes effect later. While an atomic works on a
 * region, other copies into that region are {@linkplain Memory#BUSY busy}.
 *
 * <p>Each method that begins a copy returns its number, {@link Memory#BUSY} if no fragment is free or the region is occupied, or
 * {@link Memory#REFUSED} if the memory is gone. The waiter hears of the end, and of the time to try once more.
 *
 * <p>The defaults are those of a card without device memory.
 */
public interface CopyPort {
    /** No memory lies on a device. */
    CopyPort NONE = new CopyPort() {};

    /** Longest copy: that of a fragment. */
    int MAX_BYTES = 1 << 16;

    /** Begins to copy bytes of a region to a fragment. */
    default long copyOut(int region, long offset, int lengthBytes, CopyWaiter waiter) {
        return Memory.REFUSED;
    }

    /** Begins to copy bytes into a region. They may change when this returns. */
    default long copyIn(
            int region, long offset, NativeMemory from, long fromOffset, int lengthBytes, CopyWaiter waiter) {
        return Memory.REFUSED;
    }

    /** Begins an atomic of 4 or 8 bytes. */
    default long atomic(
            int opcode, int region, long offset, int sizeBytes, long operand, long expected, CopyWaiter waiter) {
        return Memory.REFUSED;
    }

    /** Makes one copy of two, which has ended when both have, and succeeded if both have; the second number is void. */
    default void join(long copy, long other) {
        throw new IllegalArgumentException("unknown copy " + copy);
    }

    /**
     * Whether the copies of a packet can begin now, whatever ranges it has, and none of which is longer. If not, the waiter hears
     * of the time.
     */
    default boolean mayBegin(int region, int lengthBytes, CopyWaiter waiter) {
        return true;
    }

    /** Whether many bytes may be awaited for a region: at least half of the fragments are free. The waiter hears of the time. */
    default boolean hasRoom(int region, CopyWaiter waiter) {
        return true;
    }

    default CopyState state(long copy) {
        return CopyState.REFUSED;
    }

    /** The bytes of a {@link #copyOut} that is {@link CopyState#DONE}, from the start of the fragment. */
    default MemorySegment bytes(long copy) {
        return MemorySegment.NULL;
    }

    /** The value before an atomic that is {@link CopyState#DONE}. */
    default long original(long copy) {
        return 0;
    }

    /** The copy is needed no more. If it has not ended, it ends unheard. */
    default void release(long copy) {}

    /**
     * A number whose state is {@link CopyState#RUNNING} until the copies have ended that are in progress now, of that region and
     * perhaps of others; then it is DONE. It need not be released. The waiter hears of the end.
     *
     * @param earlier such a number with the same waiter, which is to cover these copies as well, or {@link Memory#AT_ONCE}
     * @return {@link Memory#AT_ONCE} if no copy is in progress
     */
    default long barrier(long earlier, int region, CopyWaiter waiter) {
        return Memory.AT_ONCE;
    }

    /** Wakes the waiters of copies that have ended, and goes on with atomics. */
    default void poll() {}
}
