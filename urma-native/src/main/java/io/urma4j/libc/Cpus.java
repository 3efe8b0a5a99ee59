package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;

/** On which CPUs the calling thread may run, and where it does. CPUs are numbered as by the kernel. */
public final class Cpus {
    /** Room for 8192 CPUs, the most that Linux can be built for; the kernel refuses less than it was built for. */
    private static final long SET_BYTES = 1024;

    private static final MethodHandle SCHED_GETAFFINITY =
            Linkage.bind("sched_getaffinity", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));
    private static final MethodHandle SCHED_SETAFFINITY =
            Linkage.bind("sched_setaffinity", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));
    private static final MethodHandle SCHED_GETCPU =
            Linkage.bindCritical("sched_getcpu", FunctionDescriptor.of(JAVA_INT));

    private Cpus() {}

    /** Where the calling thread is just now; it may be elsewhere before this returns. */
    public static int current() {
        try {
            return (int) SCHED_GETCPU.invokeExact();
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        }
    }

    /** Where the calling thread may run. */
    public static BitSet allowed() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(SET_BYTES, Long.BYTES);
            int result = affinity(SCHED_GETAFFINITY, set);
            if (result < 0) {
                throw new LibcException("sched_getaffinity", "this thread", -result);
            }
            return BitSet.valueOf(set.toArray(JAVA_BYTE));
        }
    }

    /**
     * Ties the calling thread to some CPUs, and the threads that it starts later; EINVAL when it may use none of
     * them.
     *
     * @throws IllegalStateException in a virtual thread, since it would tie whichever thread carries it
     */
    public static void pinCurrentThread(BitSet cpus) {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread cannot be pinned to CPUs " + cpus);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(SET_BYTES, Long.BYTES);
            set.copyFrom(MemorySegment.ofArray(cpus.toByteArray()));
            int result = affinity(SCHED_SETAFFINITY, set);
            if (result < 0) {
                throw new LibcException("sched_setaffinity", "this thread, cpus=" + cpus, -result);
            }
        }
    }

    private static int affinity(MethodHandle call, MemorySegment set) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) call.invokeExact(frame.state(), 0, SET_BYTES, set));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }
}
