package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A wake that can cross a process border: readable from the first {@link #signal} to the next {@link #drain}.
 *
 * <p>Nonblocking, but any process that shares it can change that, since the flag belongs to the open file: a peer that wants to
 * can hold up the threads that signal it. Therefore the calls are ordinary ones, not critical: such a thread at least
 * does not hold up the garbage collector.
 */
public final class EventFd implements AutoCloseable {
    private static final int EFD_CLOEXEC = 0x80000;
    private static final int EFD_NONBLOCK = 0x800;
    private static final MemorySegment ONE = one();

    private static final MethodHandle EVENTFD =
            Linkage.bind("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle WRITE =
            Linkage.bind("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle READ =
            Linkage.bind("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));

    private final Fd fd;

    private EventFd(Fd fd) {
        this.fd = fd;
    }

    public static EventFd create() {
        int number = eventfd(EFD_CLOEXEC | EFD_NONBLOCK);
        if (number < 0) {
            throw new LibcException("eventfd", "CLOEXEC|NONBLOCK", -number);
        }
        return new EventFd(Fd.own(number, "eventfd"));
    }

    /**
     * Takes over an eventfd that another process made.
     *
     * @throws IllegalArgumentException if it is something else, or blocking; then it still belongs to the caller
     */
    public static EventFd adopt(Fd fd) {
        DescriptorKind.checkEventFd(fd);
        return new EventFd(fd);
    }

    /** Wakes the waiting threads. Never waits itself: a full counter has already woken them. */
    public void signal() {
        long result = write(fd, ONE);
        if (result < 0 && result != -Errno.EAGAIN) {
            throw new LibcException("write", fd + ", 1", (int) -result);
        }
    }

    /** Takes all signals at once; returns how many there were, 0 when none. */
    public long drain() {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            long result =
                    frame.result((long) READ.invokeExact(frame.state(), number, frame.scratch(), (long) Long.BYTES));
            if (result == -Errno.EAGAIN) {
                return 0;
            }
            if (result < 0) {
                throw new LibcException("read", fd.toString(), (int) -result);
            }
            return frame.scratch().get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    /** The descriptor, to wait for it and to hand it over; closes with this object. */
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

    private static int eventfd(int flags) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) EVENTFD.invokeExact(frame.state(), 0, flags));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private static long write(Fd fd, MemorySegment bytes) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((long) WRITE.invokeExact(frame.state(), number, bytes, bytes.byteSize()));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    private static MemorySegment one() {
        MemorySegment one = Arena.global().allocate(JAVA_LONG);
        one.set(JAVA_LONG, 0, 1);
        return one.asReadOnly();
    }
}
