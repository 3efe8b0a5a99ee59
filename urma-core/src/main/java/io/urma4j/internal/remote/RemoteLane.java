package io.urma4j.internal.remote;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteRange;
import io.urma4j.RemoteSegment;
import io.urma4j.RemoteWindow;
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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One queue of a {@link RemoteMemory}, with a staging buffer. The holder of {@link #lock} uses it.
 *
 * <p>Longer transfers use the staging buffer in two pieces at a time: while one is in flight, the other is copied.
 */
public final class RemoteLane {
    private static final int PIECES = 2;
    private static final long MAX_PIECE_BYTES = 1 << 20;
    private static final long WORD_BYTES = 64; // where results of atomics land: a cache line of its own
    private static final int QUEUE_DEPTH = 8;
    private static final int BATCH_RECORDS = 8;
    private static final Duration SLICE = Duration.ofSeconds(1); // the queue's own timeout ends the wait

    /** Held during an operation. */
    public final ReentrantLock lock = new ReentrantLock();

    private final Object owner;
    private final UrmaContext context;
    private RemoteRange remote; // the lock's holder may select another
    private long base; // of that segment's offset 0, for messages
    private final int inlineBytes;
    private final long pieceBytes;
    private final CompletionPort port;
    private final ClosingOrder parts;
    private final LocalSegment staging;
    private final WorkRequestList list = new WorkRequestList(1, 1);

    // guarded by this, so that no queue is created for a port that is being closed
    private @Nullable Jfs jfs;
    private boolean closed;

    // owned, as all below, by the thread that holds the lock; the operation's, besides the queue's own
    private long timeoutNanos = Nanos.FOREVER;
    private long deadline = System.nanoTime() + Nanos.FOREVER;

    // of the current queue
    private long posted;
    private long completed;

    /** A lane for transfers of up to {@code longestBytes} at once; longer ones go in pieces. */
    public RemoteLane(Object owner, RemoteRange remote, long longestBytes) {
        this.owner = owner;
        this.context = remote.context();
        this.remote = remote;
        this.inlineBytes = Math.min(
                JfsConfig.DEFAULT.maxInlineBytes(),
                ApiAccess.api().attributesOf(context).limits().inlineBytes());
        this.pieceBytes = longestBytes >= MAX_PIECE_BYTES ? MAX_PIECE_BYTES : (longestBytes + 63) & -64;
        this.parts = new ClosingOrder(owner);
        try {
            SharedMemory memory = parts.add(context.allocate(PIECES * pieceBytes + WORD_BYTES), 1);
            staging = parts.add(context.register(memory, Access.LOCAL_ONLY), 1);
            port = parts.add(new CompletionPort(context, 2 * QUEUE_DEPTH, BATCH_RECORDS), 0);
        } catch (UrmaException e) {
            parts.closeAll();
            throw e;
        }
    }

    /** Aims it at another segment of the same context, whose offset 0 is {@code base} to the caller. */
    public RemoteLane aim(RemoteRange next, long nextBase) {
        remote = next;
        base = nextBase;
        return this;
    }

    /** Sets the timeout of the next operations, and their deadline {@code atNanos}. */
    RemoteLane limit(long nanos, long atNanos) {
        timeoutNanos = nanos;
        deadline = atNanos;
        return this;
    }

    /** Writes all of {@code source}; in pieces, when it is long. */
    public void write(long offset, MemorySegment source) {
        whole("write", offset, source.byteSize(), () -> {
            if (source.byteSize() <= inlineBytes) {
                postInline(offset, source);
            } else {
                writePieces(offset, source);
            }
        });
    }

    private void postInline(long offset, MemorySegment source) {
        list.clear().write(remote, offset, 0).inline(source);
        boolean accepted = queue().post(list) == 1;
        list.refusal().ifPresent(refusal -> {
            throw refusal;
        });
        posted(accepted);
    }

    private void writePieces(long offset, MemorySegment source) {
        for (long at = 0; at < source.byteSize(); at += pieceBytes) {
            if (posted - completed == PIECES) {
                awaitCompletion(posted - PIECES);
            }
            long slot = slot(posted);
            long piece = Math.min(pieceBytes, source.byteSize() - at);
            MemorySegment.copy(source, at, staging.memory(), slot, piece);
            postWrite(offset + at, slot, piece);
        }
    }

    /** Fills {@code destination}; in pieces, when it is long. */
    public void read(long offset, MemorySegment destination) {
        whole("read", offset, destination.byteSize(), () -> {
            long length = destination.byteSize();
            long first = posted;
            long pieces = Math.max(1, (length + pieceBytes - 1) / pieceBytes);
            long asked = 0;
            for (long filled = 0; filled < pieces; filled++) {
                while (asked < pieces && asked - filled < PIECES) {
                    askForPiece(offset, asked * pieceBytes, length);
                    asked++;
                }
                awaitCompletion(first + filled);
                long at = filled * pieceBytes;
                long piece = Math.min(pieceBytes, length - at);
                MemorySegment.copy(staging.memory(), slot(first + filled), destination, at, piece);
            }
        });
    }

    private void askForPiece(long offset, long at, long length) {
        long slot = slot(posted);
        long piece = Math.min(pieceBytes, length - at);
        postRead(offset + at, slot, piece);
    }

    /** Writes 8 bytes in native order; without tearing if {@code offset} is a multiple of 8. */
    void writeLong(long offset, long value) {
        staging.memory().set(ValueLayout.JAVA_LONG, wordOffset(), value);
        writeWord(offset, Long.BYTES);
    }

    /** Reads 8 bytes in native order; in one piece when {@code offset} is a multiple of 8. */
    public long readLong(long offset) {
        readWord(offset, Long.BYTES);
        return staging.memory().get(ValueLayout.JAVA_LONG, wordOffset());
    }

    /** Writes 4 bytes in native order; without tearing if {@code offset} is a multiple of 4. */
    void writeInt(long offset, int value) {
        staging.memory().set(ValueLayout.JAVA_INT, wordOffset(), value);
        writeWord(offset, Integer.BYTES);
    }

    /** Reads 4 bytes in native order; without tearing if {@code offset} is a multiple of 4. */
    int readInt(long offset) {
        readWord(offset, Integer.BYTES);
        return staging.memory().get(ValueLayout.JAVA_INT, wordOffset());
    }

    private void writeWord(long offset, int bytes) {
        whole("write", offset, bytes, () -> postWrite(offset, wordOffset(), bytes));
    }

    /** Without an object for its steps: a pipe reads so what its reader has taken. */
    private void readWord(long offset, int bytes) {
        try {
            postRead(offset, wordOffset(), bytes);
            awaitCompletion(posted - 1);
        } catch (StepFailure e) {
            throw failed("read", offset, bytes, e);
        } finally {
            abandonUnfinished();
        }
    }

    /** One of the seven atomics on 8 bytes; gives the value before. */
    public long atomic(Opcode opcode, long offset, long operand, long expected) {
        atomic(opcode, offset, Long.BYTES, operand, expected);
        return staging.memory().get(ValueLayout.JAVA_LONG, wordOffset());
    }

    /** One of the seven atomics on 4 bytes; returns the previous value. */
    int atomicInt(Opcode opcode, long offset, int operand, int expected) {
        atomic(opcode, offset, Integer.BYTES, operand, expected);
        return staging.memory().get(ValueLayout.JAVA_INT, wordOffset());
    }

    private void atomic(Opcode opcode, long offset, int sizeBytes, long operand, long expected) {
        whole(opcode.name(), offset, sizeBytes, () -> postAtomic(opcode, offset, sizeBytes, operand, expected));
    }

    private void postWrite(long offset, long from, long length) {
        boolean isAccepted = switch (remote) {
            case RemoteSegment segment -> queue().write(segment, offset, staging, from, length, 0);
            case RemoteWindow window -> window.write(queue(), offset, staging, from, length, 0, PostFlags.DEFAULT);
        };
        posted(isAccepted);
    }

    private void postRead(long offset, long to, long length) {
        boolean isAccepted = switch (remote) {
            case RemoteSegment segment -> queue().read(segment, offset, staging, to, length, 0);
            case RemoteWindow window -> window.read(queue(), offset, staging, to, length, 0, PostFlags.DEFAULT);
        };
        posted(isAccepted);
    }

    private void postAtomic(Opcode opcode, long offset, int sizeBytes, long operand, long expected) {
        long to = wordOffset();
        PostFlags flags = PostFlags.DEFAULT;
        boolean isAccepted = switch (remote) {
            case RemoteSegment segment ->
                queue().atomic(opcode, segment, offset, staging, to, sizeBytes, operand, expected, 0, flags);
            case RemoteWindow window ->
                window.atomic(queue(), opcode, offset, staging, to, sizeBytes, operand, expected, 0, flags);
        };
        posted(isAccepted);
    }

    private long slot(long number) {
        return number % PIECES * pieceBytes;
    }

    private long wordOffset() {
        return PIECES * pieceBytes;
    }

    /** Runs {@code steps} and waits for all that they posted. A queue with unfinished requests after that is discarded. */
    private void whole(String operation, long offset, long length, Runnable steps) {
        try {
            steps.run();
            awaitCompletion(posted - 1);
        } catch (StepFailure e) {
            throw failed(operation, offset, length, e);
        } finally {
            abandonUnfinished();
        }
    }

    private UrmaException failed(String operation, long offset, long length, StepFailure step) {
        String words = operation + " of offset " + (base + offset) + " + length " + length;
        if (step.status != null) {
            return ApiAccess.api().failed(owner, words, step.status, remote);
        }
        return new UrmaException(
                UrmaStatus.ETIMEOUT,
                owner,
                words + " did not complete within " + Duration.ofNanos(timeoutNanos) + "; it may still complete");
    }

    private void abandonUnfinished() {
        if (completed != posted) {
            abandonQueue();
        }
    }

    /** With at most {@link #PIECES} requests in flight the queue has space. */
    private void posted(boolean isAccepted) {
        if (!isAccepted) {
            throw new UrmaException(UrmaStatus.EAGAIN, owner, "its queue is full");
        }
        posted++;
    }

    /** Waits until the work request with this number, and so all before it, have completed. */
    private void awaitCompletion(long number) {
        while (completed <= number) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new StepFailure(null);
            }
            // the request is in flight; the queue's timeout bounds the wait
            take(port.awaitUninterruptibly(left < SLICE.toNanos() ? Duration.ofNanos(left) : SLICE));
        }
    }

    private void take(int records) {
        for (int i = 0; i < records; i++) {
            CompletionStatus status = port.batch().status(i);
            if (status == CompletionStatus.SUCCESS) {
                completed++;
            } else if (!status.isMarker()) {
                throw new StepFailure(status); // all behind it goes with the queue
            }
        }
    }

    private Jfs queue() {
        Jfs now = jfs;
        return now != null ? now : makeQueue();
    }

    private synchronized Jfs makeQueue() {
        if (closed) {
            throw Checks.closed(owner);
        }
        JfsConfig config = JfsConfig.builder()
                .depth(QUEUE_DEPTH)
                .maxSges(1)
                .maxInlineBytes(inlineBytes)
                .build();
        Jfs made = context.createJfs(port.jfc(), config);
        jfs = made;
        return made;
    }

    /** Closes the queue, and so discards its unfinished work requests and records; the next operation creates one. */
    private synchronized void abandonQueue() {
        if (jfs != null) {
            jfs.close();
            jfs = null;
        }
        posted = 0;
        completed = 0;
    }

    /** Closes the lane; an operation of another thread fails, because an object is closed. */
    void close() {
        synchronized (this) {
            closed = true;
            if (jfs != null) {
                jfs.close();
            }
            port.close();
        }
        lock.lock(); // operations in progress have ended
        try {
            ClosingOrder.throwIfFailed(parts.closeAll());
        } finally {
            lock.unlock();
        }
    }

    /** A work request did not succeed, or not in time; caught within this class. */
    private static final class StepFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final @Nullable CompletionStatus status; // null when the operation's timeout expired

        StepFailure(@Nullable CompletionStatus status) {
            super("", null, false, false);
            this.status = status;
        }
    }
}
