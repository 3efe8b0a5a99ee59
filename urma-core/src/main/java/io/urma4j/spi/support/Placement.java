package io.urma4j.spi.support;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.urma4j.Opcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Moves bytes between memories of this process, including mapped memory of other processes: the DMA engine, run by the
 * calling thread.
 *
 * <p>Every access goes through a {@code MemorySegment}, so that a range outside, or memory that was revoked meanwhile,
 * causes an exception and never a crash.
 */
public final class Placement {
    /** Maximum length of one copy: a longer one would delay safepoints and the fence that revokes a mapping. */
    private static final long STEP_BYTES = 1 << 20;

    /**
     * Loads and stores eight bytes at once if they are aligned, which HotSpot does by one instruction in each of its tiers,
     * and in parts otherwise. So no caller has to check the address first.
     */
    private static final ValueLayout.OfLong EIGHT_BYTES = JAVA_LONG_UNALIGNED;

    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final VarHandle U32 = JAVA_INT.varHandle();

    private Placement() {}

    /**
     * Copies into memory that other threads read. All earlier writes of this thread are visible to a reader that sees the
     * bytes (S8.10).
     */
    public static void write(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        VarHandle.releaseFence(); // the bytes of an earlier WRITE are there before these
        if (lengthBytes == Long.BYTES) {
            to.set(EIGHT_BYTES, toOffset, from.get(EIGHT_BYTES, fromOffset));
        } else {
            copy(from, fromOffset, to, toOffset, lengthBytes);
        }
    }

    /** Copies out of memory that other threads write. Their writes before the copied bytes are visible afterwards. */
    public static void read(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        if (lengthBytes == Long.BYTES) {
            to.set(EIGHT_BYTES, toOffset, from.get(EIGHT_BYTES, fromOffset));
        } else {
            copy(from, fromOffset, to, toOffset, lengthBytes);
        }
        VarHandle.acquireFence();
    }

    /** Copies, in steps. */
    public static void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        long done = 0;
        while (lengthBytes - done > STEP_BYTES) {
            MemorySegment.copy(from, fromOffset + done, to, toOffset + done, STEP_BYTES);
            done += STEP_BYTES;
        }
        copyStep(from, fromOffset + done, to, toOffset + done, lengthBytes - done);
    }

    /** A naturally aligned piece of 4 or 2 bytes must not tear (S8.10); unaligned pieces may. */
    private static void copyStep(
            MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        if (lengthBytes == Integer.BYTES) {
            to.set(JAVA_INT_UNALIGNED, toOffset, from.get(JAVA_INT_UNALIGNED, fromOffset));
        } else if (lengthBytes == Short.BYTES) {
            to.set(JAVA_SHORT_UNALIGNED, toOffset, from.get(JAVA_SHORT_UNALIGNED, fromOffset));
        } else {
            MemorySegment.copy(from, fromOffset, to, toOffset, lengthBytes);
        }
    }

    /** Writes a word, as {@link #write} does eight bytes. */
    public static void writeLong(MemorySegment to, long offset, long value) {
        VarHandle.releaseFence();
        to.set(EIGHT_BYTES, offset, value);
    }

    /** Reads a word, as {@link #read} does eight bytes. */
    public static long readLong(MemorySegment from, long offset) {
        long value = from.get(EIGHT_BYTES, offset);
        VarHandle.acquireFence();
        return value;
    }

    /** Writes four bytes, as {@link #write} does. */
    public static void writeInt(MemorySegment to, long offset, int value) {
        VarHandle.releaseFence();
        to.set(JAVA_INT_UNALIGNED, offset, value);
    }

    /** Reads four bytes, as {@link #read} does. */
    public static int readInt(MemorySegment from, long offset) {
        int value = from.get(JAVA_INT_UNALIGNED, offset);
        VarHandle.acquireFence();
        return value;
    }

    /** Stores eight aligned bytes; all earlier writes are visible to a reader that sees them. */
    public static void storeRelease(MemorySegment to, long offset, long value) {
        U64.setRelease(to, offset, value);
    }

    /**
     * Whether a word is not 0. The load follows this thread's earlier stores in program order, which no compiler changes.
     * In the CPU such a store may still be in the store buffer, since there is no fence.
     */
    public static boolean isSetAfterStores(MemorySegment memory, long offset) {
        VarHandle.acquireFence(); // an instruction on no x86, but a barrier to the compiler
        return memory.get(JAVA_LONG, offset) != 0;
    }

    /**
     * Must be called after an access threw {@code cause}, before the thread continues. If memory is revoked while a thread
     * copies, HotSpot ends the copy by an asynchronous exception, and also sets the thread's interrupt flag. No thread
     * interrupted it, and a false interrupt would end threads that must survive their peer.
     *
     * <p>A real interrupt during that very copy is lost: the two cannot be distinguished.
     */
    public static void forgetFence(RuntimeException cause) {
        if (cause instanceof IllegalStateException) {
            Thread.interrupted();
        }
    }

    /**
     * The same for a thread that was interrupted before the access, or not: a real interrupt stays, whichever memory was
     * closed.
     */
    public static void forgetFence(RuntimeException cause, boolean wasInterrupted) {
        if (!wasInterrupted) {
            forgetFence(cause);
        }
    }

    /** Executes an atomic, and stores the old value into {@code result}. */
    public static void atomic(
            int opcode,
            MemorySegment memory,
            long offset,
            MemorySegment result,
            long resultOffset,
            int sizeBytes,
            long operand,
            long expected) {
        if (sizeBytes == Long.BYTES) {
            result.set(EIGHT_BYTES, resultOffset, atomic64(opcode, memory, offset, operand, expected));
        } else {
            int old = atomic32(opcode, memory, offset, (int) operand, (int) expected);
            result.set(JAVA_INT_UNALIGNED, resultOffset, old);
        }
    }

    /** Executes an atomic on four or eight aligned bytes; returns the old value, of four bytes without a sign. */
    public static long atomic(
            int opcode, MemorySegment memory, long offset, int sizeBytes, long operand, long expected) {
        return sizeBytes == Long.BYTES
                ? atomic64(opcode, memory, offset, operand, expected)
                : Integer.toUnsignedLong(atomic32(opcode, memory, offset, (int) operand, (int) expected));
    }

    /** Executes an atomic on eight aligned bytes; returns the old value. */
    public static long atomic64(int opcode, MemorySegment memory, long offset, long operand, long expected) {
        return switch (opcode) {
            case CAS -> (long) U64.compareAndExchange(memory, offset, expected, operand);
            case SWAP -> (long) U64.getAndSet(memory, offset, operand);
            case FADD -> (long) U64.getAndAdd(memory, offset, operand);
            case FSUB -> (long) U64.getAndAdd(memory, offset, -operand);
            case FAND -> (long) U64.getAndBitwiseAnd(memory, offset, operand);
            case FOR -> (long) U64.getAndBitwiseOr(memory, offset, operand);
            case FXOR -> (long) U64.getAndBitwiseXor(memory, offset, operand);
            default -> throw new IllegalArgumentException("opcode " + opcode + " is not an atomic");
        };
    }

    /** Executes an atomic on four aligned bytes; returns the old value. */
    public static int atomic32(int opcode, MemorySegment memory, long offset, int operand, int expected) {
        return switch (opcode) {
            case CAS -> (int) U32.compareAndExchange(memory, offset, expected, operand);
            case SWAP -> (int) U32.getAndSet(memory, offset, operand);
            case FADD -> (int) U32.getAndAdd(memory, offset, operand);
            case FSUB -> (int) U32.getAndAdd(memory, offset, -operand);
            case FAND -> (int) U32.getAndBitwiseAnd(memory, offset, operand);
            case FOR -> (int) U32.getAndBitwiseOr(memory, offset, operand);
            case FXOR -> (int) U32.getAndBitwiseXor(memory, offset, operand);
            default -> throw new IllegalArgumentException("opcode " + opcode + " is not an atomic");
        };
    }

    // Opcode.value() as constants, for the switches
    private static final int CAS = 0x20;
    private static final int SWAP = 0x21;
    private static final int FADD = 0x22;
    private static final int FSUB = 0x23;
    private static final int FAND = 0x24;
    private static final int FOR = 0x25;
    private static final int FXOR = 0x26;

    static {
        assert CAS == Opcode.CAS.value() && FXOR == Opcode.FXOR.value();
    }
}
