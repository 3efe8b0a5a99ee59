package io.urma4j.peer;

import io.urma4j.internal.Checks;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Copies of one region that start together: to host memory, from it, or to a second region that the device reaches. An engine that
 * takes lists ({@link DmaEngine#maxRanges}) gets them as one copy. Reusable, and of one thread.
 *
 * <p>Use: {@link #begin}, {@link #add} while it {@link #takes} more, {@link #start}; then the copy reports the end of all.
 */
public final class CopyBatch {
    private final CopyList list;
    private final Copy copy = new Copy();
    private @Nullable PeerRegion region;
    private @Nullable PeerRegion target;
    private @Nullable MemorySegment host;
    private boolean isIn;
    private boolean filling; // begun, and not started

    /** A batch for that engine. */
    public CopyBatch(DmaEngine engine, int maxRanges) {
        this.list = new CopyList(Math.min(maxRanges, engine.maxRanges()));
    }

    /** Begins copies from a region to another one. ISE while earlier copies are in progress. */
    public void begin(PeerRegion from, PeerRegion to) {
        begin(from, to, null, false);
    }

    /** Begins copies between a region and host memory, which must be valid until they end. ISE as {@link #begin(PeerRegion, PeerRegion)}. */
    public void begin(PeerRegion one, MemorySegment memory, boolean isToRegion) {
        begin(one, null, memory, isToRegion);
    }

    private void begin(PeerRegion one, @Nullable PeerRegion other, @Nullable MemorySegment memory, boolean isToRegion) {
        if (!copy.isDone()) {
            throw new IllegalStateException("the copies of this batch are in progress");
        }
        list.clear();
        region = one;
        target = other;
        host = memory;
        isIn = isToRegion;
        filling = true;
    }

    /** Whether it was begun, is not started, and has room. */
    public boolean takes() {
        return filling && !list.isFull();
    }

    /** Whether it was begun for copies from a region to another one. */
    public boolean isBetween(PeerRegion from, PeerRegion to) {
        return from.equals(region) && to.equals(target);
    }

    /** Whether it was begun for copies between a region and that memory, in that direction. */
    public boolean isBetween(PeerRegion one, MemorySegment memory, boolean isToRegion) {
        return one.equals(region) && memory.equals(host) && isToRegion == isIn;
    }

    /** Whether it has copies that are not started. */
    public boolean isReady() {
        return filling && list.count() > 0;
    }

    /** Whether its copies were started, and it was not cleared since. */
    public boolean isStarted() {
        return region != null && !filling;
    }

    /** Forgets copies that are not started, and the result of others. */
    public void clear() {
        filling = false;
        region = null;
        target = null;
        host = null;
    }

    /** Of all its copies. */
    public long totalBytes() {
        return list.totalBytes();
    }

    /**
     * Adds a copy.
     *
     * @param offset in the region
     * @param otherOffset in the host memory, or the other region
     * @throws io.urma4j.UrmaException EINVAL if a range does not lie in its memory
     */
    public void add(long offset, long otherOffset, long lengthBytes) {
        PeerRegion one = begun();
        PeerRegion other = target;
        long address = one.address(offset, lengthBytes);
        if (other != null) {
            list.add(address, other.address(otherOffset, lengthBytes), lengthBytes);
            return;
        }
        Checks.range(this, otherOffset, lengthBytes, memory().byteSize());
        if (isIn) {
            list.add(otherOffset, address, lengthBytes);
        } else {
            list.add(address, otherOffset, lengthBytes);
        }
    }

    /**
     * Starts the copies.
     *
     * @throws io.urma4j.UrmaException EINVAL if a region was invalidated: then nothing was started
     */
    public void start(CopyStream stream) {
        PeerRegion other = target;
        begun().admit(copy.near, stream);
        try {
            if (other != null) {
                other.admit(copy.far, stream);
            }
            startAdmitted(stream);
            filling = false;
        } catch (RuntimeException e) {
            copy.far.release();
            copy.near.release();
            throw e;
        }
    }

    private void startAdmitted(CopyStream stream) {
        boolean isList = list.count() > 1;
        if (target != null) {
            if (isList) {
                stream.copyWithin(list, copy);
            } else {
                stream.copyWithin(list.from(0), list.to(0), list.lengthBytes(0), copy);
            }
        } else if (isIn) {
            if (isList) {
                stream.copyIn(list, memory(), copy);
            } else {
                stream.copyIn(list.to(0), memory().asSlice(list.from(0), list.lengthBytes(0)), copy);
            }
        } else if (isList) {
            stream.copyOut(list, memory(), copy);
        } else {
            stream.copyOut(list.from(0), memory().asSlice(list.to(0), list.lengthBytes(0)), copy);
        }
    }

    private PeerRegion begun() {
        PeerRegion one = region;
        if (one == null) {
            throw new IllegalStateException("this batch was not begun");
        }
        return one;
    }

    private MemorySegment memory() {
        MemorySegment memory = host;
        assert memory != null : "the copies are between regions";
        return memory;
    }

    /** Reports the end of all copies. */
    public Copy copy() {
        return copy;
    }

    @Override
    public String toString() {
        return "batch of copies: " + list;
    }
}
