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
    /** Packets that wait until what is before them is placed; null until a memory has answered later. */
    private @Nullable OutOfOrder held;

    private final int mtuBytes;

    GoBackNResponder(int mtuBytes) {
        this.mtuBytes = mtuBytes;
    }

    @Override
    public boolean arrivedEarly(Packet packet, long psn, long expected, boolean isGapTold) {
        OutOfOrder waiting = held;
        if (waiting == null || waiting.get(expected) == null) {
            return !isGapTold;
        }
        waiting.keep(packet, psn, expected);
        boolean isBehindGap = waiting.get(psn) == null || waiting.get(psn - 1) == null;
        return isBehindGap && !isGapTold;
    }

    // ---- held packets

    @Override
    public boolean hold(Packet packet, long psn, long expected) {
        OutOfOrder waiting = held == null ? new OutOfOrder(mtuBytes) : held;
        held = waiting;
        waiting.keep(packet, psn, expected);
        return waiting.get(psn) != null;
    }

    /** The peer retransmits whatever is left. */
    @Override
    public void heldWasExecuted() {
        clear();
    }

    @Override
    public boolean isEmpty() {
        return held == null || held.isEmpty();
    }

    @Override
    public @Nullable Packet get(long psn) {
        return held == null ? null : held.get(psn);
    }

    @Override
    public void remove(long from, long end) {
        if (held != null) {
            held.remove(from, end);
        }
    }

    @Override
    public void clear() {
        if (held != null) {
            held.clear();
        }
    }

    // ---- the peer

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
