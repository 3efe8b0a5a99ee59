package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Packet;

/**
 * What a responder does about a loss: with packets that are early, since an older one is missing, with packets that arrive
 * twice, and with READs that are requested again. {@link SelectiveResponder} serves urma4j peers, {@link GoBackNResponder}
 * all others.
 *
 * <p>Methods with a body state what holds for a peer that goes back: duplicates are not reported.
 */
sealed interface ResponderRecovery permits SelectiveResponder, GoBackNResponder {
    // ---- early packets

    /**
     * A packet has arrived early.
     *
     * @param isGapTold the gap before it was reported, and nothing has filled it since
     * @return whether to report the gap now
     */
    boolean arrivedEarly(Packet packet, long psn, long expected, boolean isGapTold);

    // ---- packets that arrive twice

    /** These PSNs were executed. */
    default void executed(long psn, long expected) {}

    /**
     * A packet has arrived that had arrived before.
     *
     * @param acknowledged the PSN that an acknowledgement names now
     */
    default void arrivedTwice(long psn, long acknowledged) {}

    /** Whether an acknowledgement is to report which packets arrived twice. */
    default boolean isArrivedTwiceDue() {
        return false;
    }

    /** A READ is requested again: from one PSN up to another, that one excluded, and up to that byte. */
    void wantAgain(ResponderResources resources, ResponderResource read, long psn, long end, long endByte);

    // ---- reports to the peer

    /** Sends a NAK that reports the gap; false when the port has no room. */
    boolean reportGap(PacketWriter writer, long expected, int msn, boolean isDelayed);

    /**
     * Sends an acknowledgement of what is placed, which reports that more has arrived: everything before the expected PSN, and
     * what is kept. For urma4j peers alone.
     *
     * @return false when the port has no room
     */
    default boolean reportPlacing(PacketWriter writer, long acknowledged, long expected, int msn) {
        return writer.acknowledge(acknowledged, Aeth.ACK_PLACING, msn, Bth.NO_TRANSMISSION, true);
    }

    /** Sends an acknowledgement that reports which packets arrived twice; false when the port has no room. */
    default boolean reportArrivedTwice(
            PacketWriter writer, long acknowledged, int transmission, int msn, boolean isDelayed) {
        return true;
    }
}
