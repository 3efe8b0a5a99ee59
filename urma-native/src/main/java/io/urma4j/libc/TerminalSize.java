package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.OptionalInt;

/** How wide the terminal behind a standard stream is: {@code TIOCGWINSZ} of {@code ioctl_tty(2)}. */
public final class TerminalSize {
    private static final long TIOCGWINSZ = 0x5413;
    private static final long WS_COL = 2; // behind ws_row; both are unsigned short

    private static final MethodHandle IOCTL = Linkage.bind(
            "ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), Linker.Option.firstVariadicArg(2));

    private TerminalSize() {}

    /**
     * The columns of the terminal.
     *
     * @param descriptor number of an open descriptor, such as 1 for standard output
     * @return nothing where the descriptor is no terminal, or the terminal does not know its size
     */
    public static OptionalInt columns(int descriptor) {
        CallFrame frame = CallFrame.claim();
        try {
            frame.scratch().set(JAVA_INT, 0, 0);
            int result = frame.result((int) IOCTL.invokeExact(frame.state(), descriptor, TIOCGWINSZ, frame.scratch()));
            int columns = Short.toUnsignedInt(frame.scratch().get(JAVA_SHORT, WS_COL));
            return result < 0 || columns == 0 ? OptionalInt.empty() : OptionalInt.of(columns);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }
}
