package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** What sockets of every family have in common. */
final class SocketCalls {
    static final int SOCK_NONBLOCK = 0x800;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SOL_SOCKET = 1;

    static final MethodHandle SOCKET =
            Linkage.bind("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    static final MethodHandle BIND = Linkage.bind("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    static final MethodHandle CONNECT =
            Linkage.bind("connect", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    static final MethodHandle GETSOCKOPT =
            Linkage.bind("getsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));

    private static final int SO_LINGER = 13;
    private static final int LINGER_BYTES = 8;
    private static final MethodHandle SETSOCKOPT = Linkage.bind(
            "setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

    private SocketCalls() {}

    /** Has the last close of a socket not wait for its unsent data. Does nothing to other files. */
    static void endLingering(int number) {
        CallFrame frame = CallFrame.claim();
        try {
            MemorySegment off = frame.scratch().asSlice(0, LINGER_BYTES).fill((byte) 0);
            int ignored = (int) SETSOCKOPT.invokeExact(frame.state(), number, SOL_SOCKET, SO_LINGER, off, LINGER_BYTES);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }
}
