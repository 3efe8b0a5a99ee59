package io.urma4j.shm.control;

import io.urma4j.libc.EventFd;
import java.lang.foreign.MemorySegment;

/**
 * The memory of a transport path to a peer: a ring per direction, each in a sealed memfd of its own, zero at birth.
 *
 * <p>Each side makes the ring that it receives from. The path of a context to itself has one ring: then
 * {@code inbound} and {@code outbound} are the same memory, and {@code wakeMe} and {@code wakePeer} the same eventfd.
 *
 * @param number of the path in this context, 1…65535
 * @param inbound what the peer fills
 * @param outbound what the peer empties
 * @param wakeMe the engine waits for it, and never reads it
 * @param wakePeer to be signalled when the peer's engine sleeps
 * @param closer gives everything back; called once
 */
public record PathMemory(
        int number, MemorySegment inbound, MemorySegment outbound, EventFd wakeMe, EventFd wakePeer, Runnable closer)
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
