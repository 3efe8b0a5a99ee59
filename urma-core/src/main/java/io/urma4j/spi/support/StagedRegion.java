package io.urma4j.spi.support;

import io.urma4j.peer.DmaEngine;
import io.urma4j.peer.PeerRegion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Registered device memory, as a provider reads and writes it: a call returns once the bytes are there. The calls block as long as
 * the device takes, so no lock may be held. Safe for any thread.
 *
 * <p>An atomic of a peer takes several copies. It owns the region meanwhile, and so does a WRITE of a peer that could come between
 * them ({@link #tryOwn}).
 */
public final class StagedRegion {
    private final PeerRegion region;
    private final DmaEngine engine;
    private final StagedCopies copies;
    private final AtomicReference<@Nullable Object> owner = new AtomicReference<>();

    StagedRegion(PeerRegion region, StagedCopies copies) {
        this.region = region;
        this.engine = region.engine();
        this.copies = copies;
    }

    /** The memory, for copies of another kind. */
    public PeerRegion region() {
        return region;
    }

    /** The copy engine of its device. */
    public DmaEngine engine() {
        return engine;
    }

    public long lengthBytes() {
        return region.range().lengthBytes();
    }

    /** Makes {@code by} the owner, unless there is one. Never blocks; the owner may be another one's thread. */
    public boolean tryOwn(Object by) {
        return owner.compareAndSet(null, by);
    }

    /** Ends what {@link #tryOwn} began. */
    public void disown(Object by) {
        boolean wasOwner = owner.compareAndSet(by, null);
        assert wasOwner : by + " is not the owner of " + this;
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

    /** Begins copies of this region's engine that need no fragment; the caller closes them. */
    public DirectCopies direct() {
        return new DirectCopies(copies, engine);
    }

    @Override
    public String toString() {
        return region.toString();
    }
}
