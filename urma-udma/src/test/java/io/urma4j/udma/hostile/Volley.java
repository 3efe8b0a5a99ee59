package io.urma4j.udma.hostile;

import io.urma4j.Eid;
import io.urma4j.libc.NativeMemory;
import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpOption;
import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

/** Sends the same packets again and again, all of them in one system call, with a right ICRC. */
final class Volley implements AutoCloseable {
    private static final int PACKETS = 64;

    private final UdpSocket socket;
    private final int victim;
    private final IpHeaders headers;
    private final Icrc icrc = new Icrc();
    private final MemorySegment[] places = new MemorySegment[PACKETS];
    private final UdpMessages messages;
    private int count;
    private long sent;

    private Volley(UdpSocket socket, InetAddress from, InetAddress to) {
        this.socket = socket;
        this.victim = (int) Eid.of(to).low();
        this.headers = IpHeaders.ipv4((int) Eid.of(from).low(), victim, socket.localPort(), IpHeaders.ROCE_PORT);
        for (int i = 0; i < PACKETS; i++) {
            places[i] = Arena.ofAuto().allocate(Packet.MAX_BYTES, Long.BYTES);
        }
        messages = new UdpMessages(PACKETS, places);
    }

    /** From an address, and any of its ports, to the port of RoCE of another. */
    static Volley open(String from, String to) {
        UdpSocket socket = UdpSocket.open(false);
        try {
            InetAddress own = InetAddress.ofLiteral(from);
            socket.set(UdpOption.IPV4_MTU_DISCOVER, UdpOption.NEVER_FRAGMENT); // the identification is 0 then
            socket.bind(own, 0);
            return new Volley(socket, own, InetAddress.ofLiteral(to));
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** One more packet, of as many as {@value #PACKETS}; a sound one. */
    void put(byte[] bytes) {
        Packet packet = new Packet(NativeMemory.of(places[count]));
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, packet.bytes().segment(), 0, bytes.length);
        packet.lengthBytes(bytes.length);
        packet.end(packet.payloadBytes(), headers, icrc);
        messages.bufferLength(count, packet.lengthBytes());
        messages.put(count, count, 1);
        messages.toIpv4(count, victim, IpHeaders.ROCE_PORT);
        count++;
    }

    void send() {
        sent += Math.max(socket.send(messages, 0, count), 0);
    }

    /** How many packets have left. */
    long sent() {
        return sent;
    }

    @Override
    public void close() {
        socket.close();
    }
}
