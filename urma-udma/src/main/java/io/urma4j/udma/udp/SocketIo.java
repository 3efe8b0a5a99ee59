package io.urma4j.udma.udp;

import io.urma4j.libc.Epoll;
import io.urma4j.libc.EventFd;
import io.urma4j.libc.Fd;
import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpOption;
import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.wire.Packet;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** I/O by system calls for many datagrams, each of which may hold many packets; unknown peers may have separate sockets. */
final class SocketIo implements Io {
    private static final int RUNS = 8; // taken in at a time
    private static final int PACKETS = 64; // the same, of those that come singly

    private static final int PIECES = 3; // of a packet whose payload lies elsewhere: headers, payload, padding and ICRC

    private static final long SOCKET = 0; // tags in the epoll
    private static final long WAKE = 1;
    private static final long UNKNOWN_PEERS = 2;
    private static final int EVENTS_PER_WAIT = 8;

    private final UdpSocket socket;
    private final boolean ecn;
    private final Outbox outbox;
    private final Trains trains;
    private final UdpMessages outgoing;
    private final @Nullable UdpRoute[] addressed = new UdpRoute[Outbox.SLOTS]; // whose address a message has
    private final SplicedSends splicedSends;
    private final SpliceTrial spliceTrial = new SpliceTrial();
    private final Arrivals arrivals;
    private final Epoll epoll;
    private final EventFd wake;
    private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
    private final AtomicLong lastTag = new AtomicLong(UNKNOWN_PEERS + UnknownPeerSockets.count());
    private @Nullable UnknownPeerSockets unknownPeerSockets; // set before anybody waits
    private int watches = Epoll.IN; // of the socket; of the thread that waits

    private SocketIo(UdpSocket socket, Outbox outbox, boolean coalesces, boolean ecn) {
        this.socket = socket;
        this.ecn = ecn;
        this.outbox = outbox;
        trains = new Trains(outbox);
        outgoing = new UdpMessages(Outbox.SLOTS, PIECES * Outbox.SLOTS, trains.buffers());
        splicedSends = new SplicedSends(socket, outbox, coalesces);
        arrivals = coalesces
                ? SocketArrivals.ofRuns(socket, RUNS)
                : SocketArrivals.ofPackets(socket, PACKETS, outbox.mtuBytes());
        epoll = Epoll.create(EVENTS_PER_WAIT);
        wake = EventFd.create();
        epoll.add(socket.fd(), Epoll.IN, SOCKET);
        epoll.add(wake.fd(), Epoll.IN, WAKE);
    }

    /**
     * Binds a socket.
     *
     * @param coalesces whether the kernel merges packets
     * @param ecn whether it uses {@link Ecn}
     * @throws io.urma4j.libc.LibcException with EADDRINUSE if the port is taken
     */
    static SocketIo open(
            InetAddress address, int port, Outbox outbox, boolean coalesces, boolean ecn, int bufferBytes) {
        UdpSocket socket = open(address, bufferBytes);
        try {
            if (coalesces) {
                socket.set(UdpOption.COALESCE, 1);
            }
            if (ecn) {
                Ecn.enable(socket, address);
            }
            socket.bind(address, port);
            return new SocketIo(socket, outbox, coalesces, ecn);
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** A socket whose packets have a known identification (WIRE §0). */
    static UdpSocket open(InetAddress address, int bufferBytes) {
        boolean ipv6 = address instanceof Inet6Address;
        UdpSocket socket = UdpSocket.open(ipv6);
        try {
            if (ipv6) {
                socket.set(UdpOption.IPV6_MTU_DISCOVER, UdpOption.NEVER_FRAGMENT);
                socket.set(UdpOption.NO_CHECKSUM_IPV6_RECEIVE, 1); // Linux RDMA sends none
            } else {
                socket.set(UdpOption.IPV4_MTU_DISCOVER, UdpOption.NEVER_FRAGMENT);
            }
            if (!socket.trySet(UdpOption.RECEIVE_BUFFER_FORCE, bufferBytes)) {
                socket.set(UdpOption.RECEIVE_BUFFER, bufferBytes);
            }
            if (!socket.trySet(UdpOption.SEND_BUFFER_FORCE, bufferBytes)) {
                socket.set(UdpOption.SEND_BUFFER, bufferBytes);
            }
            return socket;
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public void openUnknownPeerSockets(InetAddress address, RandomGenerator random) {
        unknownPeerSockets =
                UnknownPeerSockets.open(socket, address, ecn, outbox.mtuBytes(), epoll, UNKNOWN_PEERS, random);
    }

    @Override
    public @Nullable UnknownPeerSockets unknownPeerSockets() {
        return unknownPeerSockets;
    }

    @Override
    public int localPort() {
        return socket.localPort();
    }

    @Override
    public int send() {
        int first = outbox.next();
        int last = first + outbox.waiting();
        int end = first;
        int gathered = 0; // of those that could be spliced
        while (end < last) {
            boolean isLong = splicedSends.isFor(end);
            if (isLong && (spliceTrial.isMeasuring() || spliceTrial.splices())) {
                break;
            }
            gathered += isLong ? 1 : 0;
            end++;
        }
        if (end == first) {
            return sendLong(first);
        }
        int sent = sendAll(first, end - first);
        spliceTrial.passed(gathered);
        return sent;
    }

    /** One that could be spliced: is spliced, or measured. */
    private int sendLong(int datagram) {
        if (!spliceTrial.isMeasuring()) {
            spliceTrial.passed(1);
            return spliceOrGather(datagram, true);
        }
        long began = System.nanoTime();
        int sent = spliceOrGather(datagram, spliceTrial.splices());
        if (sent == 1) {
            spliceTrial.took(System.nanoTime() - began);
        }
        return sent;
    }

    private int spliceOrGather(int datagram, boolean splices) {
        int sent = splices ? splice(datagram) : 0;
        return sent != 0 ? sent : sendAll(datagram, 1);
    }

    private int splice(int datagram) {
        int slot = outbox.firstSlot(datagram);
        outgoing.bufferLength(slot, splicedSends.headBytes(datagram));
        outgoing.put(datagram, slot, 1);
        address(datagram);
        outgoing.segment(datagram, outbox.lengthBytes(datagram)); // then the kernel computes no checksum
        return splicedSends.send(outgoing, datagram);
    }

    private int sendAll(int first, int count) {
        outgoing.clearPieces();
        for (int i = first; i < first + count; i++) {
            put(i);
        }
        return socket.send(outgoing, first, count);
    }

    private void put(int datagram) {
        int slot = outbox.firstSlot(datagram);
        int count = outbox.count(datagram);
        if (trains.areFor(datagram)) {
            int train = trains.pack(datagram);
            outgoing.bufferLength(train, outbox.lengthBytes(datagram));
            outgoing.put(datagram, train, 1);
        } else if (outbox.referring(datagram) > 0) {
            gather(datagram);
        } else {
            for (int i = slot; i < slot + count; i++) {
                outgoing.bufferLength(i, outbox.packet(i).lengthBytes());
            }
            outgoing.put(datagram, slot, count);
        }
        address(datagram);
        if (count > 1) {
            outgoing.segment(datagram, outbox.segmentBytes(datagram));
        }
        if (ecn && !outbox.isOfConnection(slot)) {
            outgoing.trafficClass(datagram, UdpOption.NOT_ECN_CAPABLE);
        }
    }

    @SuppressWarnings("ReferenceEquality") // what leads elsewhere is another object
    private void address(int datagram) {
        UdpRoute route = outbox.route(outbox.firstSlot(datagram));
        if (addressed[datagram] == route) {
            return;
        }
        addressed[datagram] = route;
        if (route.isIpv4()) {
            outgoing.toIpv4(datagram, route.ipv4Address(), route.port());
        } else {
            outgoing.toIpv6(datagram, route.eidHigh(), route.eidLow(), route.scope(), route.port());
        }
    }

    private void gather(int datagram) {
        outgoing.gather(datagram);
        int slot = outbox.firstSlot(datagram);
        for (int i = slot; i < slot + outbox.count(datagram); i++) {
            Packet packet = outbox.packet(i);
            if (packet.refers() && !packet.payload().scope().isAlive()) {
                packet.copyPayload(); // zeros: its ICRC is wrong, and the packet counts as lost
            }
            int before = packet.payloadAt();
            int behind = packet.refers() ? before + packet.payloadBytes() : before;
            outgoing.addPiece(datagram, packet.bytes().segment(), 0, before);
            if (packet.refers()) {
                outgoing.addPiece(datagram, packet.payload(), packet.payloadOffset(), behind - before);
            }
            outgoing.addPiece(datagram, packet.bytes().segment(), behind, packet.lengthBytes() - behind);
        }
    }

    @Override
    public Arrivals arrivals() {
        return arrivals;
    }

    @Override
    public long drops() {
        return socket.drops();
    }

    @Override
    public long spliced() {
        return splicedSends.sent();
    }

    @Override
    public void await(long timeoutNanos, boolean packets, boolean room) {
        int events = (packets ? Epoll.IN : 0) | (room ? Epoll.OUT : 0);
        if (events != watches) {
            watch(events);
        }
        int ready = epoll.awaitNanos(timeoutNanos);
        for (int i = 0; i < ready; i++) {
            long tag = epoll.tag(i);
            if (tag == WAKE) {
                wake.drain();
            } else if (tag != SOCKET) {
                somethingElse(tag);
            }
        }
    }

    /** A socket in an epoll without events costs each sender a check for waiters: then it is removed from the epoll. */
    private void watch(int events) {
        if (events == 0) {
            epoll.remove(socket.fd());
        } else if (watches == 0) {
            epoll.add(socket.fd(), events, SOCKET);
        } else {
            epoll.modify(socket.fd(), events, SOCKET);
        }
        watches = events;
    }

    private void somethingElse(long tag) {
        UnknownPeerSockets sockets = unknownPeerSockets;
        if (sockets != null && tag < UNKNOWN_PEERS + UnknownPeerSockets.count()) {
            sockets.hasSome(tag);
            return;
        }
        Watched one = watched.get(tag);
        if (one != null) {
            one.whenReadable.run();
        }
    }

    /** A wake-up source besides the socket. */
    private record Watched(Fd fd, Runnable whenReadable) {}

    @Override
    public boolean watch(Fd fd, Runnable whenReadable) {
        long tag = lastTag.incrementAndGet();
        watched.put(tag, new Watched(fd, whenReadable));
        epoll.add(fd, Epoll.IN | Epoll.EDGE_TRIGGERED, tag);
        return true;
    }

    @Override
    public void unwatch(Fd fd) {
        if (watched.values().removeIf(one -> one.fd.equals(fd))) {
            epoll.remove(fd);
        }
    }

    @Override
    public void wake() {
        wake.signal();
    }

    @Override
    public void close() {
        epoll.close();
        wake.close();
        if (unknownPeerSockets != null) {
            unknownPeerSockets.close();
        }
        splicedSends.close();
        socket.close();
    }

    @Override
    public String toString() {
        return socket.toString();
    }
}
