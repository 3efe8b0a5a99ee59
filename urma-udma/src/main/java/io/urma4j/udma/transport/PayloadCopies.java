package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Packet;

/**
 * Decides which packets carry a copy of their payload, and do not refer to it. A store into memory that a packet refers to
 * makes its ICRC wrong, and the receiver drops the packet, as if the network had lost it. Such stores are legal where a
 * peer reads.
 *
 * <p>A repeated packet carries a copy, so that it arrives. So do some packets after it, since memory that changes once will
 * change again: twice as many each time, until as many others have arrived at once. A network that loses a packet now and
 * then hence costs few copies.
 */
final class PayloadCopies {
    static final int LEAST = 16;
    static final int MOST = 1024;

    private int run; // copies after a repeated packet; 0 when none was repeated lately
    private int copiesLeft;
    private int othersLeft; // without a repeated one among them, the run is forgotten

    /** Prepares a packet that was begun, before its payload is put or referred to. */
    void prepare(Packet packet, boolean isRepeated) {
        if (isRepeated) {
            packet.mustCopy();
            repeated();
        } else if (copiesLeft > 0) {
            packet.mustCopy();
            copiesLeft--;
        } else if (othersLeft > 0 && --othersLeft == 0) {
            run = 0;
        }
    }

    private void repeated() {
        if (copiesLeft == 0) {
            run = Math.clamp(2L * run, LEAST, MOST);
        }
        copiesLeft = run;
        othersLeft = run;
    }

    @Override
    public String toString() {
        return copiesLeft == 0 ? "no copies" : copiesLeft + " copies left";
    }
}
