package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Packet;

/**
 * Decides which packets carry a copy of their payload, and do not refer to it. A store into memory that a packet refers to
 * makes its ICRC wrong, and the receiver drops the packet, as if the network had lost it. Such stores are legal where a
 * peer reads.
 *
 * <p>A repeated packet carries a copy, so that it arrives. Where many packets are repeated, the memory probably changes all
 * the time, and the next ones are copies as well: {@value #PER_REPEATED} for each repeated one. A network that loses fewer
 * than one packet in {@value #PER_REPEATED} causes no other copies for long.
 */
final class PayloadCopies {
    static final int PER_REPEATED = 8;
    static final int TOLERATED = 2 * PER_REPEATED;
    static final int MOST = 1024;

    private int score; // a repeated packet raises it, any other lowers it

    /** Prepares a packet that was begun, before its payload is put or referred to. */
    void prepare(Packet packet, boolean isRepeated) {
        if (isRepeated) {
            score = Math.min(score + PER_REPEATED, MOST);
            packet.mustCopy();
        } else if (score > 0) {
            if (score > TOLERATED) {
                packet.mustCopy();
            }
            score--;
        }
    }

    @Override
    public String toString() {
        return "score " + score + (score > TOLERATED ? ": copies" : ": references");
    }
}
