package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.libc.Layouts.Cmsghdr;
import io.urma4j.libc.Layouts.Iovec;
import io.urma4j.libc.Layouts.Msghdr;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * One message of a Unix socket with its descriptors: {@code sendmsg(2)} and {@code recvmsg(2)}.
 *
 * <p>The bytes are copied into and out of memory of the call: the kernel finds them through a pointer in a struct,
 * and nothing would keep the caller's arena open meanwhile. Messages here are short and rare.
 */
final class SocketMessage {
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_TRUNC = 0x20;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;

    private static final MethodHandle SENDMSG =
            Linkage.bind("sendmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle RECVMSG =
            Linkage.bind("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));

    private SocketMessage() {}

    static int send(Fd socket, MemorySegment message, Fd... descriptors) {
        if (message.byteSize() == 0) {
            throw new IllegalArgumentException("an empty message on " + socket + " would look like its end");
        }
        int acquired = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(message.byteSize()).copyFrom(message);
            MemorySegment control = control(descriptors.length, arena);
            for (Fd descriptor : descriptors) {
                Cmsghdr.setDescriptor(control, acquired, descriptor.acquire());
                acquired++;
            }
            return sent(socket, header(bytes, control, arena), message.byteSize(), descriptors);
        } finally {
            for (int i = 0; i < acquired; i++) {
                descriptors[i].release();
            }
        }
    }

    static int receive(Fd socket, SocketInbox inbox) {
        // With MSG_TRUNC the result is the true length of a message that did not fit.
        int flags = MSG_DONTWAIT | MSG_CMSG_CLOEXEC | MSG_TRUNC;
        long result = message(RECVMSG, socket, inbox.prepared(), flags);
        if (result == -Errno.ECONNRESET) {
            // The peer left messages unread. The kernel says that once, before those that the peer has sent.
            result = message(RECVMSG, socket, inbox.prepared(), flags);
        }
        if (result < 0) {
            return notReceived(socket, (int) -result);
        }
        inbox.arrived(socket, (int) result);
        return result == 0 ? UnixSocket.PEER_GONE : (int) result;
    }

    private static MemorySegment control(int descriptors, Arena arena) {
        if (descriptors == 0) {
            return MemorySegment.NULL;
        }
        MemorySegment control = arena.allocate(Cmsghdr.lengthBytes(descriptors), Long.BYTES);
        Cmsghdr.set(control, SOL_SOCKET, SCM_RIGHTS, descriptors);
        return control;
    }

    private static MemorySegment header(MemorySegment bytes, MemorySegment control, Arena arena) {
        MemorySegment iovec = arena.allocate(Iovec.BYTES, Long.BYTES);
        Iovec.set(iovec, bytes);
        MemorySegment header = arena.allocate(Msghdr.BYTES, Long.BYTES);
        Msghdr.set(header, iovec, control);
        return header;
    }

    private static int sent(Fd socket, MemorySegment header, long lengthBytes, Fd... descriptors) {
        long result = message(SENDMSG, socket, header, MSG_DONTWAIT | MSG_NOSIGNAL);
        return switch ((int) -Math.min(result, 0)) {
            case 0 -> (int) result;
            case Errno.EAGAIN -> UnixSocket.WOULD_BLOCK;
            case Errno.EPIPE, Errno.ECONNRESET -> UnixSocket.PEER_GONE;
            default ->
                throw new LibcException(
                        "sendmsg",
                        socket + ", lengthBytes=" + lengthBytes + ", descriptors=" + List.of(descriptors),
                        (int) -result);
        };
    }

    private static int notReceived(Fd socket, int errno) {
        return switch (errno) {
            case Errno.ECONNRESET -> UnixSocket.PEER_GONE;
            case Errno.EAGAIN, Errno.EINTR -> UnixSocket.WOULD_BLOCK;
            default -> throw new LibcException("recvmsg", socket.toString(), errno);
        };
    }

    private static long message(MethodHandle call, Fd socket, MemorySegment header, int flags) {
        int number = socket.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((long) call.invokeExact(frame.state(), number, header, flags));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            socket.release();
        }
    }
}
