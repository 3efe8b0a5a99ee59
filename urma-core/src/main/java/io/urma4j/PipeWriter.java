package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingGate;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.Nanos;
import io.urma4j.internal.pipe.PipeClaim;
import io.urma4j.internal.pipe.PipeLayout;
import io.urma4j.internal.pipe.PipeMemory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The writing end of a pipe; see {@link PipeReader}. Created by {@link UrmaContext#openPipeTo}.
 *
 * <p>For one thread at a time; any thread may call {@link #close}. Sending allocates nothing.
 */
public final class PipeWriter implements AutoCloseable {
    private static final int SPINS = 1000;
    private static final long REST_NANOS = 20_000;

    private final PipeClaim claim;
    private final PipeMemory memory;
    private final Lifetime life = new Lifetime(this);
    private final ClosingGate gate = new ClosingGate();
    private final int capacityBytes;
    private final int maxMessageBytes;

    // these two belong to the thread inside the gate
    private long begun; // bytes of frames, since the first one
    private long known; // how many of them the reader was done with when we last looked
    private final AtomicLong sent = new AtomicLong(); // messages; written by the sending thread alone

    /** Takes over the claim, even if it fails. */
    PipeWriter(PipeClaim claim) {
        this.claim = claim;
        this.capacityBytes = claim.capacityBytes();
        this.maxMessageBytes = PipeLayout.maxMessageBytes(capacityBytes);
        this.memory = claim.open(this, life);
    }

    /** Maximum message size. */
    public int maxMessageBytes() {
        return maxMessageBytes;
    }

    /** Sends all of {@code message} if there is space: see {@link #trySend(MemorySegment, long, int)}. */
    public boolean trySend(MemorySegment message) {
        return trySend(message, 0, lengthOf(message));
    }

    /**
     * Sends a message if there is space. On return the message is stored at the reader or in flight, and {@code source} can
     * be reused. The call does not wait, with one exception: if the device does not map segments and the known credit is
     * used up, it reads the credit from the reader, and waits for the response.
     *
     * @param source on the heap or off-heap
     * @return false if the reader has not yet read enough of the earlier messages; then nothing was sent
     * @throws UrmaException EINVAL for a range outside of {@code source}, or a message longer than {@link #maxMessageBytes}
     * @throws HomeGoneException if the reader has closed the pipe, or is gone: it may not have read earlier messages
     * @throws OperationFailedException if the reader did not answer; nothing can be sent any more
     */
    public boolean trySend(MemorySegment source, long offset, int lengthBytes) {
        return trySend(source, offset, lengthBytes, Nanos.FOREVER); // the queue's own timeout ends the wait
    }

    private boolean trySend(MemorySegment source, long offset, int lengthBytes, long timeoutNanos) {
        gate.enter();
        try {
            life.checkOpen();
            Checks.range(this, offset, lengthBytes, source.byteSize());
            if (lengthBytes > maxMessageBytes) {
                throw tooLong(lengthBytes);
            }
            return put(source, offset, lengthBytes, timeoutNanos);
        } finally {
            gate.leave();
        }
    }

    private boolean put(MemorySegment source, long offset, int lengthBytes, long timeoutNanos) {
        long frameBytes = PipeLayout.frameBytes(lengthBytes);
        long at = begun & (capacityBytes - 1);
        long skipped = at + frameBytes < capacityBytes ? 0 : capacityBytes - at;
        try {
            if (!isFree(skipped + frameBytes + PipeLayout.AHEAD_BYTES, timeoutNanos)) {
                return false;
            }
            if (skipped > 0) {
                if (!memory.turn(at)) {
                    return false;
                }
                begun += skipped;
                at = 0;
            }
            if (!memory.put(at, source, offset, lengthBytes)) {
                return false;
            }
        } catch (UrmaException e) {
            throw failure(e, lengthBytes);
        }
        begun += frameBytes;
        sent.lazySet(sent.getPlain() + 1);
        return true;
    }

    /** Translates the first failure, of the segment or of a queue, into a failure of sending. */
    private UrmaException failure(UrmaException found, int lengthBytes) {
        if (life.isClosed()) {
            return Checks.closed(this);
        }
        boolean hasFailed = found instanceof OperationFailedException;
        if (!hasFailed && !claim.isRevoked()) {
            return found;
        }
        CompletionStatus status = found instanceof OperationFailedException failed
                ? failed.completionStatus()
                : CompletionStatus.REM_ACCESS_ABORT_ERR;
        String operation = "send of " + lengthBytes + " bytes";
        boolean isGone = status == CompletionStatus.REM_ACCESS_ABORT_ERR || claim.isRevoked();
        UrmaException told = isGone
                ? new HomeGoneException(this, operation, status, "its reader closed the pipe, or is gone")
                : new OperationFailedException(this, operation, status);
        told.addSuppressed(found); // what of the pipe could not be reached
        return told;
    }

    private boolean isFree(long bytes, long timeoutNanos) {
        if (begun + bytes - known <= capacityBytes) {
            return true;
        }
        long taken = memory.taken(timeoutNanos);
        if (taken < known || taken > begun) {
            throw new UrmaException(
                    UrmaStatus.FAIL,
                    this,
                    "its reader broke the protocol: it claims to have read " + taken + " of " + begun + " bytes");
        }
        known = taken;
        return begun + bytes - known <= capacityBytes;
    }

    /**
     * Sends a message, and waits for space at most {@code timeout}: spinning at first, then sleeping between checks.
     *
     * @throws UrmaException as {@link #trySend(MemorySegment, long, int)}; ETIMEOUT at the timeout, and EAGAIN if the
     *     thread was interrupted, with its flag set: nothing was sent then
     */
    public void send(MemorySegment message, Duration timeout) {
        int lengthBytes = lengthOf(message);
        if (trySend(message, 0, lengthBytes, 0)) {
            return;
        }
        long deadline = Nanos.deadlineAfter(timeout);
        // at least one try knows what the reader has read
        long leftNanos = timeout.isPositive() ? Nanos.of(timeout) : Nanos.FOREVER;
        for (int tries = 1; !trySend(message, 0, lengthBytes, leftNanos); tries++) {
            leftNanos = deadline - System.nanoTime();
            if (leftNanos <= 0) {
                throw new UrmaException(
                        UrmaStatus.ETIMEOUT,
                        this,
                        "its reader freed no space within " + timeout + "; nothing was sent");
            }
            if (tries < SPINS) {
                Thread.onSpinWait();
            } else if (Thread.currentThread().isInterrupted()) {
                throw new UrmaException(
                        UrmaStatus.EAGAIN,
                        this,
                        "the thread was interrupted while waiting for free space; nothing was sent");
            } else {
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    private int lengthOf(MemorySegment message) {
        if (message.byteSize() > maxMessageBytes) {
            throw tooLong(message.byteSize());
        }
        return (int) message.byteSize();
    }

    private UrmaException tooLong(long lengthBytes) {
        return Checks.invalid(
                this,
                "a message of " + lengthBytes + " bytes is longer than the " + maxMessageBytes + " that a pipe of "
                        + capacityBytes + " bytes takes");
    }

    /**
     * Messages sent.
     *
     * @throws UrmaException EINVAL when closed
     */
    public Counters counters() {
        life.checkOpen();
        return Counters.builder().add("sent", sent.get()).build();
    }

    /**
     * Closes the pipe. The reader reads all sent messages, then finds that the pipe {@linkplain PipeReader#hasEnded has
     * ended}. Waits until messages in flight have arrived. A message that another thread is sending is placed first, as a
     * whole; if that thread waits for the reader's response, nothing of it is sent. Idempotent.
     */
    @Override
    public void close() {
        if (!life.end()) {
            return;
        }
        try {
            claim.endWaits(this);
        } finally {
            gate.awaitEmpty();
            end();
        }
    }

    private void end() {
        try {
            if (!claim.isRevoked()) {
                memory.end(begun & (capacityBytes - 1), claim.closeBudget());
            }
        } catch (UrmaException e) {
            // its reader is gone
        } finally {
            memory.close();
            claim.close();
        }
    }

    @Override
    public String toString() {
        return "pipe to " + claim + " of " + capacityBytes + " bytes";
    }
}
