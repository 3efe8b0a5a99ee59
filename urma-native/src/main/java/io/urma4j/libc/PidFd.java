package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** A process by descriptor: it never means another one, as a number that is used again does. */
public final class PidFd implements AutoCloseable {
    private static final MethodHandle PIDFD_OPEN =
            Linkage.bindKernelCall(KernelCall.PIDFD_OPEN, FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_INT));

    private final Fd fd;

    PidFd(Fd fd) {
        this.fd = fd;
    }

    /** ESRCH when there is no such process; ENOSYS before Linux 5.3. */
    public static PidFd open(int pid) {
        int number = pidfdOpen(pid);
        if (number < 0) {
            throw new LibcException("pidfd_open", "pid=" + pid, -number);
        }
        return new PidFd(Fd.own(number, "pidfd of " + pid));
    }

    /** Whether the process has ended, though its parent may not have taken note yet. Then it touches no memory. */
    public boolean isExited() {
        return Poll.await(fd, Poll.IN, 0) != 0;
    }

    /** Readable once the process has ended, then hung up too when its parent has taken note; closes with this object. */
    public Fd fd() {
        return fd;
    }

    @Override
    public void close() {
        fd.close();
    }

    @Override
    public String toString() {
        return fd.toString();
    }

    private static int pidfdOpen(int pid) {
        CallFrame frame = CallFrame.claim();
        try {
            return (int) frame.result((long) PIDFD_OPEN.invokeExact(frame.state(), pid, 0));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }
}
