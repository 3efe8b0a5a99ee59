package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * What one native call needs beside its arguments: a place for errno, and room for one small struct. Frames are
 * lent from a fixed pool, so that no call allocates; a frame belongs to one call of one thread from {@link #claim} to
 * {@link #release}, and it may be a virtual thread, since nothing here depends on the thread's identity.
 *
 * <pre>
 *    0  errno    i32  written by the linker when the call returns
 *    8  busy     i32  1 while lent; taken with acquire, given back with release
 *   16  scratch  48 bytes
 *   64  (to 128: nothing, since CPUs prefetch lines in pairs)
 * </pre>
 */
final class CallFrame {
    static final long SCRATCH_BYTES = 48;

    private static final int COUNT = 64;
    private static final long STRIDE_BYTES = 128;
    private static final long BUSY = 8;
    private static final long SCRATCH = 16;

    private static final VarHandle I32 = JAVA_INT.varHandle();
    private static final long ERRNO = Linker.Option.captureStateLayout().byteOffset(PathElement.groupElement("errno"));
    private static final CallFrame[] POOL = pool();

    private final MemorySegment slot;
    private final MemorySegment state;
    private final MemorySegment scratch;

    private CallFrame(MemorySegment slot) {
        this.slot = slot;
        this.state = slot.asSlice(0, Linker.Option.captureStateLayout());
        this.scratch = slot.asSlice(SCRATCH, SCRATCH_BYTES);
    }

    /** An unused frame; beyond {@value #COUNT} calls at a time, a new one for the garbage collector. */
    static CallFrame claim() {
        int start = (int) Thread.currentThread().threadId();
        for (int i = 0; i < COUNT; i++) {
            CallFrame frame = POOL[start + i & COUNT - 1];
            if (frame.tryClaim()) {
                return frame;
            }
        }
        return new CallFrame(Arena.ofAuto().allocate(STRIDE_BYTES, STRIDE_BYTES));
    }

    /** The first argument of every handle that {@link Linkage#bind} made. */
    MemorySegment state() {
        return state;
    }

    /** Room for a struct of at most {@value #SCRATCH_BYTES} bytes; holds what an earlier call left there. */
    MemorySegment scratch() {
        return scratch;
    }

    /** The result of a call in the kernel's form: what it returned, or {@code -errno}. */
    int result(int returned) {
        return returned == -1 ? -errno() : returned;
    }

    /** The same for calls that return a size or an address. */
    long result(long returned) {
        return returned == -1 ? -errno() : returned;
    }

    void release() {
        I32.setRelease(slot, BUSY, 0);
    }

    private int errno() {
        return slot.get(JAVA_INT, ERRNO);
    }

    private boolean tryClaim() {
        return (int) I32.getOpaque(slot, BUSY) == 0 && I32.compareAndSet(slot, BUSY, 0, 1);
    }

    private static CallFrame[] pool() {
        MemorySegment slots = Arena.global().allocate(COUNT * STRIDE_BYTES, STRIDE_BYTES);
        var pool = new CallFrame[COUNT];
        for (int i = 0; i < COUNT; i++) {
            pool[i] = new CallFrame(slots.asSlice(i * STRIDE_BYTES, STRIDE_BYTES));
        }
        return pool;
    }
}
