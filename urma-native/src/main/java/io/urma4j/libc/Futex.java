package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.libc.Layouts.Timespec;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The kernel's bare wait and wake on a 32-bit word of memory, which processes may share: what other wakes are measured
 * against.
 */
public final class Futex {
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;

    private static final MethodHandle FUTEX = Linkage.bindKernelCall(
            KernelCall.FUTEX, FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));

    private Futex() {}

    /**
     * Waits while the word holds {@code expected}, for a wake or the timeout.
     *
     * @param word 4 bytes, aligned; its arena cannot close meanwhile
     * @return whether to look again: false only after the timeout
     */
    public static boolean await(MemorySegment word, int expected, long timeoutNanos) {
        CallFrame frame = CallFrame.claim();
        try {
            Timespec.set(frame.scratch(), timeoutNanos);
            int result = (int)
                    frame.result((long) FUTEX.invokeExact(frame.state(), word, FUTEX_WAIT, expected, frame.scratch()));
            return switch (-result) {
                case 0, Errno.EAGAIN, Errno.EINTR -> true;
                case Errno.ETIMEDOUT -> false;
                default -> throw new LibcException("futex", "WAIT, expected=" + expected, -result);
            };
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    /** Wakes at most {@code count} threads that wait; returns how many. */
    public static int wake(MemorySegment word, int count) {
        CallFrame frame = CallFrame.claim();
        try {
            int result = (int)
                    frame.result((long) FUTEX.invokeExact(frame.state(), word, FUTEX_WAKE, count, MemorySegment.NULL));
            if (result < 0) {
                throw new LibcException("futex", "WAKE, count=" + count, -result);
            }
            return result;
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }
}
