package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A file descriptor that this object owns.
 *
 * <p>Any thread may close it at any time, and twice. A call that is in progress on another thread keeps the number
 * taken until it returns; the kernel's close follows then. So no call ever hits a file that got the number of a closed
 * one. {@code close} does not end a call that waits in the kernel. It may wait itself where another process has chosen
 * the file; such a descriptor has a {@link DescriptorCloser}.
 */
public final class Fd implements AutoCloseable {
    private static final int F_DUPFD_CLOEXEC = 1030;

    private static final MethodHandle CLOSE = Linkage.bind("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle FCNTL = Linkage.bind(
            "fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));

    /** Set in {@link #uses} by {@link #close}; the bits below {@link #RELEASED} count the calls in progress. */
    private static final int CLOSED = 1 << 31;

    /** Set in {@link #uses} by the thread that returns the number to the kernel. */
    private static final int RELEASED = 1 << 30;

    private final int number;
    private final String what;
    private final AtomicInteger uses = new AtomicInteger();
    private volatile @Nullable DescriptorCloser closer; // null: the thread that calls close

    private Fd(int number, String what, @Nullable DescriptorCloser closer) {
        this.number = number;
        this.what = what;
        this.closer = closer;
    }

    /** Takes over a descriptor that a call just returned. */
    static Fd own(int number, String what) {
        return new Fd(number, what, null);
    }

    /** Takes over a descriptor that another process has sent. */
    static Fd received(int number, @Nullable DescriptorCloser closer) {
        return new Fd(number, "received", closer);
    }

    /** From now on the last {@link #close} is the closer's: it may wait for another process. */
    public void closeBy(DescriptorCloser patient) {
        closer = patient;
    }

    /**
     * From now on {@link #close} runs where it is called: the file is known to stay open beyond it, as that of a mapping
     * does, so that nothing waits.
     */
    public void closeHere() {
        closer = null;
    }

    /**
     * The number, for messages and for names below {@code /proc/self/fd}. It is good for as long as no thread closes
     * this object.
     *
     * @throws IllegalStateException if closed
     */
    public int number() {
        if (isClosed()) {
            throw closed();
        }
        return number;
    }

    public boolean isClosed() {
        return uses.get() < 0;
    }

    /** A second descriptor of the same open file, closed on exec, with a life of its own. */
    public Fd duplicate() {
        int result = fcntl(this, F_DUPFD_CLOEXEC, 0);
        if (result < 0) {
            throw new LibcException("fcntl", "fd=" + number + ", F_DUPFD_CLOEXEC", -result);
        }
        return new Fd(result, what, closer);
    }

    @Override
    public void close() {
        uses.getAndUpdate(state -> state | CLOSED);
        closeIfUnused();
    }

    @Override
    public String toString() {
        return "fd " + number + " (" + what + ")" + (isClosed() ? " closed" : "");
    }

    /**
     * The number for one call; {@link #release} must follow when it has returned.
     *
     * <p>It counts first and looks afterwards. A compare-and-set fails only if two threads meet, perhaps after a million
     * messages. Until then the compiler leaves that branch out, and its first execution would discard the caller's code.
     */
    int acquire() {
        if (uses.getAndIncrement() < 0) {
            release();
            throw closed();
        }
        return number;
    }

    void release() {
        if (uses.decrementAndGet() == CLOSED) {
            closeIfUnused(); // closed during the call, and no other call is left
        }
    }

    /** Of several threads that find a closed descriptor without calls, one closes it. */
    private void closeIfUnused() {
        if (uses.compareAndSet(CLOSED, CLOSED | RELEASED)) {
            closeNow();
        }
    }

    String what() {
        return what;
    }

    static int fcntl(Fd fd, int command, int argument) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) FCNTL.invokeExact(frame.state(), number, command, argument));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    /** Closes a number that no object owns yet. */
    static int close(int number) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) CLOSE.invokeExact(frame.state(), number));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private void closeNow() {
        DescriptorCloser patient = closer;
        if (patient != null) {
            patient.closeLater(number);
            return;
        }
        int result = close(number);
        if (result < 0 && result != -Errno.EINTR) { // Linux has freed the number even then
            throw new LibcException("close", "fd=" + number, -result);
        }
    }

    private IllegalStateException closed() {
        return new IllegalStateException("fd " + number + " (" + what + ") is closed");
    }
}
