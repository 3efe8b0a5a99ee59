package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Packet;
import org.jspecify.annotations.Nullable;

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

    // ---- nothing is kept, and duplicates are not reported

    @Override
    public boolean isEmpty() {
        return true;
    }

    @Override
    public @Nullable Packet get(long psn) {
        return null;
    }

    @Override
    public void remove(long from, long end) {}

    @Override
    public void clear() {}

    @Override
    public void executed(long psn, long expected) {}

    @Override
    public void arrivedTwice(long psn, long acknowledged) {}

    @Override
    public boolean isArrivedTwiceDue() {
        return false;
    }

    @Override
    public boolean reportArrivedTwice(
            PacketWriter writer, long acknowledged, int transmission, int msn, boolean isDelayed) {
        return true;
    }
}
