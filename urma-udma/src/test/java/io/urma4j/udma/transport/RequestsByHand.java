package io.urma4j.udma.transport;

import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicEth;
import io.urma4j.udma.wire.AtomicKind;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.NotifyEth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PathMtu;
import io.urma4j.udma.wire.Rdeth;
import io.urma4j.udma.wire.Reth;
import java.util.List;
import java.util.function.UnaryOperator;

/** A requester whose packets a test writes by hand, in order, and what the responder answers. */
final class RequestsByHand {
    /** The peers of a responder. */
    enum Peer {
        URMA4J,
        SHARED,
        FOREIGN
    }

    static final int MTU = 1024;
    static final int SOURCE = 0x100;
    static final int TARGET = 0x200;
    private static final IpHeaders IP = IpHeaders.ipv4(0x0A00_0001, 0x0A00_0002, 0xC000, IpHeaders.ROCE_PORT);

    final Pair pair;
    final Pair.End responder;
    final Inbox inbox;
    private final boolean isShared;
    private final int first;
    private final Icrc icrc = new Icrc();

    RequestsByHand(Peer peer) {
        this(peer, config -> config);
    }

    RequestsByHand(Peer peer, UnaryOperator<ConnectionConfig.Builder> adjusted) {
        isShared = peer == Peer.SHARED;
        Kind kind = isShared ? Kind.SHARED : Kind.RELIABLE_CONNECTED;
        pair = new Pair(
                kind,
                config -> adjusted.apply(peer == Peer.FOREIGN ? config.foreignPeer() : config),
                Pair.Faults.NONE,
                1);
        pair.filter = (to, packet) -> false;
        responder = pair.right;
        responder.records = true;
        inbox = isShared ? responder.inbox(TARGET, 3 * MTU) : responder.inbox(3 * MTU);
        first = pair.left.connection.config().firstSendPsn();
    }

    private Packet begin(int opcode, int psn) {
        Packet packet = Packet.allocate(PathMtu.LARGEST);
        packet.begin(opcode, isShared ? TARGET : Pair.RIGHT, first + psn & Bth.MAX_24);
        Bth.addAck(packet.bytes(), Bth.asks(true));
        if (isShared) {
            Rdeth.put(packet.bytes(), packet.at(Header.RDETH), 0, Pair.RIGHT);
            Deth.put(packet.bytes(), packet.at(Header.DETH), 0, 0, SOURCE);
        }
        return packet;
    }

    private Packet end(Packet packet, int payloadBytes) {
        packet.end(payloadBytes, IP, icrc);
        return packet;
    }

    private int standard(int operation) {
        return (isShared ? Opcodes.RD : Opcodes.RC) | operation;
    }

    private int ours(int operation) {
        return (isShared ? Opcodes.OURS_RD : Opcodes.OURS_RC) | operation;
    }

    /** A packet of a message, with that PSN from the first one. */
    Packet packet(int psn, int operation, int payloadBytes) {
        return end(begin(standard(operation), psn), payloadBytes);
    }

    /** The first packet of a WRITE of that length. */
    Packet write(int psn, int operation, int payloadBytes, long lengthBytes) {
        return write(psn, operation, payloadBytes, lengthBytes, Region.KEY);
    }

    Packet write(int psn, int operation, int payloadBytes, long lengthBytes, int key) {
        Packet packet = begin(standard(operation), psn);
        Reth.put(packet.bytes(), packet.at(Header.RETH), Region.BASE, key, lengthBytes);
        return end(packet, payloadBytes);
    }

    Packet notify(int psn, long at, int key, long value) {
        Packet packet = begin(ours(Opcodes.WRITE_ONLY_NOTIFY), psn);
        Reth.put(packet.bytes(), packet.at(Header.RETH), Region.BASE, Region.KEY, 0);
        NotifyEth.put(packet.bytes(), packet.at(Header.NOTIFY_ETH), Region.BASE + at, key, value);
        return end(packet, 0);
    }

    Packet read(int psn, long at, long lengthBytes, int key) {
        Packet packet = begin(standard(Opcodes.READ_REQUEST), psn);
        Reth.put(packet.bytes(), packet.at(Header.RETH), Region.BASE + at, key, lengthBytes);
        return end(packet, 0);
    }

    Packet atomic(int psn, long at, int opcode, int sizeBytes) {
        Packet packet = begin(ours(Opcodes.ATOMIC), psn);
        AtomicEth.put(packet.bytes(), packet.at(Header.ATOMIC_ETH), Region.BASE + at, Region.KEY, 1, 0);
        AtomicKind.put(packet.bytes(), packet.at(Header.ATOMIC_KIND), opcode, sizeBytes);
        return end(packet, 0);
    }

    /** Ends what was begun without its payload. */
    Packet resync(int psn, boolean isLast) {
        Packet packet = begin(ours(Opcodes.RESYNC), psn);
        if (isLast) {
            Bth.solicit(packet.bytes());
        }
        return end(packet, 0);
    }

    /** Requests that the responder has refused with an error. */
    long refusalsSent() {
        Traffic traffic = responder.connection.traffic();
        return traffic.count(Event.NAK_INVALID_SENT)
                + traffic.count(Event.NAK_ACCESS_SENT)
                + traffic.count(Event.NAK_OPERATION_SENT);
    }

    /** What the responder sends when these have arrived: operation, PSN from the first one, and syndrome. */
    List<String> answers(Packet... packets) {
        for (Packet packet : packets) {
            responder.receive(packet);
        }
        responder.sent.clear();
        responder.step();
        return responder.sent.stream().map(this::text).toList();
    }

    private String text(Packet answer) {
        int psn = Bth.psn(answer.bytes()) - first << 8 >> 8;
        String syndrome = Opcodes.has(answer.opcode(), Header.AETH)
                ? " " + text(Aeth.syndrome(answer.bytes(), answer.at(Header.AETH)))
                : "";
        return switch (Opcodes.operation(answer.opcode())) {
            case Opcodes.ACKNOWLEDGE -> psn + syndrome;
            case Opcodes.ATOMIC_ACKNOWLEDGE -> psn + " atomic";
            default -> psn + " read of " + answer.payloadBytes();
        };
    }

    private static String text(int syndrome) {
        return switch (Aeth.kind(syndrome)) {
            case ACK -> "ack";
            case RNR_NAK -> "rnr";
            default ->
                switch (syndrome) {
                    case Aeth.NAK_SEQUENCE -> "gap";
                    case Aeth.NAK_INVALID_REQUEST -> "invalid";
                    case Aeth.NAK_REMOTE_ACCESS -> "access";
                    case Aeth.NAK_REMOTE_OPERATION -> "operation";
                    default -> Integer.toHexString(syndrome);
                };
        };
    }

    /** The refusals among the answers; on a shared connection an acknowledgement follows each. */
    List<String> refusals(Packet... packets) {
        return answers(packets).stream()
                .filter(answer -> !answer.endsWith("ack"))
                .toList();
    }
}
