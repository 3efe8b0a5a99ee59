package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Moves bytes between packets and registered memory. Memory that was closed meanwhile, that is read-only, or that belongs to
 * another thread, is reported in the result, and never a crash or an exception.
 *
 * <p>Naturally aligned pieces of 2, 4 and 8 bytes of registered memory are loaded and stored at once (S8.10).
 */
final class Dma {
    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final VarHandle U32 = JAVA_INT.varHandle();
    private static final VarHandle U16 = JAVA_SHORT.varHandle();

    private Dma() {}

    /** Copies into memory that other threads read: earlier writes are visible to a reader that sees these bytes. */
    static boolean write(NativeMemory from, long fromOffset, MemorySegment to, long toOffset, int lengthBytes) {
        try {
            long address = to.address() + toOffset;
            if (lengthBytes == Long.BYTES && (address & 7) == 0) {
                U64.setRelease(to, toOffset, from.getLong(fromOffset));
            } else if (lengthBytes == Integer.BYTES && (address & 3) == 0) {
                U32.setRelease(to, toOffset, from.getInt(fromOffset));
            } else if (lengthBytes == Short.BYTES && (address & 1) == 0) {
                U16.setRelease(to, toOffset, from.getShort(fromOffset));
            } else {
                VarHandle.releaseFence();
                MemorySegment.copy(from.segment(), fromOffset, to, toOffset, lengthBytes);
            }
            return true;
        } catch (RuntimeException e) {
            return isUnusable(e);
        }
    }

    /** Copies out of memory that other threads write: their writes before the copied bytes are visible afterwards. */
    static boolean read(MemorySegment from, long fromOffset, NativeMemory to, long toOffset, int lengthBytes) {
        try {
            long address = from.address() + fromOffset;
            if (lengthBytes == Long.BYTES && (address & 7) == 0) {
                to.setLong(toOffset, (long) U64.getAcquire(from, fromOffset));
            } else if (lengthBytes == Integer.BYTES && (address & 3) == 0) {
                to.setInt(toOffset, (int) U32.getAcquire(from, fromOffset));
            } else if (lengthBytes == Short.BYTES && (address & 1) == 0) {
                to.setShort(toOffset, (short) U16.getAcquire(from, fromOffset));
            } else {
                MemorySegment.copy(from, fromOffset, to.segment(), toOffset, lengthBytes);
                VarHandle.acquireFence();
            }
            return true;
        } catch (RuntimeException e) {
            return isUnusable(e);
        }
    }

    /** Stores eight aligned bytes; all earlier writes are visible to a reader that sees them. */
    static boolean store(MemorySegment to, long offset, long value) {
        if ((to.address() + offset & 7) != 0) {
            return false;
        }
        try {
            U64.setRelease(to, offset, value);
            return true;
        } catch (RuntimeException e) {
            return isUnusable(e);
        }
    }

    /** The memory was closed, is read-only, or belongs to another thread. No exception may stop the card. */
    private static boolean isUnusable(RuntimeException cause) {
        Placement.forgetFence(cause);
        return false;
    }
}
