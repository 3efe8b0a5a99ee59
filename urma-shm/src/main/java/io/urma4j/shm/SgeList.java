package io.urma4j.shm;

import io.urma4j.shm.control.SegmentUser;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.Placement;
import io.urma4j.spi.support.StagedRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The local ranges of a work request, one behind the other. Reused, and guarded as the work request is. */
final class SgeList {
    private final SegmentUser user;
    private int count;
    private boolean isOnDevice; // one of them at least
    private @Nullable ShmSegment[] segments = new ShmSegment[1];
    private long[] offsets = new long[1];
    private long[] lengths = new long[1];

    /** An empty list; {@code user} has the lock under which segments are pinned. */
    SgeList(SegmentUser user) {
        this.user = user;
    }

    void fill(ShmSegment segment, long offset, long lengthBytes) {
        count = 1;
        isOnDevice = false;
        put(0, segment, offset, lengthBytes);
    }

    void fill(WorkRequest request) {
        count = request.sgeCount;
        isOnDevice = false;
        if (offsets.length < count) {
            segments = new ShmSegment[count];
            offsets = new long[count];
            lengths = new long[count];
        }
        for (int i = 0; i < count; i++) {
            ShmSegment segment = (ShmSegment) request.sgeSegment[i];
            assert segment != null : "checked by the API";
            put(i, segment, request.sgeOffset[i], request.sgeLength[i]);
        }
    }

    private void put(int index, ShmSegment segment, long offset, long lengthBytes) {
        segments[index] = segment;
        offsets[index] = offset;
        lengths[index] = lengthBytes;
        isOnDevice |= segment.device() != null;
    }

    void clear() {
        count = 0;
        isOnDevice = false;
    }

    /** Whether a range lies in device memory, so that {@link #gather} and {@link #scatter} block. */
    boolean isOnDevice() {
        return isOnDevice;
    }

    /** The device memory of a range; null if it lies in memory of the host. */
    @Nullable
    StagedRegion device(int index) {
        return segment(index).device();
    }

    int count() {
        return count;
    }

    MemorySegment memory(int index) {
        return segment(index).memory;
    }

    long offset(int index) {
        return offsets[index];
    }

    long lengthBytes(int index) {
        return lengths[index];
    }

    ShmSegment segment(int index) {
        ShmSegment segment = segments[index];
        assert segment != null : "range " + index + " of " + count;
        return segment;
    }

    /** Until it is {@linkplain #release released}, what it names cannot be closed. */
    void pin() {
        for (int i = 0; i < count; i++) {
            segment(i).pin(user);
        }
    }

    void release() {
        unpin();
        forget();
    }

    /** What it names can be closed, and it names it still. */
    void unpin() {
        for (int i = 0; i < count; i++) {
            segment(i).unpin(user);
        }
    }

    /** It is unpinned, and names nothing any more. */
    void forget() {
        for (int i = 0; i < count; i++) {
            segments[i] = null;
        }
        count = 0;
    }

    /** Copies bytes of the ranges, from their byte {@code at} on. */
    void gather(long at, MemorySegment to, long toOffset, long lengthBytes) {
        copy(at, to, toOffset, lengthBytes, true);
    }

    /** Fills the ranges, from their byte {@code at} on. */
    void scatter(MemorySegment from, long fromOffset, long at, long lengthBytes) {
        copy(at, from, fromOffset, lengthBytes, false);
    }

    private void copy(long at, MemorySegment other, long otherOffset, long lengthBytes, boolean isGathering) {
        long skip = at;
        long done = 0;
        for (int i = 0; i < count && done < lengthBytes; i++) {
            long available = lengths[i] - skip;
            if (available <= 0) {
                skip -= lengths[i];
                continue;
            }
            long step = Math.min(available, lengthBytes - done);
            StagedRegion device = device(i);
            if (device != null && isGathering) {
                device.read(offsets[i] + skip, other, otherOffset + done, step);
            } else if (device != null) {
                device.write(offsets[i] + skip, other, otherOffset + done, step);
            } else if (isGathering) {
                Placement.copy(memory(i), offsets[i] + skip, other, otherOffset + done, step);
            } else {
                Placement.copy(other, otherOffset + done, memory(i), offsets[i] + skip, step);
            }
            done += step;
            skip = 0;
        }
    }
}
