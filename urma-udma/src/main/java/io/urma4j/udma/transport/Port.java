package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Packet;
import org.jspecify.annotations.Nullable;

/**
 * The output of the card's packets. A packet is begun, filled in, and ended; ended packets leave in order, at the latest
 * when the port is {@linkplain #flush flushed}.
 */
public interface Port {
    /**
     * Space for the next packet on that route, to be filled up to its payload; null if the port is full. Then nothing is
     * lost, and the sender is run again when the port has space.
     */
    @Nullable
    Packet begin(Route route);

    /**
     * The same for a short packet to a urma4j peer, which may share its datagram with others.
     *
     * @param opcode of the packet
     * @param payloadBytes of the packet
     * @param mostBytes maximum payload of a packet on that route
     */
    default @Nullable Packet beginShort(Route route, int opcode, int payloadBytes, int mostBytes) {
        return begin(route);
    }

    /** The last begun packet is complete, with this many bytes of payload; adds padding and ICRC. */
    void end(int payloadBytes);

    /**
     * Sends all ended packets.
     *
     * @return true if some are left, since the network accepts no more for the moment: then it must be flushed again
     */
    boolean flush();
}
