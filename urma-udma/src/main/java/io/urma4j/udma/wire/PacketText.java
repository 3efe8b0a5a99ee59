package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/** A packet in words, for a person: all that its headers say. */
public final class PacketText {
    private PacketText() {}

    /** Of a packet that {@link PacketCheck} has found sound. */
    public static String of(Packet packet) {
        return Bundle.is(packet) ? "BUNDLE of " + Bundle.count(packet) + " packets" : ofOne(packet);
    }

    private static String ofOne(Packet packet) {
        NativeMemory bytes = packet.bytes();
        StringBuilder text = new StringBuilder(160);
        text.append(String.format(
                "%-23s QP 0x%06x PSN 0x%06x%s%s",
                Opcodes.name(packet.opcode()),
                Bth.destinationQp(bytes),
                Bth.psn(bytes),
                Bth.asksForAcknowledgement(bytes) ? " A" : "",
                Bth.isSolicited(bytes) ? " SE" : ""));
        for (Header header : Header.values()) {
            if (Opcodes.has(packet.opcode(), header)) {
                text.append(", ").append(told(header, bytes, packet.at(header)));
            }
        }
        return text.append(", ").append(packet.payloadBytes()).append(" bytes").toString();
    }

    private static String told(Header header, NativeMemory bytes, int at) {
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
            case ATOMIC_KIND ->
                String.format(
                        "opcode 0x%02x of %d bytes", AtomicKind.opcode(bytes, at), AtomicKind.sizeBytes(bytes, at));
            case NOTIFY_ETH ->
                String.format(
                        "notify VA 0x%016x R_Key 0x%08x value 0x%x",
                        NotifyEth.va(bytes, at), NotifyEth.remoteKey(bytes, at), NotifyEth.value(bytes, at));
            case IMM_64 -> String.format("immediate 0x%016x", Imm64.immediate(bytes, at));
            case FRAGMENT_ETH ->
                String.format("offset %d of %d", FragmentEth.offset(bytes, at), FragmentEth.lengthBytes(bytes, at));
            case ACK_ETH -> String.format("acknowledges 0x%06x MSN %d", AckEth.psn(bytes, at), AckEth.msn(bytes, at));
            case IETH -> String.format("invalidates R_Key 0x%08x", Ieth.remoteKey(bytes, at));
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
