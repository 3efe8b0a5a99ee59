package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Packet;

/**
 * The responder of a peer that goes back, as RoCE has it: drops early packets, and reports a gap once. The peer retransmits
 * everything from the gap on.
 */
final class GoBackNResponder implements ResponderRecovery {
    @Override
    public boolean arrivedEarly(Packet packet, long psn, long expected, boolean isGapTold) {
        return !isGapTold;
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
            resources.want(read, psn, end, endByte);
        }
    }
}
