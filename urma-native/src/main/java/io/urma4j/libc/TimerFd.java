package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.urma4j.libc.Layouts.Itimerspec;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * An alarm that one thread waits for and any other may put off: readable once its time has come, until it is set anew. Who
 * waits is not woken by being put off, as it would be by a time of its own that had become too early. To set it allocates
 * nothing.
 */
public final class TimerFd implements AutoCloseable {
    private static final int CLOCK_MONOTONIC = 1;
    private static final int TFD_CLOEXEC = 0x80000;
    private static final int TFD_NONBLOCK = 0x800;

    private static final MethodHandle TIMERFD_CREATE =
            Linkage.bind("timerfd_create", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final FunctionDescriptor SETTIME =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle TIMERFD_SETTIME = Linkage.bind("timerfd_settime", SETTIME);
    private static final MethodHandle TIMERFD_SETTIME_BARE = Linkage.bindBare("timerfd_settime", SETTIME);

    private final Fd fd;

    private TimerFd(Fd fd) {
        this.fd = fd;
    }

    /** One that is not set. */
    public static TimerFd create() {
        int number = timerfdCreate(TFD_CLOEXEC | TFD_NONBLOCK);
        if (number < 0) {
            throw new LibcException("timerfd_create", "MONOTONIC, CLOEXEC|NONBLOCK", -number);
        }
        return new TimerFd(Fd.own(number, "timerfd"));
    }

    /**
     * Sets it, whatever it was set to before. Any thread.
     *
     * @param delayNanos from now on; at least 1
     */
    public void set(long delayNanos) {
        if (delayNanos < 1) {
            throw new IllegalArgumentException("delayNanos " + delayNanos + " is below 1");
        }
        int result = settime(delayNanos);
        if (result < 0) {
            throw new LibcException("timerfd_settime", fd + ", delayNanos=" + delayNanos, -result);
        }
    }

    /** The descriptor, to wait for it; closes with this object. */
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

    /** What failed a moment ago is tried once more, and tells why. */
    private static int setAgain(CallFrame frame, int number) throws Throwable {
        return frame.result(
                (int) TIMERFD_SETTIME.invokeExact(frame.state(), number, 0, frame.scratch(), MemorySegment.NULL));
    }

    private static int timerfdCreate(int flags) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) TIMERFD_CREATE.invokeExact(frame.state(), CLOCK_MONOTONIC, flags));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private int settime(long delayNanos) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            Itimerspec.setOnce(frame.scratch(), delayNanos);
            int result = (int) TIMERFD_SETTIME_BARE.invokeExact(number, 0, frame.scratch(), MemorySegment.NULL);
            return result >= 0 ? result : setAgain(frame, number);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }
}
