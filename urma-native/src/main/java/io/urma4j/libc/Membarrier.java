package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/**
 * A full fence on the running threads of other CPUs, so that they need none of their own: {@code membarrier(2)}. It
 * interrupts those CPUs and takes microseconds.
 */
public final class Membarrier {
    private static final int QUERY = 0;

    private static final MethodHandle MEMBARRIER = Linkage.bindKernelCall(
            KernelCall.MEMBARRIER, FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT));

    private Membarrier() {}

    /** What the kernel is asked to do. */
    public enum Command {
        /** Fence every process that registered for it. */
        GLOBAL_EXPEDITED(2),
        /** Let this process be fenced by GLOBAL_EXPEDITED of others. */
        REGISTER_GLOBAL_EXPEDITED(4),
        /** Fence the threads of this process; EPERM unless registered. */
        PRIVATE_EXPEDITED(8),
        REGISTER_PRIVATE_EXPEDITED(16);

        private final int bit;

        Command(int bit) {
            this.bit = bit;
        }
    }

    /** Whether the kernel has it; false too where a sandbox forbids the call. */
    public static boolean supports(Command command) {
        int commands = membarrier(QUERY);
        return commands > 0 && (commands & command.bit) != 0;
    }

    public static void issue(Command command) {
        int result = membarrier(command.bit);
        if (result < 0) {
            throw new LibcException("membarrier", command.toString(), -result);
        }
    }

    private static int membarrier(int command) {
        CallFrame frame = CallFrame.claim();
        try {
            return (int) frame.result((long) MEMBARRIER.invokeExact(frame.state(), command, 0, 0));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }
}
