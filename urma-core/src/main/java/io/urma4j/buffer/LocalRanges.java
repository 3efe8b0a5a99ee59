package io.urma4j.buffer;

import io.urma4j.LocalSegment;
import io.urma4j.WorkRequestList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of views as they were when they were added. They keep the handles of their views reachable, but not open. In
 * arrays that grow and stay, so that a batch that is used again makes no garbage. For one thread at a time.
 */
final class LocalRanges {
    private static final int FIRST = 8;

    private @Nullable RdmaBuf[] bufs = new RdmaBuf[FIRST];
    private @Nullable LocalSegment[] segments = new LocalSegment[FIRST];
    private long[] offsets = new long[FIRST];
    private long[] lengths = new long[FIRST];
    private int count;

    int count() {
        return count;
    }

    void add(BufView view, LocalSegment segment) {
        if (count == offsets.length) {
            grow();
        }
        bufs[count] = view.buf();
        segments[count] = segment;
        offsets[count] = view.localOffset();
        lengths[count] = view.size();
        count++;
    }

    private void grow() {
        int more = 2 * count;
        bufs = Arrays.copyOf(bufs, more);
        segments = Arrays.copyOf(segments, more);
        offsets = Arrays.copyOf(offsets, more);
        lengths = Arrays.copyOf(lengths, more);
    }

    /** Removes all but the first. */
    void truncate(int left) {
        Arrays.fill(bufs, left, count, null);
        Arrays.fill(segments, left, count, null);
        count = left;
    }

    /** Adds the ranges of a request to the list. */
    void addTo(WorkRequestList list, int from, int end) {
        for (int i = from; i < end; i++) {
            LocalSegment segment = segments[i];
            if (segment != null) {
                list.from(segment, offsets[i], lengths[i]);
            }
        }
    }

    /**
     * Holds the buffers, or none.
     *
     * @throws io.urma4j.UrmaException EINVAL if the lease of one has ended; ENOMEM if one is held too often
     */
    void hold() {
        int held = 0;
        try {
            for (; held < count; held++) {
                if (isNext(held)) {
                    RdmaBuf buf = buf(held);
                    buf.block().hold(buf.generation(), buf);
                }
            }
        } finally {
            if (held < count) {
                unhold(held);
            }
        }
    }

    /** Ends the holds. */
    void unhold() {
        unhold(count);
    }

    private void unhold(int end) {
        for (int i = 0; i < end; i++) {
            if (isNext(i)) {
                buf(i).block().unholdQuietly();
            }
        }
    }

    /** Whether it is another lease than the one before: one hold is enough for both. */
    private boolean isNext(int i) {
        if (i == 0) {
            return true;
        }
        RdmaBuf buf = buf(i);
        RdmaBuf before = buf(i - 1);
        return buf.block() != before.block() || buf.generation() != before.generation();
    }

    private RdmaBuf buf(int i) {
        RdmaBuf buf = bufs[i];
        if (buf == null) {
            throw new IndexOutOfBoundsException("range " + i + " of " + count);
        }
        return buf;
    }
}
