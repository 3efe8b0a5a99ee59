package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Packet;

/**
 * The responder of a peer that goes back, as RoCE has it: drops early packets, and reports a gap once. The peer retransmits
 * everything from the gap on.
 */
final class GoBackNResponder implements ResponderRecovery {
    /** What waits until everything before it is placed, where memory answers later. */
    private final OutOfOrder held;

    /** @param held of the responder */
    GoBackNResponder(OutOfOrder held) {
        this.held = held;
    }

    @Override
    public boolean arrivedEarly(Packet packet, long psn, long expected, boolean isGapTold) {
        if (held.get(expected) == null) {
            return !isGapTold;
        }
        held.keep(packet, psn, expected);
        boolean isBehindGap = held.get(psn) == null || held.get(psn - 1) == null;
        return isBehindGap && !isGapTold;
    }

    @Override
    public boolean reportGap(PacketWriter writer, long expected, int msn, boolean isDelayed) {
        return writer.acknowledge(expected, Aeth.NAK_SEQUENCE, msn, Bth.NO_TRANSMISSION, isDelayed);
    }

    /** The rest of the READ. When that is in progress already, the request is one that the network has duplicated. */
    @Override
    public void wantAgain(ResponderResources resources, ResponderResource read, long psn, long end, long endByte) {
        boolean isInProgress = read.isWanted() && psn >= read.nextPsn() && read.endByte() == endByte;
        if (!isInProgress) {
            if (read.endByte() != endByte) {
                read.endFetches(); // the last of them may be shorter
            }
            resources.want(read, psn, end, endByte);
        }
    }
}
