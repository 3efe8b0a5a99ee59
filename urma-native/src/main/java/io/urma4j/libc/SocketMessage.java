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
import java.util.ArrayList;
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
    private static final int MSG_CTRUNC = 0x8;
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

    static int receive(Fd socket, MemorySegment buffer, List<Fd> descriptors, int maxDescriptors) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(buffer.byteSize());
            // Without padding behind the last descriptor, or the kernel would fit one more into it.
            MemorySegment control = control(maxDescriptors, arena);
            MemorySegment header = header(bytes, control, arena);
            // With MSG_TRUNC the result is the true length of a message that did not fit.
            long result = message(RECVMSG, socket, header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | MSG_TRUNC);
            if (result <= 0) {
                return notReceived(socket, (int) -result);
            }
            List<Fd> received = descriptors(header, control);
            if ((Msghdr.flags(header) & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
                received.forEach(Fd::close);
                throw truncated(socket, header, result, buffer.byteSize(), maxDescriptors);
            }
            MemorySegment.copy(bytes, 0, buffer, 0, result);
            descriptors.addAll(received);
            return (int) result;
        }
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
            case 0, Errno.ECONNRESET -> UnixSocket.PEER_GONE;
            case Errno.EAGAIN, Errno.EINTR -> UnixSocket.WOULD_BLOCK;
            default -> throw new LibcException("recvmsg", socket.toString(), errno);
        };
    }

    /** Takes over every descriptor that the kernel installed for us. */
    private static List<Fd> descriptors(MemorySegment header, MemorySegment control) {
        List<Fd> received = new ArrayList<>();
        long end = Msghdr.controlLength(header);
        for (long at = 0; at + Cmsghdr.BYTES <= end; at = Cmsghdr.next(control, at)) {
            if (Cmsghdr.level(control, at) != SOL_SOCKET || Cmsghdr.type(control, at) != SCM_RIGHTS) {
                continue;
            }
            int count = (int) ((Cmsghdr.length(control, at) - Cmsghdr.BYTES) / Integer.BYTES);
            for (int i = 0; i < count; i++) {
                received.add(Fd.own(Cmsghdr.descriptor(control, at, i), "received"));
            }
        }
        return received;
    }

    private static LibcException truncated(
            Fd socket, MemorySegment header, long lengthBytes, long bufferBytes, int maxDescriptors) {
        boolean bytes = (Msghdr.flags(header) & MSG_TRUNC) != 0;
        String what = bytes
                ? "message of " + lengthBytes + " bytes, room for " + bufferBytes
                : "more descriptors than " + maxDescriptors + " or than this process may open";
        return new LibcException("recvmsg", socket + ", " + what, Errno.EMSGSIZE);
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
