package io.urma4j.shm.control;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A peer to which a window is granted by its identity (S14.32), connected or not. */
record NamedUser(KnownPeers known, io.urma4j.PeerId identity, long importNumber) implements WindowUser {
    @Override
    public int slots() {
        return WindowTable.MAX_SLOTS; // a version that knows such keys knows all slots
    }

    @Override
    public boolean hasEnded() {
        return known.find(identity) == null;
    }

    @Override
    public @Nullable MemorySegment operations(int table) {
        Peer peer = known.find(identity);
        return peer == null ? null : peer.operations.get(table);
    }
}
