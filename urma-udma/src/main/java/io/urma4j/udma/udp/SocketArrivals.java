package io.urma4j.udma.udp;

import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The input of a socket: many datagrams per system call, each of which may hold many packets. */
final class SocketArrivals implements Arrivals {
    private static final int LONGEST_RUN_BYTES = 1 << 16; // what GRO puts together
    private static final int SINGLE_BUFFER_BYTES = (Packet.MAX_BYTES + 4 + 63) / 64 * 64;

    private final UdpSocket socket;
    private final PacketViews[] buffers;
    private final UdpMessages incoming;
    private int wanted = 1; // datagrams to ask for next: more than there are cost a look more

    private SocketArrivals(UdpSocket socket, int count, int bytes) {
        this.socket = socket;
        buffers = buffers(count, bytes);
        MemorySegment[] places = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            places[i] = buffers[i].buffer();
        }
        incoming = new UdpMessages(count, places);
    }

    /** Of a socket that merges packets: maximum runs per call. */
    static SocketArrivals ofRuns(UdpSocket socket, int runs) {
        return new SocketArrivals(socket, runs, LONGEST_RUN_BYTES);
    }

    /** Of a socket that does not: maximum packets per call. */
    static SocketArrivals ofPackets(UdpSocket socket, int packets) {
        return new SocketArrivals(socket, packets, SINGLE_BUFFER_BYTES);
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
    public int receive() {
        int result = socket.receive(incoming, wanted);
        // all that was requested: there may be more; less: request fewer next time
        wanted = result == wanted ? Math.min(2 * wanted, buffers.length) : Math.max(result, 1);
        return result;
    }

    @Override
    public int most() {
        return buffers.length;
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
    public int trafficClass(int datagram) {
        return incoming.trafficClass(datagram);
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
    public String toString() {
        return "arrivals at " + socket;
    }
}
