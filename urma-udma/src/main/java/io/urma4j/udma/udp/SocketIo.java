package io.urma4j.udma.udp;

import io.urma4j.libc.Epoll;
import io.urma4j.libc.EventFd;
import io.urma4j.libc.Fd;
import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpOption;
import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** I/O by system calls that take many datagrams, each of which may hold many packets. */
final class SocketIo implements Io {
    private static final int LONGEST_RUN_BYTES = 1 << 16; // what GRO puts together
    private static final int RUN_BUFFERS = 8;
    private static final int SINGLE_BUFFER_BYTES = (Packet.MAX_BYTES + 4 + 63) / 64 * 64;
    private static final int SINGLE_BUFFERS = 64;

    private static final long SOCKET = 0; // tags in the epoll
    private static final long WAKE = 1;
    private static final int EVENTS_PER_WAIT = 8;

    private final UdpSocket socket;
    private final Outbox outbox;
    private final Trains trains;
    private final UdpMessages outgoing;
    private final PacketViews[] buffers;
    private final UdpMessages incoming;
    private final Epoll epoll;
    private final EventFd wake;
    private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
    private final AtomicLong lastTag = new AtomicLong(WAKE);
    private int wanted = 1; // datagrams to ask for next: more than there are cost a look more
    private int watches = Epoll.IN; // of the socket; of the thread that waits

    private SocketIo(UdpSocket socket, Outbox outbox, boolean coalesces) {
        this.socket = socket;
        this.outbox = outbox;
        trains = new Trains(outbox);
        outgoing = new UdpMessages(Outbox.SLOTS, trains.buffers());
        buffers = coalesces ? buffers(RUN_BUFFERS, LONGEST_RUN_BYTES) : buffers(SINGLE_BUFFERS, SINGLE_BUFFER_BYTES);
        MemorySegment[] places = new MemorySegment[buffers.length];
        for (int i = 0; i < places.length; i++) {
            places[i] = buffers[i].buffer();
        }
        incoming = new UdpMessages(places.length, places);
        epoll = Epoll.create(EVENTS_PER_WAIT);
        wake = EventFd.create();
        epoll.add(socket.fd(), Epoll.IN, SOCKET);
        epoll.add(wake.fd(), Epoll.IN, WAKE);
    }

    /**
     * Binds a socket.
     *
     * @param coalesces whether the kernel is to put packets together
     * @throws io.urma4j.libc.LibcException with EADDRINUSE when the port is taken
     */
    static SocketIo open(InetAddress address, int port, Outbox outbox, boolean coalesces, int bufferBytes) {
        UdpSocket socket = open(address, bufferBytes);
        try {
            if (coalesces) {
                socket.set(UdpOption.COALESCE, 1);
            }
            socket.bind(address, port);
            return new SocketIo(socket, outbox, coalesces);
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** A socket whose packets have an identification that we know (WIRE §0). */
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

    private static PacketViews[] buffers(int count, int bytes) {
        MemorySegment memory = Arena.ofAuto().allocate((long) count * bytes, 64);
        PacketViews[] buffers = new PacketViews[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = new PacketViews(memory.asSlice((long) i * bytes, bytes));
        }
        return buffers;
    }

    @Override
    public int localPort() {
        return socket.localPort();
    }

    @Override
    public int receiveBufferBytes() {
        return socket.get(UdpOption.RECEIVE_BUFFER) / 2; // the kernel keeps as much again for its own
    }

    @Override
    public int send(Outbox from, int first, int count) {
        assert from == outbox;
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
        } else {
            for (int i = slot; i < slot + count; i++) {
                outgoing.bufferLength(i, outbox.packet(i).lengthBytes());
            }
            outgoing.put(datagram, slot, count);
        }
        UdpRoute route = outbox.route(slot);
        if (route.isIpv4()) {
            outgoing.toIpv4(datagram, route.ipv4Address(), route.port());
        } else {
            outgoing.toIpv6(datagram, route.eidHigh(), route.eidLow(), route.scope(), route.port());
        }
        if (count > 1) {
            outgoing.segment(datagram, outbox.segmentBytes(datagram));
        }
    }

    @Override
    public int receive() {
        int result = socket.receive(incoming, wanted);
        // all that was asked for: there may be more; less: not so many next time
        wanted = result == wanted ? Math.min(2 * wanted, buffers.length) : Math.max(result, 1);
        return result;
    }

    @Override
    public int receivedBytes(int datagram) {
        return incoming.receivedBytes(datagram);
    }

    @Override
    public int segmentBytes(int datagram) {
        return incoming.receivedSegmentBytes(datagram);
    }

    @Override
    public boolean isTruncated(int datagram) {
        return incoming.isTruncated(datagram);
    }

    @Override
    public void origin(int datagram, Origin origin) {
        int port = incoming.fromPort(datagram);
        if (incoming.isFromIpv4(datagram)) {
            origin.setIpv4(incoming.fromIpv4(datagram), port);
        } else {
            origin.set(incoming.fromIpv6High(datagram), incoming.fromIpv6Low(datagram), port);
        }
    }

    @Override
    public Packet view(int datagram, int at, int lengthBytes) {
        return buffers[datagram].at(at, lengthBytes);
    }

    @Override
    public void await(long timeoutNanos, boolean packets, boolean room) {
        int events = (packets ? Epoll.IN : 0) | (room ? Epoll.OUT : 0);
        if (events != watches) {
            epoll.modify(socket.fd(), events, SOCKET);
            watches = events;
        }
        int ready = epoll.awaitNanos(timeoutNanos);
        for (int i = 0; i < ready; i++) {
            long tag = epoll.tag(i);
            if (tag == WAKE) {
                wake.drain();
            } else if (tag != SOCKET) {
                Watched one = watched.get(tag);
                if (one != null) {
                    one.whenReadable.run();
                }
            }
        }
    }

    /** Something beside the socket that ends a wait. */
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
        socket.close();
    }

    @Override
    public String toString() {
        return socket.toString();
    }
}
