package io.urma4j.shm;

import io.urma4j.shm.control.SegmentUser;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.spi.WorkRequest;
import java.lang.foreign.MemorySegment;

/** A receive work request: buffers for one message. The object is reused. Guarded by the lock of its queue's JFC. */
final class ReceiveWr {
    final SgeList buffers;
    long position; // among all that were posted
    long userContext;
    long capacityBytes;

    /** A message has taken it, and has no record yet. */
    boolean isTaken;

    ReceiveWr(SegmentUser jfc) {
        this.buffers = new SgeList(jfc);
    }

    void fill(ShmSegment buffer, long offset, long lengthBytes, long userContext) {
        this.userContext = userContext;
        capacityBytes = lengthBytes;
        buffers.fill(buffer, offset, lengthBytes);
        buffers.pin();
    }

    void fill(WorkRequest request) {
        userContext = request.userContext;
        capacityBytes = request.lengthBytes;
        buffers.fill(request);
        buffers.pin();
    }

    /** Copies a whole message of a few bytes, which fit. */
    void scatterShort(MemorySegment from, long fromOffset, int lengthBytes) {
        if (buffers.count() == 1) {
            MemorySegment.copy(from, fromOffset, buffers.memory(0), buffers.offset(0), lengthBytes);
        } else {
            buffers.scatter(from, fromOffset, 0, lengthBytes);
        }
    }
}
