package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.AckEth;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicAckEth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Rdeth;
import java.util.List;
import java.util.function.UnaryOperator;

/** A responder whose packets a test writes by hand, and what the requester makes of them. */
final class AnswersByHand {
    static final int MTU = 1024;
    private static final IpHeaders IP = IpHeaders.ipv4(0x0A00_0001, 0x0A00_0002, 0xC000, IpHeaders.ROCE_PORT);

    final Pair pair;
    final Pair.End requester;
    final Outbox out;
    private final boolean isShared;
    private final int first;

    /** The responder's host says that it was late. */
    boolean saysLate;

    /** The requester's host was late: packets waited there. */
    boolean isLate;

    private final Icrc icrc = new Icrc();

    AnswersByHand(Peer peer) {
        this(peer, config -> config);
    }

    AnswersByHand(Peer peer, UnaryOperator<ConnectionConfig.Builder> adjusted) {
        isShared = peer == Peer.SHARED;
        pair = new Pair(
                isShared ? Kind.SHARED : Kind.RELIABLE_CONNECTED,
                config -> adjusted.apply(peer == Peer.FOREIGN ? config.foreignPeer() : config),
                Pair.Faults.NONE,
                1);
        pair.filter = (to, packet) -> false;
        requester = pair.left;
        requester.records = true;
        out = isShared ? requester.outbox(RequestsByHand.SOURCE, RequestsByHand.TARGET) : requester.outbox();
        first = requester.connection.config().firstSendPsn();
    }

    /** A requester that retransmits only lost packets. */
    static AnswersByHand selective(Peer peer) {
        return new AnswersByHand(peer, ConnectionConfig.Builder::selective);
    }

    /** A requester that has sent that many WRITEs of a packet each. */
    static AnswersByHand writes(Peer peer, int count, UnaryOperator<ConnectionConfig.Builder> adjusted) {
        AnswersByHand by = new AnswersByHand(peer, adjusted);
        for (int i = 0; i < count; i++) {
            by.out.write(8, 0);
        }
        assertThat(by.sends()).hasSize(count);
        return by;
    }

    /** Sends what may be sent; the PSNs of it, from the first one. */
    List<Integer> sends() {
        requester.sent.clear();
        requester.step();
        return requester.sent.stream()
                .map(packet -> Bth.psn(packet.bytes()) - first << 8 >> 8)
                .toList();
    }

    long ignored() {
        return requester.connection.traffic().count(Event.IGNORED);
    }

    /** Refusals that the requester has taken. */
    long refusalsReceived() {
        Traffic traffic = requester.connection.traffic();
        return traffic.count(Event.NAK_INVALID_RECEIVED)
                + traffic.count(Event.NAK_ACCESS_RECEIVED)
                + traffic.count(Event.NAK_OPERATION_RECEIVED);
    }

    private Packet begin(int opcode, int psn) {
        Packet packet = Packet.allocate();
        packet.begin(opcode, Pair.LEFT, first + psn & Bth.MAX_24);
        if (Opcodes.has(opcode, Header.RDETH)) {
            Rdeth.put(packet.bytes(), packet.at(Header.RDETH), 0, Pair.LEFT);
        }
        return packet;
    }

    private void arrives(Packet packet, int payloadBytes) {
        if (saysLate) {
            Bth.addAck(packet.bytes(), Bth.waited(true));
        }
        packet.end(payloadBytes, IP, icrc);
        requester.receive(packet, isLate);
    }

    private int standard(int operation) {
        return (isShared ? Opcodes.RD : Opcodes.RC) | operation;
    }

    void acknowledges(int psn, int msn) {
        says(psn, Aeth.ACK, msn);
    }

    void says(int psn, int syndrome, int msn) {
        Packet packet = begin(standard(Opcodes.ACKNOWLEDGE), psn);
        Aeth.put(packet.bytes(), packet.at(Header.AETH), syndrome, msn);
        arrives(packet, 0);
    }

    /** Expects that PSN, and has some of those behind it: a bit each. */
    void reports(int psn, int bits, int msn) {
        Packet packet = begin((isShared ? Opcodes.OURS_RD : Opcodes.OURS_RC) | Opcodes.SELECTIVE_ACK, psn);
        Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.NAK_SEQUENCE, msn);
        packet.bytes().setByte(packet.payloadAt(), bits);
        arrives(packet, 1);
    }

    void answersRead(int psn, int operation, int payloadBytes, int msn) {
        Packet packet = begin(standard(operation), psn);
        if (Opcodes.has(packet.opcode(), Header.AETH)) {
            Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.ACK, msn);
        }
        packet.bytes().segment().asSlice(packet.payloadAt(), payloadBytes).fill((byte) 7);
        arrives(packet, payloadBytes);
    }

    void answersAtomic(int psn, long original, int msn) {
        Packet packet = begin(standard(Opcodes.ATOMIC_ACKNOWLEDGE), psn);
        Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.ACK, msn);
        AtomicAckEth.put(packet.bytes(), packet.at(Header.ATOMIC_ACK_ETH), original);
        arrives(packet, 0);
    }

    /** A WRITE of the peer's own, without bytes, which brings an acknowledgement along. */
    void acknowledgesAlong(int requestPsn, int psn, int msn) {
        int opcode = (isShared ? Opcodes.OURS_RD : Opcodes.OURS_RC) | Opcodes.SEND_ONLY_ACK;
        Packet packet = Packet.allocate();
        int firstOfPeer = requester.connection.config().firstReceivePsn();
        packet.begin(opcode, isShared ? RequestsByHand.TARGET : Pair.LEFT, firstOfPeer + requestPsn & Bth.MAX_24);
        if (isShared) {
            Rdeth.put(packet.bytes(), packet.at(Header.RDETH), 0, Pair.LEFT);
            Deth.put(packet.bytes(), packet.at(Header.DETH), 0, 0, RequestsByHand.SOURCE);
        }
        AckEth.put(packet.bytes(), packet.at(Header.ACK_ETH), first + psn & Bth.MAX_24, msn);
        arrives(packet, 8);
    }

    /** The middle of a READ's response as urma4j sends it: full, and with a count. */
    void answersMiddle(int psn, int msn) {
        Packet packet = begin((isShared ? Opcodes.OURS_RD : Opcodes.OURS_RC) | Opcodes.READ_RESPONSE_MIDDLE_AETH, psn);
        Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.ACK, msn);
        arrives(packet, MTU);
    }

    /** The response to a READ of eight bytes, which names the transmission of the request. */
    void answersTransmission(int psn, int transmission, int msn) {
        Packet packet = begin(standard(Opcodes.READ_RESPONSE_ONLY), psn);
        Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.ACK, msn);
        Bth.addAck(packet.bytes(), Bth.answers(transmission));
        arrives(packet, 8);
    }

    /** One step, and not all that are due; whether there is more. */
    boolean steps() {
        requester.sent.clear();
        out.run(requester.connection, pair.now);
        return requester.connection.step(pair.now, FlushHint.FLUSH);
    }

    /** A value that the connection shows. */
    long shown(String name) {
        long[] found = {-1};
        requester.connection.forEachCounter((each, value) -> found[0] = each.equals(name) ? value : found[0]);
        return found[0];
    }

    /** A packet of any opcode, which means nothing to this connection. */
    void arrives(int opcode, int psn) {
        arrives(begin(opcode, psn), 0);
    }
}
