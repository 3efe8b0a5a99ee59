package io.urma4j.udma.udp;

import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The input of a socket: many datagrams per system call, each of which may hold many packets. */
final class SocketArrivals implements Arrivals {
    private static final int LONGEST_RUN_BYTES = 1 << 16; // what GRO puts together
    private static final int LINE_BYTES = 64;
    private static final int PAGE_BYTES = 4096;

    private final UdpSocket socket;
    private final boolean mergesPackets;
    private final PacketViews[] buffers;
    private final UdpMessages incoming;
    private int wanted = 1; // datagrams to ask for next: more than there are cost a look more

    private SocketArrivals(UdpSocket socket, MemorySegment memory, int count, boolean mergesPackets) {
        this.socket = socket;
        this.mergesPackets = mergesPackets;
        this.buffers = new PacketViews[count];
        MemorySegment[] places = new MemorySegment[count];
        long bytes = memory.byteSize() / count;
        for (int i = 0; i < count; i++) {
            places[i] = memory.asSlice(i * bytes, bytes);
            buffers[i] = new PacketViews(this, places[i], mergesPackets);
            buffers[i].use(i);
        }
        incoming = new UdpMessages(count, places);
    }

    /** Of a socket that merges packets: maximum runs per call. */
    static SocketArrivals ofRuns(UdpSocket socket, int runs) {
        return new SocketArrivals(socket, memory((long) runs * LONGEST_RUN_BYTES), runs, true);
    }

    /** Of a socket that does not: maximum packets per call, of that path MTU. */
    static SocketArrivals ofPackets(UdpSocket socket, int packets, int mtuBytes) {
        // one word more, so that a longer one is seen
        int bytes = (Packet.maxBytes(mtuBytes) + 4 + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
        return new SocketArrivals(socket, Outbox.memory(mtuBytes, (long) packets * bytes), packets, false);
    }

    private static MemorySegment memory(long bytes) {
        return Arena.ofAuto().allocate(PAGE_BYTES + bytes, PAGE_BYTES).asSlice(PAGE_BYTES / 2, bytes);
    }

    // ---- packets that are kept

    /** Another buffer, which receives nothing. */
    PacketViews makeSpare() {
        return new PacketViews(this, memory(buffers[0].buffer().byteSize()), mergesPackets);
    }

    /** Receives the datagrams of that number into a buffer that was a spare. */
    void use(PacketViews spare, int datagram) {
        buffers[datagram] = spare;
        incoming.replaceBuffer(datagram, spare.buffer());
        spare.use(datagram);
    }

    // ---- datagrams

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
