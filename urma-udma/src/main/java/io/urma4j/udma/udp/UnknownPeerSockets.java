package io.urma4j.udma.udp;

import io.urma4j.libc.Epoll;
import io.urma4j.libc.Errno;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.UdpOption;
import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.udp.KnownSources.Source;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.random.RandomGenerator;

/**
 * Two more sockets at a port, for unknown peers: one for possible greetings and datagrams, one for all other packets. Their
 * packets take no buffer space from peers, and the port's owner decides how many are processed, and when. {@link Steering}
 * assigns the packets.
 *
 * <p>A socket with packets is reported once, and watched again when it has been found empty. So an overload does not wake a
 * thread for each packet.
 *
 * <p>For the thread that waits at the port, except {@link #known}.
 */
final class UnknownPeerSockets implements AutoCloseable {
    private static final int SOCKETS = 2;
    private static final int PACKETS = 16; // taken in at a time: what peers have sent waits meanwhile
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int MAX_COARSENESS = 64;

    private final UdpSocket main;
    private final Steering steering;
    private final KnownSources known = new KnownSources();
    private final Epoll epoll;
    private final long firstTag;
    private final UdpSocket[] sockets = new UdpSocket[SOCKETS];
    private final Arrivals[] arrivals = new Arrivals[SOCKETS];
    private final boolean[] hasSome = new boolean[SOCKETS];
    private int coarseness = 1; // of the program; owned by the steering thread

    private UnknownPeerSockets(UdpSocket main, Steering steering, Epoll epoll, long firstTag) {
        this.main = main;
        this.steering = steering;
        this.epoll = epoll;
        this.firstTag = firstTag;
    }

    /**
     * Opens them at the port of a bound socket.
     *
     * @param ecn whether they report marks as well: a new peer counts as unknown for a moment
     * @param mtuBytes the path MTU of the port
     * @param epoll that watches them, with this tag and the following ones
     * @throws LibcException if this kernel does not support it; then nothing has changed
     */
    static UnknownPeerSockets open(
            UdpSocket main,
            InetAddress address,
            boolean ecn,
            int mtuBytes,
            Epoll epoll,
            long firstTag,
            RandomGenerator random) {
        Steering steering = new Steering(address instanceof Inet6Address, random);
        UnknownPeerSockets unknownPeerSockets = new UnknownPeerSockets(main, steering, epoll, firstTag);
        // not before the port is bound: otherwise two devices that look for a free one would both find it
        main.set(UdpOption.SHARE_PORT, 1);
        try {
            int port = main.localPort();
            for (int index = 0; index < SOCKETS; index++) {
                unknownPeerSockets.open(index, address, port, ecn, mtuBytes);
            }
            main.steer(steering.program());
            return unknownPeerSockets;
        } catch (RuntimeException e) {
            unknownPeerSockets.close();
            main.set(UdpOption.SHARE_PORT, 0);
            throw e;
        }
    }

    private void open(int index, InetAddress address, int port, boolean ecn, int mtuBytes) {
        UdpSocket socket = SocketIo.open(address, BUFFER_BYTES);
        sockets[index] = socket;
        socket.set(UdpOption.SHARE_PORT, 1);
        if (ecn) {
            Ecn.enable(socket, address);
        }
        socket.bind(address, port);
        arrivals[index] = SocketArrivals.ofPackets(socket, PACKETS, mtuBytes);
        epoll.add(socket.fd(), Epoll.IN | Epoll.ONCE, firstTag + index);
    }

    /** How many tags they take. */
    static int count() {
        return SOCKETS;
    }

    /** A socket of these has ended a wait. */
    void hasSome(long tag) {
        hasSome[(int) (tag - firstTag)] = true;
    }

    /** Whether one of them may have packets. */
    boolean haveSome() {
        return hasSome[0] || hasSome[1];
    }

    boolean hasSome(int index) {
        return hasSome[index];
    }

    Arrivals arrivals(int index) {
        return arrivals[index];
    }

    /** A socket was found empty: it is watched again. */
    void watch(int index) {
        hasSome[index] = false;
        epoll.modify(sockets[index].fd(), Epoll.IN | Epoll.ONCE, firstTag + index);
    }

    /** The known sources; for any thread. {@link #steer} applies changes. */
    KnownSources known() {
        return known;
    }

    /**
     * Updates the kernel's filter. One thread at a time.
     *
     * <p>A kernel may accept only short programs (its {@code optmem_max}); then the program is a coarse one. If even that
     * were refused, a new peer would stay unknown: it is served all the same.
     *
     * @return whether the kernel accepted it
     */
    boolean steer() {
        Source[] all = known.take();
        for (; coarseness <= MAX_COARSENESS; coarseness *= 2) {
            try {
                main.steer(steering.program(coarseness, all));
                return true;
            } catch (LibcException e) {
                if (e.errno() != Errno.ENOMEM) {
                    return false;
                }
            }
        }
        coarseness = MAX_COARSENESS;
        return false;
    }

    /** How many datagrams of strangers the kernel has dropped. */
    long drops() {
        return Math.max(0, sockets[0].drops()) + Math.max(0, sockets[1].drops());
    }

    @Override
    public void close() {
        for (UdpSocket socket : sockets) {
            if (socket != null) {
                socket.close();
            }
        }
    }
}
