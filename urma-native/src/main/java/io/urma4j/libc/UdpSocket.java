package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.libc.Layouts.SockaddrIn;
import io.urma4j.libc.Layouts.SocketMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * A UDP socket that never blocks. Many datagrams pass in one system call, without allocation. Only a socket that asks for the
 * MTU of a route is connected.
 *
 * <p>What fails because of one datagram, or because the socket is full, is a value and no exception: the caller knows
 * what it means.
 */
public final class UdpSocket implements AutoCloseable {
    private static final int SOCK_DGRAM = 2;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_MORE = 0x8000;
    private static final int SEND = MSG_DONTWAIT | MSG_NOSIGNAL;
    private static final int SO_ATTACH_REUSEPORT_CBPF = 51;
    private static final int SO_MEMINFO = 55;
    private static final int DISCARD_PORT = 9; // nothing is sent there

    private static final MethodHandle GETSOCKNAME =
            Linkage.bind("getsockname", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle SETSOCKOPT = Linkage.bind(
            "setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final FunctionDescriptor SENDS =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    private static final FunctionDescriptor RECEIVES =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle SENDTO_BARE = Linkage.bindBareKernelCall(
            KernelCall.SENDTO,
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle APPEND_BARE = Linkage.bindBareKernelCall(
            KernelCall.SENDTO,
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SENDMMSG = Linkage.bind("sendmmsg", SENDS);
    private static final MethodHandle SENDMMSG_BARE = Linkage.bindBare("sendmmsg", SENDS);
    private static final MethodHandle RECVMSG_BARE = Linkage.bindBareKernelCall(
            KernelCall.RECVMSG, FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle RECVMMSG = Linkage.bind("recvmmsg", RECEIVES);
    private static final MethodHandle RECVMMSG_BARE = Linkage.bindBare("recvmmsg", RECEIVES);

    private final Fd fd;

    private UdpSocket(Fd fd) {
        this.fd = fd;
    }

    /** A new socket, of IPv6 alone or of IPv4. */
    public static UdpSocket open(boolean ipv6) {
        int family = ipv6 ? SockaddrIn.AF_INET6 : SockaddrIn.AF_INET;
        int number = socket(family);
        if (number < 0) {
            throw new LibcException("socket", (ipv6 ? "AF_INET6" : "AF_INET") + ", DGRAM|NONBLOCK|CLOEXEC", -number);
        }
        UdpSocket socket = new UdpSocket(Fd.own(number, ipv6 ? "UDP socket of IPv6" : "UDP socket of IPv4"));
        if (ipv6) {
            socket.set(UdpOption.IPV6_ONLY, 1);
        }
        return socket;
    }

    /**
     * Takes an address and a port.
     *
     * @param port 0 for any
     * @throws LibcException with EADDRINUSE when the port is taken, EADDRNOTAVAIL when the address is not ours
     */
    public void bind(InetAddress address, int port) {
        address(SocketCalls.BIND, "bind", address, port);
    }

    private void address(MethodHandle call, String function, InetAddress address, int port) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            NativeMemory name = NativeMemory.allocate(SockaddrIn.BYTES_6);
            int length = put(name, address, port);
            int result = frame.result((int) call.invokeExact(frame.state(), number, name.segment(), length));
            if (result < 0) {
                throw new LibcException(function, fd + ", " + address.getHostAddress() + " port " + port, -result);
            }
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    /** The port that it has; 0 before {@link #bind}. */
    public int localPort() {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory name = NativeMemory.allocate(SockaddrIn.BYTES_6);
            MemorySegment length = arena.allocate(JAVA_INT);
            length.set(JAVA_INT, 0, SockaddrIn.BYTES_6);
            int result = frame.result((int) GETSOCKNAME.invokeExact(frame.state(), number, name.segment(), length));
            if (result < 0) {
                throw new LibcException("getsockname", fd.toString(), -result);
            }
            return SockaddrIn.port(name, 0);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    /**
     * The longest IP packet that the kernel sends from an address to another at present: the MTU of the interface, or of the
     * path where a router has reported a smaller one. Nothing is sent.
     *
     * @param to with the scope of a link-local address
     * @throws LibcException with ENETUNREACH when there is no route, EADDRNOTAVAIL when {@code from} is not ours
     */
    public static int routeMtuBytes(InetAddress from, InetAddress to) {
        boolean ipv6 = to instanceof Inet6Address;
        try (UdpSocket asking = open(ipv6)) {
            asking.bind(from, 0);
            asking.address(SocketCalls.CONNECT, "connect", to, DISCARD_PORT);
            return asking.get(ipv6 ? UdpOption.IPV6_MTU : UdpOption.IPV4_MTU);
        }
    }

    public void set(UdpOption option, int value) {
        int result = setsockopt(option, value);
        if (result < 0) {
            throw new LibcException("setsockopt", fd + ", " + option + ", " + value, -result);
        }
    }

    /** Sets an option that this kernel may lack, or not permit; tells whether it did. */
    public boolean trySet(UdpOption option, int value) {
        return setsockopt(option, value) >= 0;
    }

    public int get(UdpOption option) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            MemorySegment value = frame.scratch().asSlice(0, Integer.BYTES);
            MemorySegment length = frame.scratch().asSlice(Integer.BYTES, Integer.BYTES);
            length.set(JAVA_INT, 0, Integer.BYTES);
            int result = frame.result((int) SocketCalls.GETSOCKOPT.invokeExact(
                    frame.state(), number, option.level(), option.number(), value, length));
            if (result < 0) {
                throw new LibcException("getsockopt", fd + ", " + option, -result);
            }
            return value.get(JAVA_INT, 0);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    /**
     * Has a program choose, for each datagram that comes to a port which several sockets {@linkplain UdpOption#SHARE_PORT
     * share}, the one that takes it. It answers with the socket's number, in the order in which they were bound; 0 is the
     * first. Replaces the program before in one step; for all the sockets, whichever of them this is.
     *
     * @throws LibcException with EINVAL when the socket does not share its port, ENOPROTOOPT when this kernel cannot
     */
    public void steer(SocketProgram program) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = program.toNative(arena);
            int result = frame.result((int) SETSOCKOPT.invokeExact(
                    frame.state(), number, SocketCalls.SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, value, (int)
                            value.byteSize()));
            if (result < 0) {
                throw new LibcException("setsockopt", fd + ", ATTACH_REUSEPORT_CBPF, " + program, -result);
            }
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    /** How many datagrams the kernel has dropped since the beginning, for want of room mostly; -1 when it does not say. */
    public long drops() {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            MemorySegment value = frame.scratch().asSlice(0, SocketMemory.BYTES);
            MemorySegment length = frame.scratch().asSlice(SocketMemory.BYTES, Integer.BYTES);
            length.set(JAVA_INT, 0, SocketMemory.BYTES);
            int result = frame.result((int) SocketCalls.GETSOCKOPT.invokeExact(
                    frame.state(), number, SocketCalls.SOL_SOCKET, SO_MEMINFO, value, length));
            return result < 0 || length.get(JAVA_INT, 0) < SocketMemory.BYTES ? -1 : SocketMemory.drops(value);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    /**
     * Sends messages, in order.
     *
     * @return how many left; {@code -errno} when the first did not, EAGAIN for a full socket among them
     */
    public int send(UdpMessages messages, int from, int count) {
        int number = fd.acquire();
        try {
            int sent = count == 1 && messages.isSingle(from)
                    ? sendSingle(number, messages, from)
                    : (int) SENDMMSG_BARE.invokeExact(number, messages.from(from), count, SEND);
            return sent >= 0 ? sent : sendAgain(number, messages.from(from), count, SEND);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            fd.release();
        }
    }

    /** By a call that has less to look at: a tenth of the time of a short message. */
    private static int sendSingle(int number, UdpMessages messages, int message) throws Throwable {
        long sent = (long) SENDTO_BARE.invokeExact(
                number,
                messages.single(message),
                messages.singleBytes(message),
                SEND,
                messages.address(message),
                messages.addressBytes(message));
        return sent >= 0 ? 1 : -1;
    }

    /** What could not leave a moment ago tries once more, and tells why not. */
    private static int sendAgain(int number, MemorySegment messages, int count, int flags) throws Throwable {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) SENDMMSG.invokeExact(frame.state(), number, messages, count, flags));
        } finally {
            frame.release();
        }
    }

    /**
     * Begins a datagram with a message. It goes on by {@link PagePipe#move}, and leaves by {@link #end}. Until then no other
     * message can be sent. Without {@link UdpMessages#segment} of at least its whole length, the kernel computes the
     * checksum of the datagram itself, also where the interface needs none.
     *
     * @return 1; {@code -errno} when it did not begin, EAGAIN for a full socket among them
     */
    public int begin(UdpMessages messages, int message) {
        int number = fd.acquire();
        try {
            int begun = (int) SENDMMSG_BARE.invokeExact(number, messages.from(message), 1, SEND | MSG_MORE);
            return begun >= 0 ? begun : sendAgain(number, messages.from(message), 1, SEND | MSG_MORE);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            fd.release();
        }
    }

    /** Ends the begun datagram with a range of native memory. False when the kernel has discarded it. */
    public boolean end(MemorySegment memory, long offset, int lengthBytes) {
        int number = fd.acquire();
        try {
            return (long) APPEND_BARE.invokeExact(number, memory.address() + offset, (long) lengthBytes, SEND, 0L, 0)
                    >= 0;
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            fd.release();
        }
    }

    /** Ends a begun datagram where it is: what there is of it leaves, unless the kernel has discarded it. */
    public void abandon() {
        trySet(UdpOption.CORK, 0);
    }

    /**
     * Receives up to {@code count} messages, each into the buffer of its number.
     *
     * @return how many came; {@code -errno}, EAGAIN when there is none. Any other errno is returned only when nothing has come
     *     for {@value UdpMessages#LOOKS_PER_QUESTION} calls: a polling thread asks the kernel for nothing else
     */
    public int receive(UdpMessages messages, int count) {
        messages.prepare(count);
        int number = fd.acquire();
        try {
            int received = count == 1
                    ? receiveSingle(number, messages)
                    : (int) RECVMMSG_BARE.invokeExact(
                            number, messages.from(0), count, MSG_DONTWAIT, MemorySegment.NULL);
            if (received >= 0) {
                messages.received();
                return received;
            }
            return messages.isTimeToAsk() ? receiveOrTellWhy(number, messages.from(0), count) : -Errno.EAGAIN;
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            fd.release();
        }
    }

    private static int receiveSingle(int number, UdpMessages messages) throws Throwable {
        long bytes = (long) RECVMSG_BARE.invokeExact(number, messages.from(0), MSG_DONTWAIT);
        if (bytes < 0) {
            return -1;
        }
        messages.receivedSingle((int) bytes);
        return 1;
    }

    private static int receiveOrTellWhy(int number, MemorySegment messages, int count) throws Throwable {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int)
                    RECVMMSG.invokeExact(frame.state(), number, messages, count, MSG_DONTWAIT, MemorySegment.NULL));
        } finally {
            frame.release();
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

    private static int put(NativeMemory name, InetAddress address, int port) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        if (address instanceof Inet6Address six) {
            SockaddrIn.set(name, 0, bytes.getLong(), bytes.getLong(), six.getScopeId(), port);
            return SockaddrIn.BYTES_6;
        }
        SockaddrIn.set(name, 0, bytes.getInt(), port);
        return SockaddrIn.BYTES;
    }

    private static int socket(int family) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) SocketCalls.SOCKET.invokeExact(
                    frame.state(), family, SOCK_DGRAM | SocketCalls.SOCK_NONBLOCK | SocketCalls.SOCK_CLOEXEC, 0));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private int setsockopt(UdpOption option, int value) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            MemorySegment place = frame.scratch();
            place.set(JAVA_INT, 0, value);
            return frame.result((int) SETSOCKOPT.invokeExact(
                    frame.state(), number, option.level(), option.number(), place, Integer.BYTES));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }
}
