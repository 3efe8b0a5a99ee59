package io.urma4j.buffer;

import io.urma4j.CompletionStatus;
import io.urma4j.PostFlags;
import io.urma4j.SegmentDescriptor;
import io.urma4j.UrmaContext;
import io.urma4j.WorkRequestList;
import io.urma4j.internal.ApiAccess;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a {@link BatchOp} to one home. Each has one remote range and several local ones. Arrays grow and stay, so
 * that a batch that is used again makes no garbage.
 *
 * <p>The user of the batch fills it. From the post on, requests are posted and end in their order, under the lock of the {@link
 * TransferQueue} to the home. When all have ended, one thread releases it, without that lock.
 */
final class BatchPart {
    private static final int FIRST = 8;

    private final BatchOp batch;
    private final LocalRanges locals = new LocalRanges();
    private int user; // place of the context
    private @Nullable SegmentDescriptor home; // of the first request
    private RemoteBuf.@Nullable Window[] remotes = new RemoteBuf.Window[FIRST];
    private @Nullable OpenWindow[] windows = new OpenWindow[FIRST]; // from the post to the end
    private long[] offsets = new long[FIRST]; // in the windows
    private int[] ends = new int[FIRST]; // of their local ranges, which start where those of the request before end
    private int requests;
    private volatile @Nullable TransferQueue queue; // from the post to the end

    // under the queue's lock
    private int posted;
    private int ended;

    @Nullable
    BatchPart nextOver; // in the queue's list of those that are over

    BatchPart(BatchOp batch) {
        this.batch = batch;
    }

    BatchOp batch() {
        return batch;
    }

    int user() {
        return user;
    }

    int requests() {
        return requests;
    }

    // ---- filled by the user

    /** Without requests, for a home. */
    void begin(int ofUser, SegmentDescriptor ofHome) {
        user = ofUser;
        home = ofHome;
    }

    /** Whether it is to the home of that segment, by that context. */
    @SuppressWarnings("ReferenceEquality") // only faster
    boolean isTo(int ofUser, SegmentDescriptor segment) {
        SegmentDescriptor mine = home;
        return user == ofUser
                && mine != null
                && (mine == segment
                        || mine.incarnation() == segment.incarnation()
                                && mine.uasid() == segment.uasid()
                                && mine.eid().equals(segment.eid()));
    }

    LocalRanges locals() {
        return locals;
    }

    /**
     * Adds the ranges of views, one after the other from an offset of the window on, cut into requests.
     *
     * @param sges most ranges of a request
     * @param longestBytes most bytes of a request, and not less than any view has
     */
    void add(RemoteBuf.Window remote, long offset, BufView[] views, UrmaContext context, int sges, long longestBytes) {
        long begin = offset;
        long length = 0;
        int ranges = 0;
        for (BufView view : views) {
            long size = view.size();
            if (size == 0) {
                continue;
            }
            if (ranges == sges || length > longestBytes - size) {
                addRequest(remote, begin);
                begin += length;
                length = 0;
                ranges = 0;
            }
            locals.add(view, view.localSegment(context));
            length += size;
            ranges++;
        }
        addRequest(remote, begin);
    }

    /** Adds a request for the local ranges that were added since the last one. */
    private void addRequest(RemoteBuf.Window remote, long offset) {
        if (requests == ends.length) {
            grow();
        }
        remotes[requests] = remote;
        offsets[requests] = offset;
        ends[requests] = locals.count();
        requests++;
    }

    private void grow() {
        int more = 2 * requests;
        remotes = Arrays.copyOf(remotes, more);
        windows = Arrays.copyOf(windows, more);
        offsets = Arrays.copyOf(offsets, more);
        ends = Arrays.copyOf(ends, more);
    }

    /** Removes all but the first requests and their local ranges. */
    void truncate(int requestsLeft, int rangesLeft) {
        Arrays.fill(remotes, requestsLeft, requests, null);
        requests = requestsLeft;
        locals.truncate(rangesLeft);
    }

    // ---- opened for a post

    /** For the next post: nothing is posted. */
    void rewind() {
        posted = 0;
        ended = 0;
        queue = null;
    }

    RemoteBuf.Window remote(int request) {
        RemoteBuf.Window remote = remotes[request];
        if (remote == null) {
            throw noSuchRequest(request);
        }
        return remote;
    }

    @Nullable
    OpenWindow window(int request) {
        return windows[request];
    }

    void opened(int request, OpenWindow window) {
        windows[request] = window;
    }

    /** Drops its window, whose use the caller ends; null if it has none. */
    @Nullable
    OpenWindow forgetWindow(int request) {
        OpenWindow window = windows[request];
        windows[request] = null;
        return window;
    }

    /** The queue of its windows, once all are open. */
    TransferQueue chooseQueue() {
        TransferQueue chosen = opened(0).segment.queue;
        queue = chosen;
        return chosen;
    }

    /** The queue that has it; null if it is not there yet. */
    @Nullable
    TransferQueue queue() {
        return queue;
    }

    private OpenWindow opened(int request) {
        OpenWindow window = windows[request];
        if (window == null) {
            throw noSuchRequest(request);
        }
        return window;
    }

    private IndexOutOfBoundsException noSuchRequest(int request) {
        return new IndexOutOfBoundsException("request " + request + " of " + requests);
    }

    // ---- under the queue's lock

    int unposted() {
        return requests - posted;
    }

    /** Adds the next {@code count} requests to the list, numbered from {@code number} on; the last one alone is signalled. */
    void addTo(WorkRequestList list, int count, long number) {
        for (int i = 0; i < count; i++) {
            int request = posted + i;
            OpenWindow window = opened(request);
            if (batch.isRead()) {
                list.read(window.remote, offsets[request], number + i);
            } else {
                list.write(window.remote, offsets[request], number + i);
            }
            list.flags(i == count - 1 ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED);
            locals.addTo(list, request == 0 ? 0 : ends[request - 1], ends[request]);
        }
    }

    void posted(int count) {
        posted += count;
    }

    /** The next one has ended. */
    void ended(CompletionStatus status) {
        int request = ended++;
        if (status != CompletionStatus.SUCCESS) {
            fail(request, status);
        }
    }

    private void fail(int request, CompletionStatus status) {
        if (!batch.isStopped()) {
            OpenWindow window = opened(request);
            String operation = (batch.isRead() ? "read" : "write") + " at offset " + offsets[request] + " (request "
                    + request + ")";
            batch.fail(ApiAccess.api().failed(window.remote, operation, status, window.remote));
        }
    }

    /** Whether no request is unfinished, and none follows. */
    boolean isOver() {
        return ended == posted && (posted == requests || batch.isStopped());
    }

    @Override
    public String toString() {
        return requests + " requests of " + batch;
    }
}
