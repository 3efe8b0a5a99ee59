package io.urma4j.shm;

import io.urma4j.shm.control.SegmentUser;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.spi.WorkRequest;
import java.lang.foreign.MemorySegment;

/** A receive work request: buffers for one message. The object is reused. Guarded by the lock of its queue's JFC. */
final class ReceiveWr {
    private final SgeList buffers;
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

    /** Whether a buffer lies in device memory, so that {@link #scatter} blocks. */
    boolean isOnDevice() {
        return buffers.isOnDevice();
    }

    /** Copies bytes of a message to its byte {@code at}; they fit. */
    void scatter(MemorySegment from, long fromOffset, long at, long lengthBytes) {
        buffers.scatter(from, fromOffset, at, lengthBytes);
    }

    /** The same for a whole message of a few bytes. */
    void scatterShort(MemorySegment from, long fromOffset, int lengthBytes) {
        if (buffers.count() == 1) {
            MemorySegment.copy(from, fromOffset, buffers.memory(0), buffers.offset(0), lengthBytes);
        } else {
            scatter(from, fromOffset, 0, lengthBytes);
        }
    }

    /** Its buffers can be closed. Under the lock. */
    void unpin() {
        buffers.unpin();
    }

    /** It waits again. Under the lock. */
    void pin() {
        buffers.pin();
    }

    /** It is unpinned, and names no buffers any more. Under the lock. */
    void forget() {
        buffers.forget();
    }

    /** Releases its buffers. Under the lock. */
    void release() {
        buffers.release();
    }
}
