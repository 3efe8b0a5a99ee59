package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.urma4j.libc.Layouts.Rlimit;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** What the kernel lets this process use: {@code getrlimit(2)}. */
public enum ResourceLimit {
    /** Open descriptors: one more than the highest number. */
    NOFILE(7),
    /** Bytes that may be locked in memory. */
    MEMLOCK(8),
    /** Bytes of address space. */
    AS(9);

    /** A limit that is none. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    private static final long RLIM_INFINITY = -1;

    private static final MethodHandle GETRLIMIT =
            Linkage.bind("getrlimit", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle SETRLIMIT =
            Linkage.bind("setrlimit", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));

    private final int number;

    ResourceLimit(int number) {
        this.number = number;
    }

    /**
     * A limit of two steps, each {@link #UNLIMITED} or a number.
     *
     * @param soft what holds
     * @param hard how far this process may raise it
     */
    public record Bounds(long soft, long hard) {}

    public Bounds bounds() {
        CallFrame frame = CallFrame.claim();
        try {
            int result = frame.result((int) GETRLIMIT.invokeExact(frame.state(), number, frame.scratch()));
            if (result < 0) {
                throw new LibcException("getrlimit", name(), -result);
            }
            return new Bounds(fromKernel(Rlimit.soft(frame.scratch())), fromKernel(Rlimit.hard(frame.scratch())));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    /** Changes it for the whole process and its children; EPERM to raise the hard limit without privilege. */
    public void set(Bounds bounds) {
        CallFrame frame = CallFrame.claim();
        try {
            Rlimit.set(frame.scratch(), toKernel(bounds.soft()), toKernel(bounds.hard()));
            int result = frame.result((int) SETRLIMIT.invokeExact(frame.state(), number, frame.scratch()));
            if (result < 0) {
                throw new LibcException("setrlimit", name() + ", " + bounds, -result);
            }
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private static long fromKernel(long value) {
        return value < 0 ? UNLIMITED : value;
    }

    private static long toKernel(long value) {
        return value == UNLIMITED ? RLIM_INFINITY : value;
    }
}
