package io.urma4j.internal.pipe;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.LocalSegment;
import io.urma4j.PipeReader;
import io.urma4j.SharedMemory;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A pipe at its {@link PipeReader}: the memory that {@link PipeLayout} describes, its registration, and what the reader sleeps
 * on. For the reading thread; {@link #close} may come from any.
 */
public final class PipeHome {
    private final UrmaContext context;
    private final int capacityBytes;
    private final ClosingOrder parts = new ClosingOrder(this);
    private final MemorySegment memory;
    private final LocalSegment segment;

    /** For devices where a thread must place arriving bytes: the polling thread does. */
    private final @Nullable Jfc progress;

    private final CompletionBatch none = new CompletionBatch(1);

    /**
     * Allocates and registers the memory of an empty pipe.
     *
     * @throws UrmaException EINVAL for a capacity that no pipe can have; ENOMEM
     */
    public PipeHome(UrmaContext context, int capacityBytes) {
        if (!PipeLayout.isCapacity(capacityBytes)) {
            throw Checks.invalid(
                    context,
                    "capacityBytes is " + capacityBytes + ", must be a power of two in " + PipeLayout.MIN_CAPACITY + "…"
                            + PipeLayout.MAX_CAPACITY);
        }
        this.context = context;
        this.capacityBytes = capacityBytes;
        try {
            SharedMemory shared = parts.add(context.allocate(PipeLayout.readerBytes(capacityBytes)), 1);
            memory = shared.segment();
            memory.fill((byte) 0); // every page is there before the first message
            memory.set(JAVA_LONG, PipeLayout.FORMAT_AT, PipeLayout.FORMAT);
            memory.set(JAVA_LONG, PipeLayout.CAPACITY_AT, capacityBytes);
            segment = parts.add(context.register(shared, Access.READ_WRITE_ATOMIC), 0);
            boolean isMapped =
                    ApiAccess.api().attributesOf(context).capabilities().mappable();
            progress = isMapped ? null : parts.add(context.createJfc(JfcConfig.DEFAULT), 0);
        } catch (UrmaException e) {
            parts.closeAll();
            throw e;
        }
    }

    public int capacityBytes() {
        return capacityBytes;
    }

    /** All bytes of the layout. */
    public MemorySegment memory() {
        return memory;
    }

    /** Address and token as one line. */
    public String share() {
        return segment.share();
    }

    /** Publishes the segment under a name; EEXIST if it is taken. */
    public void publish(String name) {
        segment.publish(name);
    }

    /** Whether a writer has the segment imported. */
    public boolean isImported() {
        return !segment.importing().isEmpty();
    }

    /** Places what has arrived, where no thread of the device does. */
    public void progress() {
        if (progress != null) {
            progress.poll(none);
        }
    }

    /** Creates what the reader sleeps on, which is closed with this. */
    public ReaderSleep createSleep(PipeReader reader) {
        return parts.add(new ReaderSleep(reader, segment, capacityBytes), 0);
    }

    /** Ends the pipe of that reader. A thread that makes the reader's sleep just now holds the segment, and ends it by itself. */
    public void close(PipeReader reader) {
        ApiAccess.api().disown(context, reader);
        ClosingOrder.throwIfFailed(parts.closeAll(ApiAccess.api().closeBudget(context)));
    }

    @Override
    public String toString() {
        return "pipe of " + capacityBytes + " bytes at " + context;
    }
}
