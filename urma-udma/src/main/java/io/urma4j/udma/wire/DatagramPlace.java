package io.urma4j.udma.wire;

/**
 * Memory for a received datagram. Who must keep a packet until later may keep the memory as well, and gives other memory for it:
 * a copy of a long packet takes longer than all else that is done with it. For one thread at a time.
 */
public interface DatagramPlace {
    /** A packet in another such place, which receives nothing. */
    Packet makeSpare();

    /**
     * Receives into the place of {@code spare} from now on, and no longer into this one.
     *
     * @param packet the one at the beginning of this place
     * @return false if nothing has changed: the datagram has other packets as well, or the spare does not fit
     */
    boolean exchange(Packet packet, Packet spare);
}
