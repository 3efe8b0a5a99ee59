package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/**
 * An exclusive lock on an open file, which the kernel gives up when its last descriptor closes, so also when the
 * process dies. It excludes other opens of the file, even in this process, but not duplicates of the descriptor.
 */
public final class Flock {
    private static final int LOCK_EX = 2;
    private static final int LOCK_NB = 4;
    private static final int LOCK_UN = 8;

    private static final MethodHandle FLOCK =
            Linkage.bind("flock", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private Flock() {}

    /** Takes the lock, or returns false at once when another open file has it. */
    public static boolean tryLock(Fd file) {
        int result = flock(file, LOCK_EX | LOCK_NB);
        if (result == -Errno.EAGAIN) {
            return false;
        }
        if (result < 0) {
            throw new LibcException("flock", file + ", EX|NB", -result);
        }
        return true;
    }

    public static void unlock(Fd file) {
        int result = flock(file, LOCK_UN);
        if (result < 0) {
            throw new LibcException("flock", file + ", UN", -result);
        }
    }

    private static int flock(Fd fd, int operation) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) FLOCK.invokeExact(frame.state(), number, operation));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }
}
