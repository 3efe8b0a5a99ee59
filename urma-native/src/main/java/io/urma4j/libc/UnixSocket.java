package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.libc.Layouts.SockaddrUn;
import io.urma4j.libc.Layouts.Ucred;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A Unix-domain socket that keeps messages whole (SOCK_SEQPACKET) and carries descriptors. Never blocks, even if the
 * other end of a passed socket changes its flags; never raises SIGPIPE.
 *
 * <p>Threads may share one: each message is one system call.
 */
public final class UnixSocket implements AutoCloseable {
    /** Nothing was done, since it would have to wait: for room to send, or for a message to receive. */
    public static final int WOULD_BLOCK = -1;
    /** The peer has closed, or its process has died. */
    public static final int PEER_GONE = -2;

    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SHUT_RDWR = 2;
    private static final int SO_PEERCRED = 17;
    private static final int SO_PEERPIDFD = 77; // since Linux 6.5

    private static final MethodHandle LISTEN =
            Linkage.bind("listen", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle ACCEPT4 =
            Linkage.bind("accept4", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle SHUTDOWN =
            Linkage.bind("shutdown", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final MethodHandle SEND =
            Linkage.bind("send", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MemorySegment SIGNAL = Arena.global().allocate(1); // a zero

    private final Fd fd;

    private UnixSocket(Fd fd) {
        this.fd = fd;
    }

    /**
     * Makes a socket file and listens at it; EADDRINUSE when the name exists. To remove the file is the caller's.
     *
     * @param backlog how many may wait to be accepted; one more gets EAGAIN from {@link #connect}
     */
    public static UnixSocket listen(Dir directory, String name, int backlog) {
        UnixSocket socket = create("listening at " + directory.path().resolve(name));
        try {
            socket.address(SocketCalls.BIND, "bind", directory, name);
            socket.listen(backlog);
            return socket;
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Connects at once: ENOENT when the name is not there, ECONNREFUSED when no process listens any more, EAGAIN when too
     * many wait to be accepted.
     */
    public static UnixSocket connect(Dir directory, String name) {
        UnixSocket socket = create("connected to " + directory.path().resolve(name));
        try {
            socket.address(SocketCalls.CONNECT, "connect", directory, name);
            return socket;
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** The next connection; empty if none is pending. EMFILE if descriptors are short; the connection stays pending. */
    public Optional<UnixSocket> accept() {
        int number = accept4();
        return switch (number) {
            case -Errno.EAGAIN, -Errno.ECONNABORTED, -Errno.EINTR -> Optional.empty();
            default -> Optional.of(accepted(number));
        };
    }

    /**
     * Sends one message, with duplicates of descriptors.
     *
     * @param message 1 byte or more, since the end of a connection looks like an empty one; EMSGSIZE when it is
     *     larger than the socket's buffer
     * @return the length, {@link #WOULD_BLOCK} or {@link #PEER_GONE}
     */
    public int send(MemorySegment message, Fd... descriptors) {
        return SocketMessage.send(fd, message, descriptors);
    }

    /**
     * Receives one message.
     *
     * @param inbox where it goes, with its descriptors; also when this fails, and then the caller closes them
     * @return the length, {@link #WOULD_BLOCK} or {@link #PEER_GONE}
     * @throws LibcException with EMSGSIZE when the message is longer than the inbox; the message is lost
     */
    public int receive(SocketInbox inbox) {
        return SocketMessage.receive(fd, inbox);
    }

    /**
     * Sends one byte, 0, to wake the other end. Does nothing when there is no room, since the other end then has messages
     * to read, and when it is gone. Never waits, and allocates nothing.
     */
    public void signal() {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            long result = frame.result((long)
                    SEND.invokeExact(frame.state(), number, SIGNAL, SIGNAL.byteSize(), MSG_DONTWAIT | MSG_NOSIGNAL));
            if (result < 0 && !isWokenOrGone((int) -result)) {
                throw new LibcException("send", fd + ", 1 byte", (int) -result);
            }
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    private static boolean isWokenOrGone(int errno) {
        return errno == Errno.EAGAIN || errno == Errno.EPIPE || errno == Errno.ECONNRESET;
    }

    /**
     * Ends both directions and takes what still lies here, so that the close that follows drops no descriptor: the last
     * close of one may wait for the sender ({@link DescriptorCloser}).
     *
     * @param inbox takes the messages; its closer closes their descriptors
     * @param mostMessages that are taken
     * @return whether nothing is left
     */
    public boolean drain(SocketInbox inbox, int mostMessages) {
        shutdown();
        for (int i = 0; i < mostMessages; i++) {
            int length;
            try {
                length = receive(inbox);
            } catch (LibcException e) {
                length = 0; // longer than the inbox: it is dropped like the others
            }
            inbox.closeDescriptors();
            if (length < 0) {
                return true;
            }
        }
        return false;
    }

    /** Ends both directions, in all processes that share the socket; the peer sees it at once. Idempotent. */
    public void shutdown() {
        int result = shutdown(SHUT_RDWR);
        if (result < 0 && result != -Errno.ENOTCONN) {
            throw new LibcException("shutdown", fd + ", RDWR", -result);
        }
    }

    public PeerCredentials peerCredentials() {
        CallFrame frame = CallFrame.claim();
        try {
            int result = getsockopt(SO_PEERCRED, frame.scratch(), Ucred.BYTES);
            if (result < 0) {
                throw new LibcException("getsockopt", fd + ", SO_PEERCRED", -result);
            }
            return Ucred.read(frame.scratch());
        } finally {
            frame.release();
        }
    }

    /**
     * The process that connected, even if its number was given to another one since. Empty where the kernel is older
     * than Linux 6.5; ESRCH or ENODATA when the process is gone and the kernel does not remember it.
     */
    public Optional<PidFd> peerPidFd() {
        CallFrame frame = CallFrame.claim();
        try {
            int result = getsockopt(SO_PEERPIDFD, frame.scratch(), Integer.BYTES);
            if (result == -Errno.ENOPROTOOPT) {
                return Optional.empty();
            }
            if (result < 0) {
                throw new LibcException("getsockopt", fd + ", SO_PEERPIDFD", -result);
            }
            return Optional.of(new PidFd(Fd.own(frame.scratch().get(JAVA_INT, 0), "pidfd of the peer of " + fd)));
        } finally {
            frame.release();
        }
    }

    /** The descriptor, to wait for it; closes with this object. */
    public Fd fd() {
        return fd;
    }

    /** Closes our end; the peer sees it unless a duplicate is open. */
    @Override
    public void close() {
        fd.close();
    }

    @Override
    public String toString() {
        return fd.toString();
    }

    private static UnixSocket create(String what) {
        int number = socket();
        if (number < 0) {
            throw new LibcException("socket", "AF_UNIX, SEQPACKET|NONBLOCK|CLOEXEC", -number);
        }
        return new UnixSocket(Fd.own(number, "socket " + what));
    }

    private UnixSocket accepted(int number) {
        if (number < 0) {
            throw new LibcException("accept4", fd.toString(), -number);
        }
        return new UnixSocket(
                Fd.own(number, "socket accepted by the one " + fd.what().substring("socket ".length())));
    }

    private void address(MethodHandle call, String function, Dir directory, String name) {
        int result = withAddress(call, directory.fd(), Dir.checked(name));
        if (result < 0) {
            throw new LibcException(function, fd + ", '" + name + "' in " + directory, -result);
        }
    }

    private void listen(int backlog) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            int result = frame.result((int) LISTEN.invokeExact(frame.state(), number, backlog));
            if (result < 0) {
                throw new LibcException("listen", fd + ", backlog=" + backlog, -result);
            }
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    /** A path of 107 bytes at most fits into an address; through the open directory every path is short. */
    private static String shortPath(int directory, String name) {
        String path = "/proc/self/fd/" + directory + "/" + name;
        int lengthBytes = path.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > SockaddrUn.MAX_PATH_BYTES) {
            throw new IllegalArgumentException("socket path '" + path + "' of " + lengthBytes + " bytes is longer than "
                    + SockaddrUn.MAX_PATH_BYTES);
        }
        return path;
    }

    private int withAddress(MethodHandle call, Fd directory, String name) {
        int directoryNumber = directory.acquire();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(SockaddrUn.BYTES, Long.BYTES);
            SockaddrUn.set(address, AF_UNIX, shortPath(directoryNumber, name));
            return withAddress(call, address);
        } finally {
            directory.release();
        }
    }

    private int withAddress(MethodHandle call, MemorySegment address) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) call.invokeExact(frame.state(), number, address, SockaddrUn.BYTES));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    private static int socket() {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) SocketCalls.SOCKET.invokeExact(
                    frame.state(), AF_UNIX, SOCK_SEQPACKET | SocketCalls.SOCK_NONBLOCK | SocketCalls.SOCK_CLOEXEC, 0));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private int accept4() {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) ACCEPT4.invokeExact(
                    frame.state(),
                    number,
                    MemorySegment.NULL,
                    MemorySegment.NULL,
                    SocketCalls.SOCK_NONBLOCK | SocketCalls.SOCK_CLOEXEC));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    private int shutdown(int how) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) SHUTDOWN.invokeExact(frame.state(), number, how));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    private int getsockopt(int option, MemorySegment value, int valueBytes) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            MemorySegment length = frame.scratch();
            length.set(JAVA_INT, 0, valueBytes);
            return frame.result((int) SocketCalls.GETSOCKOPT.invokeExact(
                    frame.state(), number, SocketCalls.SOL_SOCKET, option, value, length));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }
}
