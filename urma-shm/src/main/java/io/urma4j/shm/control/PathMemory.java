package io.urma4j.shm.control;

import java.lang.foreign.MemorySegment;

/**
 * The memory of a transport path to a peer: a ring per direction, each in a sealed memfd of its own, zero at birth.
 *
 * <p>Each side makes the ring that it receives from. The path of a context to itself has one ring: then
 * {@code inbound} and {@code outbound} are the same memory.
 *
 * @param number of the path in this context, 1…65535
 * @param inbound what the peer fills
 * @param outbound what the peer empties
 * @param wakePeer wakes the peer's engine when it sleeps; for any thread, and never waits
 * @param closer gives everything back; called once
 */
public record PathMemory(int number, MemorySegment inbound, MemorySegment outbound, Runnable wakePeer, Runnable closer)
        implements AutoCloseable {

    /**
     * Unmaps both rings. For the data plane, after {@link DataPlane#peerLost}; whoever still touches them gets
     * {@code IllegalStateException}. Idempotent.
     */
    @Override
    public void close() {
        closer.run();
    }
}
