package io.urma4j.spi.support;

import io.urma4j.peer.DmaEngine;
import io.urma4j.peer.PeerRegion;
import java.lang.foreign.MemorySegment;

/**
 * Registered device memory, as a provider reads and writes it: a call returns once the bytes are there. The calls block as long as
 * the device takes, so no lock may be held. Safe for any thread.
 */
public final class StagedRegion {
    private final PeerRegion region;
    private final DmaEngine engine;
    private final StagedCopies copies;

    StagedRegion(PeerRegion region, StagedCopies copies) {
        this.region = region;
        this.engine = region.engine();
        this.copies = copies;
    }

    /**
     * Copies bytes of the device to memory that other threads read, as {@link Placement#write} does.
     *
     * @throws io.urma4j.UrmaException if the device cannot, or the region was invalidated; some bytes may have been copied
     * @throws IllegalStateException if {@code to} was closed meanwhile
     */
    public void read(long offset, MemorySegment to, long toOffset, long lengthBytes) {
        if (lengthBytes == 0) {
            return;
        }
        StagedLane lane = copies.take(engine);
        try {
            lane.read(region, offset, to, toOffset, lengthBytes);
        } finally {
            copies.give(engine, lane);
        }
    }

    /** Copies memory that other threads write, as {@link Placement#read} does, to the device; fails as {@link #read}. */
    public void write(long offset, MemorySegment from, long fromOffset, long lengthBytes) {
        if (lengthBytes == 0) {
            return;
        }
        StagedLane lane = copies.take(engine);
        try {
            lane.write(region, offset, from, fromOffset, lengthBytes);
        } finally {
            copies.give(engine, lane);
        }
    }

    @Override
    public String toString() {
        return region.toString();
    }
}
