package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.OperationFailedException;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Nanos;
import io.urma4j.spi.support.FieldHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * READs or WRITEs that are posted together and have one result: created by {@link Transfers}, filled, posted, and used again.
 *
 * <p>Each range of a view goes to the bytes of its remote buffer behind those of the view before. The requests of a batch are in no
 * order: overlapping ones leave the bytes of any. Once a request has failed, no further one is posted; the first failure is the result,
 * when all posted ones have ended (S14.26).
 *
 * <p>A posted batch cannot be changed or posted until it {@linkplain #isIdle is idle}. That is when it has a result, except after a
 * timeout: then its buffers stay held, and the batch not idle, until its last request has ended (S14.27).
 *
 * <p>For one thread at a time. It may be completed on any thread.
 *
 * <pre>{@code
 * BatchOp batch = transfers.readBatch();
 * batch.add(header, buf.view().first(16)).add(block, first, second);
 * batch.post(Duration.ofSeconds(1)).thenAccept(result -> reply(result.isSuccess()));
 * }</pre>
 */
public final class BatchOp {
    private static final int IDLE = 0;
    private static final int RUNNING = 1; // no result yet
    private static final int DRAINING = 2; // has a result, and unfinished requests
    private static final int ENDING = 3; // no thread but the one that ends it uses it

    private static final VarHandle STATE = FieldHandle.of(MethodHandles.lookup(), "state", int.class);
    private static final VarHandle PENDING = FieldHandle.of(MethodHandles.lookup(), "pending", int.class);
    private static final VarHandle FAILURE = FieldHandle.of(MethodHandles.lookup(), "failure", TransferResult.class);

    private final Transfers transfers;
    private final boolean isRead;
    private BatchPart[] parts = new BatchPart[0]; // those behind partCount are for later use
    private int partCount;
    private long bytes;

    // of the transfer
    private volatile int state;
    private volatile int pending; // parts that are not over, and threads that keep it from ending
    private volatile @Nullable TransferResult failure; // the first one
    private boolean wasPosted;
    private @Nullable CompletableFuture<TransferResult> future;

    // by TransferDeadlines, under its lock
    long deadline;

    @Nullable
    BatchOp earlier;

    @Nullable
    BatchOp later;

    BatchOp(Transfers transfers, boolean isRead) {
        this.transfers = transfers;
        this.isRead = isRead;
    }

    // ---- before the post

    /**
     * Adds a transfer between remote memory and local ranges, as they are now: later moves of a view do not change it. Several
     * ranges follow each other in the remote memory. They may be shorter than that together. If this refuses, the batch is as it
     * was before (S14.24).
     *
     * @return this
     * @throws UrmaException EINVAL for an invalid or stale view, an invalid remote buffer or one that is shorter than the views
     *     together, a view longer than the device can move at once, or without a device that both sides have; ENOPERM without the
     *     access; EAGAIN if the batch is not idle
     */
    public BatchOp add(RemoteBuf remote, BufView... locals) {
        checkIdle();
        checkAccess(remote.orThrow());
        long total = total(remote, locals);
        RemoteBuf.Window window = transfers.choose(this, remote, locals);
        long longest = transfers.longestBytes(window.user());
        for (BufView local : locals) {
            Checks.inRange(this, "length of a view", local.size(), 0, longest);
        }
        if (total > 0) {
            int partsBefore = partCount;
            BatchPart part = partFor(window);
            int ofPart = part.requests();
            int rangesOfPart = part.locals().count();
            try {
                int user = window.user();
                part.add(window, remote.offset(), locals, transfers.context(user), transfers.sges(user), longest);
            } catch (UrmaException e) { // of a view that is not registered there, or whose lease has ended just now
                part.truncate(ofPart, rangesOfPart);
                partCount = partsBefore;
                throw e;
            }
        }
        bytes += total;
        return this;
    }

    private void checkAccess(RemoteBuf remote) {
        Access wanted = isRead ? Access.READ : Access.READ_WRITE;
        if (!remote.access().covers(wanted)) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM, this, remote + " was granted with access that does not cover " + wanted);
        }
    }

    private long total(RemoteBuf remote, BufView[] locals) {
        long total = 0;
        for (BufView local : locals) {
            total += local.orThrow().size();
            if (total < 0 || total > remote.size()) {
                throw Checks.invalid(
                        this, "the local ranges are longer than the " + remote.size() + " bytes of " + remote);
            }
        }
        if (bytes + total < 0) {
            throw Checks.invalid(this, "has " + bytes + " bytes, and cannot have " + total + " more");
        }
        return total;
    }

    private BatchPart partFor(RemoteBuf.Window window) {
        for (int i = 0; i < partCount; i++) {
            if (parts[i].isTo(window.user(), window.segment())) {
                return parts[i];
            }
        }
        if (partCount == parts.length) {
            parts = Arrays.copyOf(parts, Math.max(2, 2 * partCount));
            for (int i = partCount; i < parts.length; i++) {
                parts[i] = new BatchPart(this);
            }
        }
        BatchPart part = parts[partCount++];
        part.begin(window.user(), window.segment());
        return part;
    }

    /** Removes all transfers from it, so that it can be filled again; EAGAIN if it is not idle. */
    public void clear() {
        checkIdle();
        for (int i = 0; i < partCount; i++) {
            parts[i].truncate(0, 0);
        }
        partCount = 0;
        bytes = 0;
        wasPosted = false;
    }

    /** Requests to devices: the ranges of a call of {@link #add} are one, or several if they are many or long. */
    public int size() {
        int requests = 0;
        for (int i = 0; i < partCount; i++) {
            requests += parts[i].requests();
        }
        return requests;
    }

    /** Bytes of all local ranges. */
    public long bytes() {
        return bytes;
    }

    // ---- posts

    /**
     * Posts it: the buffers are held, and the transfer begins. Where a window is used for the first time, its home is asked on
     * a virtual thread, and no caller waits. A batch without requests succeeds at once. It keeps its transfers: another post does
     * the same again.
     *
     * @param timeout after which the result is TIMED_OUT, longer than 0
     * @return the result, whatever it is: the future never fails. It is completed by the thread that sees the end, which
     *     must not be blocked. Cancelling it does not cancel the transfer.
     * @throws UrmaException EINVAL for the timeout, if a lease has ended since {@link #add}, or if the {@link Transfers} are closed;
     *     ENOMEM if a buffer is held too often; EAGAIN if the batch is not idle. Then nothing was posted.
     */
    public CompletableFuture<TransferResult> post(Duration timeout) {
        CompletableFuture<TransferResult> completed = new CompletableFuture<>();
        begin(timeout, completed);
        return completed;
    }

    /**
     * {@link #post} without a future and without garbage, for callers that poll: {@code while (!batch.isDone()) transfers.poll();}.
     */
    public void submit(Duration timeout) {
        begin(timeout, null);
    }

    private void begin(Duration timeout, @Nullable CompletableFuture<TransferResult> completed) {
        Checks.positive(this, "timeout", timeout);
        transfers.checkOpen();
        if (!STATE.compareAndSet(this, IDLE, ENDING)) {
            throw notIdle();
        }
        try {
            hold();
        } catch (UrmaException e) {
            state = IDLE;
            throw e;
        }
        failure = null;
        future = completed;
        wasPosted = true;
        pending = partCount + 1;
        state = RUNNING;
        transfers.start(this, Nanos.of(timeout));
    }

    /** Holds all buffers, or none. */
    private void hold() {
        int held = 0;
        try {
            for (; held < partCount; held++) {
                parts[held].rewind();
                parts[held].locals().hold();
            }
        } finally {
            if (held < partCount) {
                for (int i = 0; i < held; i++) {
                    parts[i].locals().unhold();
                }
            }
        }
    }

    private void checkIdle() {
        if (state != IDLE) {
            throw notIdle();
        }
    }

    private UrmaException notIdle() {
        return new UrmaException(
                UrmaStatus.EAGAIN,
                this,
                state == DRAINING
                        ? "has a result, but cannot be changed or posted before its last request has ended"
                        : "is posted, and cannot be changed or posted before it has ended");
    }

    // ---- results

    /** Whether the last post has a result; false before the first one. */
    public boolean isDone() {
        return hasResult() && wasPosted;
    }

    /** Whether it can be changed and posted: no request of it is unfinished. */
    public boolean isIdle() {
        return state == IDLE;
    }

    /** Whether the last post has succeeded. */
    public boolean isSuccess() {
        return isDone() && failure == null;
    }

    /**
     * The result of the last post.
     *
     * @throws UrmaException EAGAIN if there is none yet
     */
    public TransferResult result() {
        if (!isDone()) {
            throw new UrmaException(UrmaStatus.EAGAIN, this, "has no result yet");
        }
        return resultNow();
    }

    private TransferResult resultNow() {
        TransferResult first = failure;
        return first == null ? TransferResult.success(bytes) : first;
    }

    boolean hasResult() {
        return state == IDLE || state == DRAINING;
    }

    // ---- by those who move it

    boolean isRead() {
        return isRead;
    }

    int partCount() {
        return partCount;
    }

    BatchPart part(int index) {
        return parts[index];
    }

    /** Whether no further request of it is to be posted. */
    boolean isStopped() {
        return failure != null;
    }

    /** A failure, which is the result if it is the first. */
    void fail(UrmaException cause) {
        if (nanosLeft() <= 0) {
            failLate(); // whatever it was that took so long
        }
        TransferStatus status = cause instanceof OperationFailedException
                ? TransferStatus.FAILED
                : transfers.isClosed() ? TransferStatus.CLOSED : TransferStatus.REFUSED;
        fail(status, cause);
    }

    private void fail(TransferStatus status, UrmaException cause) {
        FAILURE.compareAndSet(this, null, TransferResult.failed(status, cause));
    }

    /** Keeps it from ending until {@link #release}; false if it has ended. */
    boolean retain() {
        while (true) {
            int now = pending;
            if (now == 0) {
                return false;
            }
            if (PENDING.compareAndSet(this, now, now + 1)) {
                return true;
            }
        }
    }

    /** Ends what {@link #retain} or the post began; returns whether the batch has ended. */
    boolean release() {
        if ((int) PENDING.getAndAdd(this, -1) > 1) {
            return false;
        }
        end();
        return true;
    }

    /** A part is over: its buffers and windows are free. Without locks; returns whether the batch has ended. */
    boolean endPart(BatchPart part) {
        part.locals().unhold();
        transfers.homes(part.user()).release(part);
        return release();
    }

    private void end() {
        transfers.deadlines().remove(this);
        boolean isFirst = STATE.compareAndSet(this, RUNNING, ENDING);
        CompletableFuture<TransferResult> completed = future;
        future = null;
        TransferResult result = isFirst && completed != null ? resultNow() : null;
        if (isFirst) {
            count();
        }
        state = IDLE; // from now on, another thread may change it
        if (completed != null && result != null) {
            completed.complete(result);
        }
    }

    /** How long it may take from now on. */
    long nanosLeft() {
        return transfers.deadlines().nanosLeft(this);
    }

    private void failLate() {
        fail(
                TransferStatus.TIMED_OUT,
                new UrmaException(
                        UrmaStatus.ETIMEOUT,
                        this,
                        "has not ended in time; its buffers are held until its requests have"));
    }

    /** Its deadline is over; by each thread that has retained it. The first times it out. */
    void timeOut() {
        failLate();
        CompletableFuture<TransferResult> completed = future;
        if (STATE.compareAndSet(this, RUNNING, DRAINING)) {
            count();
            TransferResult result = resultNow();
            for (int i = 0; i < partCount; i++) {
                TransferQueue queue = parts[i].queue();
                if (queue != null) {
                    queue.drop(parts[i]);
                }
            }
            if (completed != null) {
                completed.complete(result);
            }
        }
        release();
    }

    private void count() {
        TransferResult first = failure;
        if (first == null) {
            transfers.counters().succeeded(isRead, bytes);
        } else {
            transfers.counters().failed(first.status());
        }
    }

    @Override
    public String toString() {
        return (isRead ? "read" : "write") + " batch of " + size() + " requests and " + bytes + " bytes";
    }
}
