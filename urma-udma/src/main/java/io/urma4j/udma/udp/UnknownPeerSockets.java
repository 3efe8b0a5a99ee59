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
 * Two more sockets at a port, for those whom nobody here knows: one for what may be a greeting or a datagram, one for all
 * else. Whatever comes there in whatever number takes no room from what peers send; and how much of it is looked at, and
 * when, is up to who owns the port. {@link Steering} tells who goes where.
 *
 * <p>A door that has something says so once, and is watched again when it has been found empty: so a flood does not wake
 * anybody for each packet.
 *
 * <p>For the thread that waits at the port, but for {@link #known}.
 */
final class UnknownPeerSockets implements AutoCloseable {
    private static final int DOORS = 2;
    private static final int PACKETS = 16; // taken in at a time: what peers have sent waits meanwhile
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int MAX_COARSENESS = 64;

    private final UdpSocket main;
    private final Steering steering;
    private final KnownSources known = new KnownSources();
    private final Epoll epoll;
    private final long firstTag;
    private final UdpSocket[] sockets = new UdpSocket[DOORS];
    private final Arrivals[] arrivals = new Arrivals[DOORS];
    private final boolean[] hasSome = new boolean[DOORS];
    private int coarseness = 1; // of the program; of who steers

    private UnknownPeerSockets(UdpSocket main, Steering steering, Epoll epoll, long firstTag) {
        this.main = main;
        this.steering = steering;
        this.epoll = epoll;
        this.firstTag = firstTag;
    }

    /**
     * Opens them at the port of a socket that is bound, alone.
     *
     * @param ecn whether they tell of marks as well: who is new is taken for a stranger for a moment
     * @param epoll to be watched by, with this tag and those that follow
     * @throws LibcException when this kernel cannot; then all is as before
     */
    static UnknownPeerSockets open(
            UdpSocket main, InetAddress address, boolean ecn, Epoll epoll, long firstTag, RandomGenerator random) {
        Steering steering = new Steering(address instanceof Inet6Address, random);
        UnknownPeerSockets unknownPeerSockets = new UnknownPeerSockets(main, steering, epoll, firstTag);
        // not before the port is ours: else two devices that look for a free one would both find it
        main.set(UdpOption.SHARE_PORT, 1);
        try {
            int port = main.localPort();
            for (int door = 0; door < DOORS; door++) {
                unknownPeerSockets.open(door, address, port, ecn);
            }
            main.steer(steering.program());
            return unknownPeerSockets;
        } catch (RuntimeException e) {
            unknownPeerSockets.close();
            main.set(UdpOption.SHARE_PORT, 0);
            throw e;
        }
    }

    private void open(int door, InetAddress address, int port, boolean ecn) {
        UdpSocket socket = SocketIo.open(address, BUFFER_BYTES);
        sockets[door] = socket;
        socket.set(UdpOption.SHARE_PORT, 1);
        if (ecn) {
            Ecn.enable(socket, address);
        }
        socket.bind(address, port);
        arrivals[door] = SocketArrivals.ofPackets(socket, PACKETS);
        epoll.add(socket.fd(), Epoll.IN | Epoll.ONCE, firstTag + door);
    }

    /** How many tags they take. */
    static int count() {
        return DOORS;
    }

    /** A wait has ended for a door. */
    void hasSome(long tag) {
        hasSome[(int) (tag - firstTag)] = true;
    }

    /** Whether there may be something at one of them. */
    boolean haveSome() {
        return hasSome[0] || hasSome[1];
    }

    boolean hasSome(int door) {
        return hasSome[door];
    }

    Arrivals arrivals(int door) {
        return arrivals[door];
    }

    /** A door was found empty: it tells when that changes. */
    void watch(int door) {
        hasSome[door] = false;
        epoll.modify(sockets[door].fd(), Epoll.IN | Epoll.ONCE, firstTag + door);
    }

    /** Who is no stranger; for any thread. {@link #steer} makes it so. */
    KnownSources known() {
        return known;
    }

    /**
     * From now on the kernel knows all whom we know. One thread at a time.
     *
     * <p>A kernel may take only short programs (its {@code optmem_max}); then the program is a coarse one. Were even that
     * refused, who is new would stay a stranger: he is served all the same.
     *
     * @return whether the kernel took it
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
