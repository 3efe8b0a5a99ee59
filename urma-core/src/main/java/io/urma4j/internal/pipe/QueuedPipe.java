package io.urma4j.internal.pipe;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.OperationFailedException;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedMemory;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.CompletionPort;
import io.urma4j.internal.Nanos;
import io.urma4j.internal.remote.RemoteCalls;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A pipe whose bytes are out of reach for loads and stores: each frame is a WRITE_NOTIFY, out of memory that looks like the
 * reader's and holds the frames in flight.
 */
public final class QueuedPipe implements PipeMemory {
    private static final int DEPTH = 64;

    private final Object writer; // in whose name it refuses
    private final RemoteSegment segment;
    private final RemoteMemory words;
    private final long capacity;
    private final ClosingOrder parts = new ClosingOrder(this);
    private final LocalSegment staging;
    private final CompletionPort port;
    private final Jfs jfs;
    private final WorkRequestList list = new WorkRequestList(1, 1);

    private @Nullable OperationFailedException failure; // the first one: nothing arrives behind it
    private int unfinished;
    private long taken; // bytes of frames that the reader was done with when it answered last
    private long begun; // bytes of frames, since the first one
    private long finished;

    public QueuedPipe(Object writer, RemoteSegment segment, RemoteMemory words, int capacityBytes) {
        this.writer = writer;
        this.segment = segment;
        this.words = words;
        this.capacity = capacityBytes;
        UrmaContext context = segment.context();
        try {
            SharedMemory memory = parts.add(context.allocate(PipeLayout.segmentBytes(capacityBytes)), 0);
            staging = parts.add(context.register(memory, Access.LOCAL_ONLY), 0);
            port = parts.add(new CompletionPort(context, DEPTH + 1, DEPTH), 0); // and one for the marker of an error
            JfsConfig config = JfsConfig.builder().depth(DEPTH).maxSges(1).build();
            jfs = parts.add(context.createJfs(port.jfc(), config), 0);
        } catch (UrmaException e) {
            parts.closeAll();
            throw e;
        }
    }

    @Override
    public boolean put(long at, MemorySegment source, long sourceOffset, int lengthBytes) {
        long frameBytes = PipeLayout.frameBytes(lengthBytes);
        if (!hasRoom(frameBytes)) {
            return false;
        }
        long offset = PipeLayout.FRAMES_AT + at + PipeLayout.WORD_BYTES;
        long message = PipeLayout.FRAMES_AT + at + PipeLayout.messageAt(lengthBytes);
        Checks.usableHere(writer, RemoteCalls.SOURCE, source);
        try {
            MemorySegment.copy(source, sourceOffset, staging.memory(), message, lengthBytes);
        } catch (IllegalStateException _) {
            // its context ends all memory when that is closed
            throw staging.memory().scope().isAlive()
                    ? Checks.invalid(writer, RemoteCalls.CLOSED_MEANWHILE)
                    : Checks.closed(writer);
        }
        store(PipeLayout.FRAMES_AT + at + frameBytes, 0); // the last word of what is written is that of the next frame
        return post(offset, frameBytes, at, PipeLayout.message(lengthBytes), frameBytes);
    }

    @Override
    public boolean turn(long at) {
        long rest = capacity - at;
        if (!hasRoom(rest)) {
            return false;
        }
        store(PipeLayout.FRAMES_AT, 0);
        return post(PipeLayout.FRAMES_AT, PipeLayout.WORD_BYTES, at, PipeLayout.TURN, rest);
    }

    private void store(long offset, long word) {
        try {
            staging.memory().set(ValueLayout.JAVA_LONG, offset, word);
        } catch (IllegalStateException _) {
            throw Checks.closed(writer);
        }
    }

    private boolean hasRoom(long bytes) {
        if (failure != null) {
            throw ApiAccess.api().failed(writer, "message after a failed one", failure.completionStatus());
        }
        take(port.jfc().poll(port.batch()));
        return unfinished < DEPTH && begun + bytes + PipeLayout.LINE_BYTES - finished <= capacity;
    }

    /** Whether the queue had room. */
    private boolean post(long offset, long lengthBytes, long at, long word, long frameBytes) {
        list.clear()
                .writeNotify(segment, offset, segment, PipeLayout.FRAMES_AT + at, word, begun + frameBytes)
                .from(staging, offset, lengthBytes);
        if (jfs.post(list) == 0) {
            list.refusal().ifPresent(refusal -> {
                throw refusal;
            });
            return false;
        }
        begun += frameBytes;
        unfinished++;
        return true;
    }

    private void take(int records) {
        CompletionBatch batch = port.batch();
        for (int i = 0; i < records; i++) {
            if (batch.status(i) != CompletionStatus.SUCCESS) {
                failure = ApiAccess.api()
                        .failed(writer, "message that ends with byte " + batch.userContext(i), batch.status(i));
                throw failure;
            }
            unfinished--;
            finished = batch.userContext(i);
        }
    }

    /** Waits until the reader has all, since what it is read from goes away. */
    @Override
    public void end(long at, Duration timeout) {
        if (failure != null) {
            return;
        }
        long deadline = Nanos.deadlineAfter(timeout);
        awaitAll(deadline);
        // behind an END lies nothing: one word there is placed before it
        post(PipeLayout.FRAMES_AT + at + PipeLayout.WORD_BYTES, PipeLayout.WORD_BYTES, at, PipeLayout.END, 0);
        awaitAll(deadline);
    }

    private void awaitAll(long deadline) {
        while (unfinished > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new UrmaException(UrmaStatus.ETIMEOUT, jfs, "still has " + unfinished + " unfinished");
            }
            take(port.awaitUninterruptibly(Duration.ofNanos(left)));
        }
    }

    @Override
    public long taken(long timeoutNanos) {
        if (timeoutNanos <= 0) {
            return taken;
        }
        try {
            taken = ApiAccess.api().readLong(words, PipeLayout.TAKEN_AT, timeoutNanos);
        } catch (UrmaException e) {
            if (e instanceof OperationFailedException || e.status() != UrmaStatus.ETIMEOUT) {
                throw e;
            }
        }
        return taken;
    }

    @Override
    public void close() {
        ClosingOrder.throwIfFailed(parts.closeAll());
    }
}
