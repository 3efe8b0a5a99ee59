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
 * Moves bytes between memories of this process, the mapped memory of others among them: the DMA engine, run by the thread
 * that calls.
 *
 * <p>Every access goes through a {@code MemorySegment}, so that a range outside, or memory that was taken away meanwhile,
 * is an exception and never a crash.
 */
public final class Placement {
    /** Longest copy in one go: a longer one would hold up safepoints and the fence that revokes a mapping. */
    private static final long STEP_BYTES = 1 << 20;

    /**
     * Loads and stores eight bytes at once where they are aligned, which HotSpot does by one instruction in each of its
     * tiers, and in parts elsewhere: so nobody has to look at the address first.
     */
    private static final ValueLayout.OfLong EIGHT_BYTES = JAVA_LONG_UNALIGNED;

    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final VarHandle U32 = JAVA_INT.varHandle();

    private Placement() {}

    /**
     * Copies into memory that others read. Everything written before by this thread is visible to who sees the bytes
     * (S8.10).
     */
    public static void write(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        VarHandle.releaseFence(); // the bytes of an earlier WRITE are there before these
        if (lengthBytes == Long.BYTES) {
            to.set(EIGHT_BYTES, toOffset, from.get(EIGHT_BYTES, fromOffset));
        } else {
            copy(from, fromOffset, to, toOffset, lengthBytes);
        }
    }

    /** Copies out of memory that others write. What they wrote before the bytes that we see is visible afterwards. */
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

    /** A naturally aligned piece of 4 or 2 bytes must not tear (S8.10); like eight bytes it is aligned, or may. */
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

    /** Stores eight aligned bytes; everything written before is visible to who sees them. */
    public static void storeRelease(MemorySegment to, long offset, long value) {
        U64.setRelease(to, offset, value);
    }

    /**
     * Whether a word is other than 0. The look comes after this thread's earlier stores in the order of the program, which
     * no compiler changes; in the CPU such a store may still be on its way out, as there is no fence.
     */
    public static boolean isSetAfterStores(MemorySegment memory, long offset) {
        VarHandle.acquireFence(); // an instruction on no x86, but a barrier to the compiler
        return memory.get(JAVA_LONG, offset) != 0;
    }

    /**
     * To be called after an access threw {@code cause}, before the thread goes on. When memory is taken away from a thread
     * in the middle of a copy, HotSpot throws it out by an asynchronous exception, and on the way sets its interrupt flag.
     * Nobody interrupted it, and to be told so would end threads that are to survive their peer.
     *
     * <p>An interrupt that really came during that very copy is lost: the two cannot be told apart.
     */
    public static void forgetFence(RuntimeException cause) {
        if (cause instanceof IllegalStateException) {
            Thread.interrupted();
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

    /** Executes an atomic on eight aligned bytes; gives the old value. */
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

    /** Executes an atomic on four aligned bytes; gives the old value. */
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
