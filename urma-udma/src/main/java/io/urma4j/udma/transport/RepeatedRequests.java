package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Reth;

/** Requests of a peer that were executed before: they are answered once more, and not executed. */
final class RepeatedRequests {
    private final ConnectionConfig config;
    private final ResponderResources resources;
    private final ResponderRecovery recovery;
    private final ResponseScheduler answers;
    private final Traffic traffic;

    RepeatedRequests(
            ConnectionConfig config,
            ResponderResources resources,
            ResponderRecovery recovery,
            ResponseScheduler answers,
            Traffic traffic) {
        this.config = config;
        this.resources = resources;
        this.recovery = recovery;
        this.answers = answers;
        this.traffic = traffic;
    }

    /** @param placedUpTo everything before that PSN is executed and placed */
    void again(Packet packet, long psn, int transmission, long placedUpTo) {
        answers.causedBy(psn, transmission);
        switch (Opcodes.operation(packet.opcode())) {
            case Opcodes.READ_REQUEST -> readAgain(packet, psn, transmission);
            case Opcodes.COMPARE_SWAP, Opcodes.FETCH_ADD -> atomicAgain(psn, transmission);
            default -> {
                answers.cameAgain(psn);
                answers.acknowledge();
            }
        }
        answers.judgeAgain(psn, placedUpTo);
    }

    /** From memory once more: the same range, or what is left of it (WIRE §4.2). */
    private void readAgain(Packet packet, long psn, int transmission) {
        ResponderResource resource = resources.find(psn);
        NativeMemory bytes = packet.bytes();
        int at = packet.at(Header.RETH);
        long length = Reth.lengthBytes(bytes, at);
        if (resource == null || !resource.isRead || Reth.remoteKey(bytes, at) != resource.remoteKey) {
            answers.acknowledgeShared();
            return;
        }
        long from = (psn - resource.firstPsn) * config.mtuBytes();
        if (Reth.va(bytes, at) != resource.va + from || length > resource.lengthBytes - from) {
            traffic.add(Event.IGNORED);
            return;
        }
        long end = psn + Segmenter.packets(length, config.mtuBytes());
        resource.transmission = psn == resource.firstPsn ? transmission : Bth.NO_TRANSMISSION;
        recovery.wantAgain(resources, resource, psn, end, from + length);
    }

    private void atomicAgain(long psn, int transmission) {
        ResponderResource resource = resources.find(psn);
        if (resource != null && !resource.isRead) {
            resource.transmission = transmission;
            resources.want(resource, psn, psn + 1, 0);
        } else {
            answers.acknowledgeShared();
        }
    }
}
