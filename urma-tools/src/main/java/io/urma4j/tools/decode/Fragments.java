package io.urma4j.tools.decode;

import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import io.urma4j.udma.wire.PathMtu;
import io.urma4j.udma.wire.Reassembly;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts packets together that were sent in fragments, as their receivers do. */
final class Fragments {
    /** A capture may name any number of connections; those used last keep their incomplete packets. */
    private static final int MAX_CONNECTIONS = 64;

    private final Map<Connection, Reassembly> incomplete = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Connection, Reassembly> eldest) {
            return size() > MAX_CONNECTIONS;
        }
    };

    private record Connection(InetAddress source, InetAddress destination, int number) {}

    /** The packet that a fragment completes, valid until the next call; null if others are missing, or it is malformed. */
    @Nullable
    Datagram completed(Datagram fragment, long nanos) {
        int number = fragment.packet().connectionNumber();
        Packet whole = incomplete
                .computeIfAbsent(
                        new Connection(fragment.source(), fragment.destination(), number),
                        _ -> new Reassembly(PathMtu.LARGEST))
                .add(fragment.packet(), nanos);
        return whole != null && PacketCheck.ofConnection(whole) == null ? fragment.with(whole) : null;
    }
}
