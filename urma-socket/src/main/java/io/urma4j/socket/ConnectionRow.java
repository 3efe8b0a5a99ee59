package io.urma4j.socket;

import io.urma4j.Resource;
import io.urma4j.socket.ring.RingConnection;
import io.urma4j.socket.ring.RingUse;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What {@code urma sockets} shows of a connection. */
final class ConnectionRow {
    private ConnectionRow() {}

    /** Empty if the channel is closed. */
    static Optional<Resource> of(UrmaSocketChannel channel, long number) {
        try {
            var row = Resource.builder(Resource.Kind.SOCKET, number)
                    .add("local", text(channel.getLocalAddress()))
                    .add("peer", text(channel.getRemoteAddress()));
            RingConnection rings = channel.rings();
            return Optional.of((rings == null
                            ? row.add("transport", "tcp").add("reason", channel.reason())
                            : describe(row.add("transport", rings.device()), rings.use()))
                    .build());
        } catch (IOException | IllegalStateException e) { // closed a moment ago, and its rings given back
            return Optional.empty();
        }
    }

    private static Resource.Builder describe(Resource.Builder row, RingUse use) {
        row.add("reason", FallbackReason.NONE)
                .add("rx_bytes", use.readBytes())
                .add("rx_queued", use.unreadBytes())
                .add("tx_bytes", use.writtenBytes())
                .add("tx_queued", use.uncreditedBytes())
                .add("rx_doorbells", use.doorbellsHeard())
                .add("tx_doorbells", use.doorbellsSent());
        return Connections.describe(row, use.spins());
    }

    /** An address without the name of its host. */
    static String text(@Nullable SocketAddress address) {
        String text = String.valueOf(address);
        return text.substring(text.indexOf('/') + 1);
    }
}
