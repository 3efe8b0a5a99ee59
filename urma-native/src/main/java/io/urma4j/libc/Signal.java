package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** Signals that stop, continue and end a process. */
public enum Signal {
    KILL(9),
    TERM(15),
    CONT(18),
    STOP(19);

    private static final MethodHandle SEND = Linkage.bind("kill", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle RAISE = Linkage.bind("raise", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private final int number;

    Signal(int number) {
        this.number = number;
    }

    /** ESRCH when there is no such process, EPERM when it is another user's. */
    public void sendTo(int pid) {
        if (pid <= 0) { // to the kernel: a whole group, or everybody
            throw new IllegalArgumentException("pid " + pid + " is not a process");
        }
        int result = kill(pid, number);
        if (result < 0) {
            throw new LibcException("kill", "pid=" + pid + ", SIG" + name(), -result);
        }
    }

    /**
     * Sends it to the calling thread, which takes it before this returns. {@link #sendTo} to the own process may return before: the
     * kernel lets the main thread take the signal, once that has a CPU.
     */
    public void raise() {
        CallFrame frame = CallFrame.claim();
        try {
            int result = frame.result((int) RAISE.invokeExact(frame.state(), number));
            if (result < 0) {
                throw new LibcException("raise", "SIG" + name(), -result);
            }
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private static int kill(int pid, int number) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) SEND.invokeExact(frame.state(), pid, number));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }
}
