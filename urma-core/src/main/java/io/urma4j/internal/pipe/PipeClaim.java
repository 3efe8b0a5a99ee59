package io.urma4j.internal.pipe;

import io.urma4j.Access;
import io.urma4j.PipeWriter;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.Lifetime;
import java.time.Duration;

/** The import of a pipe, which its {@link PipeWriter} has claimed, so that it is the only one in the life of the pipe. */
public final class PipeClaim {
    private final RemoteSegment segment;
    private final RemoteMemory words;
    private final int capacityBytes;

    /**
     * Claims the pipe in an imported segment, which belongs to the claim from now on, even if it fails.
     *
     * @throws UrmaException EINVAL if it is no pipe; EEXIST if it has, or had, a writer
     */
    public PipeClaim(RemoteSegment segment) {
        ClosingOrder parts = new ClosingOrder(segment);
        this.segment = parts.add(segment, 1);
        try {
            words = parts.add(RemoteMemory.of(segment), 0);
            capacityBytes = capacity(segment, words);
            if (words.compareAndSwap(PipeLayout.CLAIM_AT, 0, 1) != 0) {
                throw new UrmaException(UrmaStatus.EEXIST, segment, "is a pipe that already has, or had, a writer");
            }
        } catch (UrmaException e) {
            parts.closeAll();
            throw e;
        }
    }

    private static int capacity(RemoteSegment segment, RemoteMemory words) {
        if (segment.access() != Access.READ_WRITE_ATOMIC
                || segment.lengthBytes() < PipeLayout.segmentBytes(PipeLayout.MIN_CAPACITY)
                || words.readLong(PipeLayout.FORMAT_AT) != PipeLayout.FORMAT) {
            throw Checks.invalid(segment, "is no pipe, or a pipe of another version");
        }
        long capacity = words.readLong(PipeLayout.CAPACITY_AT);
        if (!PipeLayout.isCapacity(capacity) || PipeLayout.segmentBytes((int) capacity) > segment.lengthBytes()) {
            throw Checks.invalid(
                    segment,
                    "pipe capacity " + capacity + " is not a power of two in " + PipeLayout.MIN_CAPACITY + "…"
                            + PipeLayout.MAX_CAPACITY + ", or exceeds its segment of " + segment.lengthBytes()
                            + " bytes");
        }
        return (int) capacity;
    }

    public int capacityBytes() {
        return capacityBytes;
    }

    /** Opens the way to the bytes of the pipe: mapped, or by a queue. Withdraws the claim if it fails. */
    public PipeMemory open(PipeWriter writer, Lifetime life) {
        try {
            return ApiAccess.api().isMappable(segment)
                    ? new MappedPipe(writer, life, segment, capacityBytes)
                    : new QueuedPipe(writer, segment, words, capacityBytes);
        } catch (UrmaException e) {
            withdraw(e);
            throw e;
        }
    }

    /** There is no writer after all: there can be another one. */
    private void withdraw(UrmaException cause) {
        try (segment;
                words) {
            if (!segment.isRevoked()) {
                words.writeLong(PipeLayout.CLAIM_AT, 0);
            }
        } catch (UrmaException e) {
            cause.addSuppressed(e);
        }
    }

    /** Whether the reader has closed the pipe, or is gone. */
    public boolean isRevoked() {
        return segment.isRevoked();
    }

    /** The writer is being closed: its waits for the reader's answers end. */
    public void endWaits(PipeWriter writer) {
        ApiAccess.api().disown(segment.context(), writer);
        words.close();
    }

    /** How long the end of the writer may take. */
    public Duration closeBudget() {
        return ApiAccess.api().closeBudget(segment.context());
    }

    /** Closes the import, after {@link #endWaits}. */
    public void close() {
        segment.close();
    }

    @Override
    public String toString() {
        return segment.descriptor().uasid() + "/" + segment.descriptor().tokenId();
    }
}
