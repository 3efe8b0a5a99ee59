package io.urma4j.tools.decode;

import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.capture.Frame;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicAckEth;
import io.urma4j.udma.wire.AtomicEth;
import io.urma4j.udma.wire.AtomicKind;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Drop;
import io.urma4j.udma.wire.Feth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Ieth;
import io.urma4j.udma.wire.Imm64;
import io.urma4j.udma.wire.ImmDt;
import io.urma4j.udma.wire.NotifyEth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Rdeth;
import io.urma4j.udma.wire.Reth;
import io.urma4j.udma.wire.Xrceth;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A packet as one line for a person. */
final class PacketLine {
    private PacketLine() {}

    static String of(Frame frame, long startNanos, Datagram datagram, @Nullable Drop drop, boolean again) {
        StringBuilder line = new StringBuilder(160);
        line.append(String.format(
                Locale.ROOT,
                "%5d %11.6f %s > %s ",
                frame.number(),
                (frame.timeNanos() - startNanos) / 1e9,
                datagram.source().getHostAddress(),
                datagram.destination().getHostAddress()));
        Packet packet = datagram.packet();
        if (drop != null && drop != Drop.ICRC) {
            return line.append(packet).append("  ").append(told(drop)).toString();
        }
        appendHeaders(line, packet);
        line.append(again ? ", again" : "");
        return line.append(drop == Drop.ICRC ? String.format("  ICRC 0x%08x WRONG", Icrc.in(packet)) : "  ICRC ok")
                .toString();
    }

    private static String told(Drop drop) {
        return switch (drop) {
            case TOO_SHORT -> "SHORTER THAN A BTH";
            case UNKNOWN_OPCODE -> "UNKNOWN OPCODE";
            case CUT -> "SHORTER THAN ITS HEADERS";
            case TOO_LONG -> "LONGER THAN ANY MTU";
            case TRANSPORT_VERSION -> "UNKNOWN TRANSPORT VERSION";
            case ICRC -> "ICRC WRONG";
        };
    }

    private static void appendHeaders(StringBuilder line, Packet packet) {
        MemorySegment bytes = packet.bytes();
        line.append(String.format(
                "%-23s QP 0x%06x PSN 0x%06x%s%s",
                Opcodes.name(packet.opcode()),
                Bth.destinationQp(bytes),
                Bth.psn(bytes),
                Bth.asksForAcknowledgement(bytes) ? " A" : "",
                Bth.isSolicited(bytes) ? " SE" : ""));
        for (Header header : Header.values()) {
            if (Opcodes.has(packet.opcode(), header)) {
                line.append(", ").append(told(header, bytes, packet.at(header)));
            }
        }
        line.append(", ").append(packet.payloadBytes()).append(" bytes");
    }

    private static String told(Header header, MemorySegment bytes, int at) {
        return switch (header) {
            case RDETH ->
                String.format(
                        "EE context 0x%06x%s",
                        Rdeth.endToEndContext(bytes, at),
                        (Rdeth.flags(bytes, at) & Rdeth.STARTS_ANEW) != 0 ? " anew" : "");
            case DETH ->
                String.format("from QP 0x%06x Q_Key 0x%08x", Deth.sourceQp(bytes, at), Deth.queueKey(bytes, at));
            case XRCETH -> String.format("SRQ 0x%06x", Xrceth.sharedReceiveQueue(bytes, at));
            case FETH ->
                String.format(
                        "flush selectivity %d placement %d",
                        Feth.selectivity(bytes, at), Feth.placementType(bytes, at));
            case RETH ->
                String.format(
                        "VA 0x%016x R_Key 0x%08x length %d",
                        Reth.va(bytes, at), Reth.remoteKey(bytes, at), Reth.lengthBytes(bytes, at));
            case ATOMIC_ETH ->
                String.format(
                        "VA 0x%016x R_Key 0x%08x operand 0x%x compare 0x%x",
                        AtomicEth.va(bytes, at),
                        AtomicEth.remoteKey(bytes, at),
                        AtomicEth.operand(bytes, at),
                        AtomicEth.compare(bytes, at));
            case AETH -> answer(Aeth.syndrome(bytes, at)) + " MSN " + Aeth.msn(bytes, at);
            case ATOMIC_ACK_ETH -> String.format("was 0x%x", AtomicAckEth.original(bytes, at));
            case IMM_DT -> String.format("immediate 0x%08x", ImmDt.immediate(bytes, at));
            case IETH -> String.format("invalidates R_Key 0x%08x", Ieth.remoteKey(bytes, at));
            case ATOMIC_KIND ->
                String.format(
                        "opcode 0x%02x on %d bytes", AtomicKind.opcode(bytes, at), AtomicKind.sizeBytes(bytes, at));
            case NOTIFY_ETH ->
                String.format(
                        "notifies VA 0x%016x R_Key 0x%08x value 0x%x",
                        NotifyEth.va(bytes, at), NotifyEth.remoteKey(bytes, at), NotifyEth.value(bytes, at));
            case IMM_64 -> String.format("immediate 0x%016x", Imm64.immediate(bytes, at));
        };
    }

    private static String answer(int syndrome) {
        return switch (Aeth.kind(syndrome)) {
            case ACK -> syndrome == Aeth.ACK ? "ACK" : "ACK credits " + Aeth.value(syndrome);
            case RNR_NAK -> "RNR NAK timer " + Aeth.value(syndrome);
            case NAK -> "NAK " + reason(syndrome);
            case RESERVED -> String.format("syndrome 0x%02x", syndrome);
        };
    }

    private static String reason(int syndrome) {
        return switch (syndrome) {
            case Aeth.NAK_SEQUENCE -> "sequence error";
            case Aeth.NAK_INVALID_REQUEST -> "invalid request";
            case Aeth.NAK_REMOTE_ACCESS -> "remote access error";
            case Aeth.NAK_REMOTE_OPERATION -> "remote operational error";
            case Aeth.NAK_INVALID_RD_REQUEST -> "invalid RD request";
            default -> String.format("0x%02x", syndrome);
        };
    }
}
