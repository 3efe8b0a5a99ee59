package io.urma4j.socket.peering;

import io.urma4j.RemoteSegment;
import io.urma4j.socket.ring.RingWriter;
import java.lang.foreign.MemorySegment;

/** Memory of another process that this one has imported: the rings that this one writes, and the other's offers. */
final class RemoteArena implements AutoCloseable {
    private final RemoteSegment segment;
    private final MemorySegment bytes;
    private final ArenaLayout layout;
    private final OfferTable offers;

    /**
     * Maps the segment.
     *
     * @throws IllegalArgumentException if it does not hold what it should
     */
    RemoteArena(RemoteSegment segment) {
        this.segment = segment;
        this.bytes = segment.map();
        this.layout = ArenaLayout.of(bytes);
        this.offers = ArenaLayout.offers(bytes);
    }

    OfferTable offers() {
        return offers;
    }

    boolean hasRing(int slot) {
        return layout.hasRing(slot);
    }

    RingWriter writer(int slot) {
        return new RingWriter(layout.ring(bytes, slot));
    }

    /** Whether its process has ended or taken it back. */
    boolean isGone() {
        return segment.isRevoked();
    }

    @Override
    public void close() {
        segment.close();
    }

    @Override
    public String toString() {
        return segment.toString();
    }
}
