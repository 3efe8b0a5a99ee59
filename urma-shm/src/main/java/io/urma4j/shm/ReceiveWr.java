package io.urma4j.shm;

import io.urma4j.shm.control.ShmSegment;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A receive work request: buffers for one message. The object is reused. Guarded by the lock of its queue's JFC. */
final class ReceiveWr {
    private final ShmReceiveQueue queue;
    long userContext;
    long capacityBytes;
    private int sgeCount;
    private @Nullable ShmSegment[] sgeSegment = new ShmSegment[1];
    private long[] sgeOffset = new long[1];
    private long[] sgeLength = new long[1];

    ReceiveWr(ShmReceiveQueue queue) {
        this.queue = queue;
    }

    void fill(ProviderSegment buffer, long offset, long lengthBytes, long userContext) {
        this.userContext = userContext;
        capacityBytes = lengthBytes;
        sgeCount = 1;
        put(0, (ShmSegment) buffer, offset, lengthBytes);
    }

    void fill(WorkRequest request) {
        userContext = request.userContext;
        capacityBytes = request.lengthBytes;
        sgeCount = request.sgeCount;
        if (sgeOffset.length < sgeCount) {
            sgeSegment = new ShmSegment[sgeCount];
            sgeOffset = new long[sgeCount];
            sgeLength = new long[sgeCount];
        }
        for (int i = 0; i < sgeCount; i++) {
            ShmSegment segment = (ShmSegment) request.sgeSegment[i];
            assert segment != null : "checked by the API";
            put(i, segment, request.sgeOffset[i], request.sgeLength[i]);
        }
    }

    private void put(int index, ShmSegment segment, long offset, long lengthBytes) {
        sgeSegment[index] = segment;
        sgeOffset[index] = offset;
        sgeLength[index] = lengthBytes;
        segment.pin(queue.jfc());
    }

    /** Copies bytes of a message to its byte {@code at}; they fit. */
    void scatter(MemorySegment from, long fromOffset, long at, long lengthBytes) {
        long skip = at;
        long done = 0;
        for (int i = 0; i < sgeCount && done < lengthBytes; i++) {
            long room = sgeLength[i] - skip;
            if (room <= 0) {
                skip -= sgeLength[i];
                continue;
            }
            long step = Math.min(room, lengthBytes - done);
            Placement.copy(from, fromOffset + done, memory(i), sgeOffset[i] + skip, step);
            done += step;
            skip = 0;
        }
    }

    /** The same for a whole message of a few bytes. */
    void scatterShort(MemorySegment from, long fromOffset, int lengthBytes) {
        if (sgeCount == 1) {
            MemorySegment.copy(from, fromOffset, memory(0), sgeOffset[0], lengthBytes);
        } else {
            scatter(from, fromOffset, 0, lengthBytes);
        }
    }

    private MemorySegment memory(int index) {
        ShmSegment segment = sgeSegment[index];
        assert segment != null : "buffer " + index + " of " + sgeCount;
        return segment.memory;
    }

    /** Releases its buffers. Under the lock. */
    void release() {
        for (int i = 0; i < sgeCount; i++) {
            ShmSegment segment = sgeSegment[i];
            if (segment != null) {
                segment.unpin(queue.jfc());
                sgeSegment[i] = null;
            }
        }
        sgeCount = 0;
    }
}
