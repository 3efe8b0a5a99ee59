package io.urma4j.spi.support;

import io.urma4j.peer.DmaEngine;

/**
 * Copies of one work request that need no fragment, all of one engine: between regions, or between a region and memory that its
 * driver has pinned. Each starts while earlier ones are in progress; the last call waits for all. For one thread.
 */
public final class DirectCopies implements AutoCloseable {
    private final StagedCopies copies;
    private final DmaEngine engine;
    private final StagedLane lane;

    DirectCopies(StagedCopies copies, DmaEngine engine) {
        this.copies = copies;
        this.engine = engine;
        this.lane = copies.take(engine);
    }

    /** Whether this engine copies bytes of that region. */
    public boolean reaches(StagedRegion region) {
        return engine.equals(region.engine());
    }

    /**
     * Copies within the device.
     *
     * @throws io.urma4j.UrmaException if the device cannot, or a region was invalidated; some bytes may have been copied
     */
    public void copy(StagedRegion from, long offset, StagedRegion to, long toOffset, long lengthBytes) {
        lane.start(from.region(), offset, to.region(), toOffset, lengthBytes);
    }

    /**
     * Copies to host memory, or from it; fails as {@link #copy}.
     *
     * @return false if the driver has not pinned it: nothing was started
     */
    public boolean copy(
            StagedRegion region, long offset, HostPinning host, long hostOffset, long lengthBytes, boolean isToRegion) {
        if (!host.isDirect(engine, hostOffset, lengthBytes)) {
            return false;
        }
        for (long done = 0; done < lengthBytes; ) {
            long at = hostOffset + done;
            long piece = Math.min(lengthBytes - done, HostPinning.GRANULE_BYTES - at % HostPinning.GRANULE_BYTES);
            lane.start(region.region(), offset + done, host.memory(), at, piece, isToRegion);
            done += piece;
        }
        return true;
    }

    /** Waits for the end of all; fails as {@link #copy}. */
    public void await() {
        lane.finishStarted();
    }

    /** Ends what a failure has left in progress, and gives the engine's stream back. */
    @Override
    public void close() {
        try {
            lane.quiet();
        } finally {
            copies.give(engine, lane);
        }
    }

    @Override
    public String toString() {
        return "direct copies of " + engine;
    }
}
