package io.urma4j.socket.peering;

import io.urma4j.Access;
import io.urma4j.JettyId;
import io.urma4j.PeerId;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SharedSegment;
import io.urma4j.UrmaContext;
import io.urma4j.socket.ring.ReadyPlace;
import io.urma4j.socket.ring.ReadyWords;
import io.urma4j.socket.ring.RingWriter;
import java.lang.foreign.MemorySegment;

/** Memory of another process that this one has imported: the rings that this one writes, and the other's offers. */
final class RemoteArena implements AutoCloseable {
    private final RemoteSegment segment;
    private final MemorySegment bytes;
    private final ArenaLayout layout;
    private final Offers offers;
    private final ReadyWords readyWords;

    /**
     * Imports and maps it.
     *
     * @throws IllegalArgumentException if it does not hold what it should
     */
    static RemoteArena open(UrmaContext context, SharedSegment shared) {
        RemoteSegment segment = context.importSegment(shared.descriptor(), shared.token(), Access.READ_WRITE);
        try {
            return new RemoteArena(segment);
        } catch (RuntimeException | Error e) {
            segment.close();
            throw e;
        }
    }

    /** The process that has the segment. */
    static PeerId homeOf(SegmentDescriptor descriptor) {
        return new PeerId(descriptor.eid(), descriptor.uasid(), descriptor.incarnation());
    }

    /** Whether the queue is one of that process. */
    static boolean isOf(JettyId queue, PeerId home) {
        return queue.uasid() == home.uasid() && queue.eid().equals(home.eid());
    }

    private RemoteArena(RemoteSegment segment) {
        this.segment = segment;
        this.bytes = segment.map();
        this.layout = ArenaLayout.of(bytes, bytes.byteSize(), ArenaLayout.ALONE);
        this.offers = ArenaLayout.offers(bytes);
        this.readyWords = ArenaLayout.readyWords(bytes);
    }

    Offers offers() {
        return offers;
    }

    /** Where the end that reads this ring is marked as ready. */
    ReadyPlace readyPlace(int slot) {
        return new ReadyPlace(readyWords, slot);
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
