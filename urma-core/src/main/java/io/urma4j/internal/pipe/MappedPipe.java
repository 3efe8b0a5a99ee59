package io.urma4j.internal.pipe;

import io.urma4j.PipeWriter;
import io.urma4j.RemoteSegment;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.remote.MappedAccess;
import io.urma4j.internal.remote.RemoteCalls;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** A pipe whose bytes are mapped here: the thread that sends puts the message into the reader's memory itself. */
final class MappedPipe implements PipeMemory {
    private final MemorySegment memory;
    private final long capacityBytes;
    private final MappedAccess access;
    private final ReaderWakeUp wakeUp;

    /** Where the first line begins, of those behind the last frame, of which the word may be other than 0. */
    private long cleared = PipeLayout.LINE_BYTES;

    MappedPipe(PipeWriter writer, Lifetime life, RemoteSegment segment, int capacityBytes) {
        this.memory = segment.map();
        this.capacityBytes = capacityBytes;
        this.access = new MappedAccess(writer, life, segment, memory);
        this.wakeUp = new ReaderWakeUp(segment, memory, capacityBytes);
    }

    @Override
    public boolean put(long at, MemorySegment source, long sourceOffset, int lengthBytes) {
        long offset = PipeLayout.FRAMES_AT + at;
        long end = at + PipeLayout.frameBytes(lengthBytes);
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            if (cleared <= end) {
                clear(end); // what comes behind a long message
            }
            Placement.copy(source, sourceOffset, memory, offset + PipeLayout.messageAt(lengthBytes), lengthBytes);
            Placement.storeRelease(memory, offset, PipeLayout.message(lengthBytes));
            // not before: the reader would have to wait for these lines
            clearUntil(end + PipeLayout.AHEAD_BYTES);
            wakeReader();
            return true;
        } catch (IllegalStateException | WrongThreadException e) {
            cleared = at + PipeLayout.LINE_BYTES; // behind it lies what part of the message was copied
            throw access.failure(RemoteCalls.SOURCE, source, "message", offset, e, wasInterrupted);
        }
    }

    /**
     * Looks at the reader's flag, after the frame's word. No fence keeps the word's store before the look in this CPU: that
     * would cost more than the message. The store leaves the store buffer within a microsecond or so, and a reader looks
     * for longer than that between raising its flag and sleeping.
     */
    private void wakeReader() {
        if (Placement.isSetAfterStores(memory, PipeLayout.ASLEEP_AT)) {
            memory.set(ValueLayout.JAVA_LONG, PipeLayout.ASLEEP_AT, 0); // one wake-up is enough
            wakeUp.wake();
        }
    }

    private void clearUntil(long end) {
        long last = Math.min(end, capacityBytes);
        while (cleared < last) {
            clear(cleared);
        }
    }

    /** Says that at {@code at} there is no frame yet. */
    private void clear(long at) {
        memory.set(ValueLayout.JAVA_LONG, PipeLayout.FRAMES_AT + at, 0);
        cleared = at + PipeLayout.LINE_BYTES;
    }

    @Override
    public boolean turn(long at) {
        write(0, 0);
        write(at, PipeLayout.TURN);
        cleared = PipeLayout.LINE_BYTES;
        return true;
    }

    @Override
    public void end(long at, Duration timeout) {
        long offset = PipeLayout.FRAMES_AT + at;
        try {
            Placement.storeRelease(memory, offset, PipeLayout.END);
            wakeReader();
        } catch (IllegalStateException e) {
            throw access.failure("write", offset, Long.BYTES, e);
        }
    }

    private void write(long at, long word) {
        long offset = PipeLayout.FRAMES_AT + at;
        try {
            Placement.storeRelease(memory, offset, word);
        } catch (IllegalStateException e) {
            throw access.failure("write", offset, Long.BYTES, e);
        }
    }

    @Override
    public long taken(long timeoutNanos) {
        try {
            return Placement.readLong(memory, PipeLayout.TAKEN_AT);
        } catch (IllegalStateException e) {
            throw access.failure("read", PipeLayout.TAKEN_AT, Long.BYTES, e);
        }
    }

    @Override
    public void close() {
        wakeUp.close();
    }
}
