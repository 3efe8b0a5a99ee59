package io.urma4j.shm.control;

import java.lang.foreign.MemorySegment;

/**
 * The memory of a transport path to a peer: a ring per direction, each in its own sealed memfd, initially zero.
 *
 * <p>Each side creates the ring that it receives from. The path of a context to itself has one ring: then {@code inbound}
 * and {@code outbound} are the same memory.
 *
 * @param number of the path in this context, 1…65535
 * @param inbound filled by the peer
 * @param outbound emptied by the peer
 * @param wakePeer wakes the peer's engine when it sleeps; for any thread, and never waits
 * @param closer releases everything; called once
 */
public record PathMemory(int number, MemorySegment inbound, MemorySegment outbound, Runnable wakePeer, Runnable closer)
        implements AutoCloseable {

    /**
     * Unmaps both rings. Called by the data plane after {@link DataPlane#peerLost}; a thread that still accesses them gets
     * {@code IllegalStateException}. Idempotent.
     */
    @Override
    public void close() {
        closer.run();
    }
}
