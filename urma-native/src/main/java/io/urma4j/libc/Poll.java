package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.libc.Layouts.PollFd;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** Waits for one descriptor: {@code poll(2)}. For many, or again and again, see {@link Epoll}. */
public final class Poll {
    public static final int IN = 0x1;
    public static final int OUT = 0x4;
    public static final int ERR = 0x8;
    public static final int HUP = 0x10;

    private static final MethodHandle POLL =
            Linkage.bind("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));

    private Poll() {}

    /**
     * Waits until one of {@code events} holds; ERR and HUP always count.
     *
     * @param timeoutMillis 0 looks only, -1 waits without an end
     * @return the events that hold; 0 after the timeout, or earlier when a signal came
     */
    public static int await(Fd fd, int events, int timeoutMillis) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            PollFd.set(frame.scratch(), number, events);
            int result = frame.result((int) POLL.invokeExact(frame.state(), frame.scratch(), 1L, timeoutMillis));
            if (result < 0 && result != -Errno.EINTR) {
                throw new LibcException("poll", fd + ", timeoutMillis=" + timeoutMillis, -result);
            }
            return result > 0 ? PollFd.returned(frame.scratch()) : 0;
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }
}
