package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Packet;
import org.jspecify.annotations.Nullable;

/**
 * Where packets leave the card. A packet is begun, filled in, and ended; what was ended leaves in order, at the latest
 * when the port is {@linkplain #flush flushed}.
 */
public interface Port {
    /**
     * A place for the next packet on that route, to be filled up to its payload; null when the port can take none now:
     * nothing is lost, and whoever wanted to send is run again when the port has room.
     */
    @Nullable
    Packet begin(Route route);

    /**
     * The same for a short packet to a peer of urma4j, which may share its datagram with others.
     *
     * @param opcode that it will have
     * @param payloadBytes that it will have
     * @param mostBytes payload of a packet on that route
     */
    default @Nullable Packet beginShort(Route route, int opcode, int payloadBytes, int mostBytes) {
        return begin(route);
    }

    /** The packet that was begun last is complete, with so many bytes of payload; pads it, adds the ICRC. */
    void end(int payloadBytes);

    /** Has everything leave that was ended. */
    void flush();
}
