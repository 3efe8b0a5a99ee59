package io.urma4j.udma.link;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** A network interface of a namespace whose cable ends in this process: IP packets, one a call. */
final class Tun implements AutoCloseable {
    static final int MAX_PACKET_BYTES = 1 << 16;

    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final int CLONE_NEWNET = 0x4000_0000;
    private static final long TUNSETIFF = 0x4004_54CAL;
    private static final int IFREQ_BYTES = 40;
    private static final long IFREQ_FLAGS = 16;
    private static final short IFF_TUN_NO_PI = 0x1001;
    private static final long POLLFD_BYTES = 8;
    private static final long POLLFD_EVENTS = 4;
    private static final short POLLIN = 1;

    private static final MethodHandle OPEN =
            bind("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle SETNS = bind("setns", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle IOCTL = bind(
            "ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle READ =
            bind("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle WRITE =
            bind("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle POLL =
            bind("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle CLOSE = bind("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private final Arena arena = Arena.ofShared();
    private final MemorySegment reading = arena.allocate(MAX_PACKET_BYTES);
    private final MemorySegment writing = arena.allocate(MAX_PACKET_BYTES);
    private final MemorySegment poll = arena.allocate(POLLFD_BYTES);
    private final int fd;

    private Tun(int fd) {
        this.fd = fd;
        poll.set(JAVA_INT, 0, fd);
        poll.set(JAVA_SHORT, POLLFD_EVENTS, POLLIN);
    }

    @SuppressWarnings("restricted") // tests link what the library has no need of
    private static MethodHandle bind(String name, FunctionDescriptor type, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
    }

    /** Makes it there, with an address and a peer's at the other end of the cable; up. */
    static Tun open(NetworkNamespace namespace, String name, String address, String peer, int mtuBytes)
            throws IOException, InterruptedException {
        int[] result = {-1};
        // a thread of its own, which ends: it is in the other namespace from now on
        Thread.ofPlatform()
                .start(() -> result[0] = openHere(namespace.path().toString(), name))
                .join();
        if (result[0] < 0) {
            throw new IOException("cannot make the interface " + name);
        }
        Tun made = new Tun(result[0]);
        namespace.run("ip", "address", "add", address, "peer", peer, "dev", name);
        namespace.run("ip", "link", "set", name, "mtu", Integer.toString(mtuBytes), "up");
        return made;
    }

    private static int openHere(String namespace, String name) {
        try (Arena arena = Arena.ofConfined()) {
            int there = (int) OPEN.invokeExact(arena.allocateFrom(namespace), 0);
            if (there < 0 || (int) SETNS.invokeExact(there, CLONE_NEWNET) != 0) {
                return -1;
            }
            int closed = (int) CLOSE.invokeExact(there);
            int fd = (int) OPEN.invokeExact(arena.allocateFrom("/dev/net/tun"), O_RDWR | O_NONBLOCK);
            MemorySegment request = arena.allocate(IFREQ_BYTES);
            request.setString(0, name);
            request.set(JAVA_SHORT, IFREQ_FLAGS, IFF_TUN_NO_PI);
            return closed < 0 || fd < 0 || (int) IOCTL.invokeExact(fd, TUNSETIFF, request) != 0 ? -1 : fd;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** The next packet that was sent there; null when none came within the time. One thread at a time. */
    byte @Nullable [] read(int patienceMillis) {
        try {
            if ((int) POLL.invokeExact(poll, 1L, patienceMillis) <= 0) {
                return null;
            }
            long bytes = (long) READ.invokeExact(fd, reading, (long) MAX_PACKET_BYTES);
            return bytes <= 0 ? null : reading.asSlice(0, bytes).toArray(JAVA_BYTE);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Has a packet arrive there; one that finds no room is lost. One thread at a time. */
    void write(byte[] packet) {
        MemorySegment.copy(packet, 0, writing, ValueLayout.JAVA_BYTE, 0, packet.length);
        try {
            long written = (long) WRITE.invokeExact(fd, writing, (long) packet.length);
            assert written <= packet.length : "more than there was";
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Takes the interface away; nobody may be reading or writing. */
    @Override
    public void close() {
        try {
            int result = (int) CLOSE.invokeExact(fd);
            assert result == 0 : "closed twice";
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        arena.close();
    }
}
