package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.libc.Layouts.EpollEvent;
import io.urma4j.libc.Layouts.Timespec;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Objects;

/**
 * Waits for many descriptors at once, without allocation.
 *
 * <p>One thread waits and reads the events of its last wait; any thread may add, modify and remove meanwhile. Closing
 * does not end a wait: signal an {@link EventFd} that is in the set. A descriptor leaves the set by
 * {@link #remove}; to close it is not enough while a duplicate of it is open elsewhere, say in a peer.
 */
public final class Epoll implements AutoCloseable {
    /** Something can be read, or the peer has ended. */
    public static final int IN = 0x1;
    /** Something can be written. */
    public static final int OUT = 0x4;
    /** An error is pending; always reported. */
    public static final int ERR = 0x8;
    /** Both directions have ended; always reported. */
    public static final int HUP = 0x10;
    /** The peer will send nothing more. */
    public static final int RDHUP = 0x2000;
    /** Report a change once, not a state again and again. */
    public static final int EDGE_TRIGGERED = 1 << 31;
    /** Report once, and then nothing until {@link #modify}. */
    public static final int ONCE = 1 << 30;

    private static final int EPOLL_CLOEXEC = 0x80000;

    private static final MethodHandle EPOLL_CREATE1 =
            Linkage.bind("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle EPOLL_CTL =
            Linkage.bind("epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle EPOLL_WAIT =
            Linkage.bind("epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final MethodHandle EPOLL_PWAIT2 = Linkage.bindKernelCall(
            KernelCall.EPOLL_PWAIT2,
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG));

    private static final long NANOS_PER_MILLI = 1_000_000;

    private enum Operation {
        ADD(1),
        DEL(2),
        MOD(3);

        private final int number;

        Operation(int number) {
            this.number = number;
        }
    }

    private final Fd fd;
    private final int capacity;
    private final MemorySegment events;
    private int ready; // of the thread that waits
    private boolean hasPwait2 = true; // of the thread that waits: kernels before 5.11 lack it

    private Epoll(Fd fd, int capacity) {
        this.fd = fd;
        this.capacity = capacity;
        // not an arena that closes: it would have to wait for a thread in await
        this.events = Arena.ofAuto().allocate(capacity * EpollEvent.BYTES, Long.BYTES);
    }

    /**
     * A new, empty set.
     *
     * @param capacity the most events that one wait reports; more are left for the next
     */
    public static Epoll create(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity " + capacity + " is below 1");
        }
        int number = epollCreate(EPOLL_CLOEXEC);
        if (number < 0) {
            throw new LibcException("epoll_create1", "CLOEXEC", -number);
        }
        return new Epoll(Fd.own(number, "epoll"), capacity);
    }

    /** Waits for {@code events} of {@code watched} too; they are reported with {@code tag}. */
    public void add(Fd watched, int events, long tag) {
        control(Operation.ADD, watched, events, tag);
    }

    public void modify(Fd watched, int events, long tag) {
        control(Operation.MOD, watched, events, tag);
    }

    public void remove(Fd watched) {
        control(Operation.DEL, watched, 0, 0);
    }

    /**
     * Waits until something is ready.
     *
     * @param timeoutMillis 0 looks only, -1 waits without an end
     * @return the number of events to be read by {@link #tag} and {@link #events}; 0 after the timeout, or earlier
     *     when a signal came
     */
    public int await(int timeoutMillis) {
        int result = epollWait(timeoutMillis);
        if (result < 0 && result != -Errno.EINTR) {
            throw new LibcException("epoll_wait", fd + ", timeoutMillis=" + timeoutMillis, -result);
        }
        ready = Math.max(result, 0);
        return ready;
    }

    /**
     * Waits until something is ready, as {@link #await} does, for a time that may be shorter than a millisecond. A kernel
     * that cannot (before 5.11) waits up to a millisecond longer.
     *
     * @param timeoutNanos 0 looks only, {@code Long.MAX_VALUE} waits without an end
     */
    public int awaitNanos(long timeoutNanos) {
        if (timeoutNanos == Long.MAX_VALUE) {
            return await(-1);
        }
        if (hasPwait2 && timeoutNanos % NANOS_PER_MILLI != 0) {
            int result = epollPwait2(timeoutNanos);
            if (result >= 0 || result == -Errno.EINTR) {
                ready = Math.max(result, 0);
                return ready;
            }
            hasPwait2 = false; // ENOSYS, or a sandbox that forbids it: epoll_wait tells what else is wrong
        }
        long millis = timeoutNanos / NANOS_PER_MILLI + (timeoutNanos % NANOS_PER_MILLI == 0 ? 0 : 1);
        return await((int) Math.min(millis, Integer.MAX_VALUE));
    }

    /** The tag of the event at {@code index} of the last wait. */
    public long tag(int index) {
        return EpollEvent.tag(events, Objects.checkIndex(index, ready));
    }

    /** The flags of the event at {@code index} of the last wait: {@link #IN} and its like. */
    public int events(int index) {
        return EpollEvent.events(events, Objects.checkIndex(index, ready));
    }

    @Override
    public void close() {
        fd.close();
    }

    @Override
    public String toString() {
        return fd.toString();
    }

    private void control(Operation operation, Fd watched, int wanted, long tag) {
        int result = epollControl(operation, watched, wanted, tag);
        if (result < 0) {
            throw new LibcException(
                    "epoll_ctl",
                    fd + ", " + operation + ", " + watched + ", events=0x" + Integer.toHexString(wanted),
                    -result);
        }
    }

    private static int epollCreate(int flags) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) EPOLL_CREATE1.invokeExact(frame.state(), flags));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private int epollControl(Operation operation, Fd watched, int wanted, long tag) {
        int set = fd.acquire();
        try {
            int number = watched.acquire();
            CallFrame frame = CallFrame.claim();
            try {
                EpollEvent.set(frame.scratch(), wanted, tag);
                return frame.result(
                        (int) EPOLL_CTL.invokeExact(frame.state(), set, operation.number, number, frame.scratch()));
            } catch (Throwable e) {
                throw Linkage.rethrow(e);
            } finally {
                frame.release();
                watched.release();
            }
        } finally {
            fd.release();
        }
    }

    private int epollPwait2(long timeoutNanos) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            Timespec.set(frame.scratch(), timeoutNanos);
            return (int) frame.result((long) EPOLL_PWAIT2.invokeExact(
                    frame.state(), number, events, capacity, frame.scratch(), MemorySegment.NULL, 0L));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    private int epollWait(int timeoutMillis) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) EPOLL_WAIT.invokeExact(frame.state(), number, events, capacity, timeoutMillis));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }
}
