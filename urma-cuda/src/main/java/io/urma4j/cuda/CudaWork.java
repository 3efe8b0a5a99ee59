package io.urma4j.cuda;

import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyList;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One copy from its start to its end; reused by its stream. The thread that starts the copy fills it under the stream's lock,
 * the device's calling thread submits it, and the thread that sees its end reports that.
 */
final class CudaWork extends Task {
    /** What to do. */
    enum Kind {
        IN,
        OUT,
        WITHIN,
        FILL
    }

    private final CudaStream stream;
    private Kind kind = Kind.FILL;
    private long to; // addresses by number: another thread may not use the segment of a confined arena
    private long from; // all but FILL; with a list, what its offsets count from, as above
    private @Nullable CopyList list; // of several ranges
    private long lengthBytes;
    private byte value; // FILL alone
    private @Nullable Copy copy;
    private long event; // made by the calling thread, and kept
    private boolean marked; // the event lies behind the copy; written by the calling thread

    @SuppressWarnings("unused") // kept reachable until the end: its arena may be an automatic one
    private @Nullable MemorySegment host;

    CudaWork(CudaStream stream) {
        this.stream = stream;
    }

    void setIn(long to, MemorySegment source, Copy copy) {
        this.kind = Kind.IN;
        this.to = to;
        this.from = source.address();
        this.lengthBytes = source.byteSize();
        this.host = source;
        this.copy = copy;
    }

    void setOut(MemorySegment target, long from, Copy copy) {
        this.kind = Kind.OUT;
        this.to = target.address();
        this.from = from;
        this.lengthBytes = target.byteSize();
        this.host = target;
        this.copy = copy;
    }

    void setWithin(long to, long from, long lengthBytes, Copy copy) {
        this.kind = Kind.WITHIN;
        this.to = to;
        this.from = from;
        this.lengthBytes = lengthBytes;
        this.copy = copy;
    }

    /** Several ranges; those of the host are offsets in {@code memory}. */
    void setList(Kind direction, CopyList ranges, @Nullable MemorySegment memory, Copy copy) {
        long address = memory == null ? 0 : memory.address();
        this.kind = direction;
        this.list = ranges;
        this.from = direction == Kind.IN ? address : 0;
        this.to = direction == Kind.OUT ? address : 0;
        this.lengthBytes = ranges.totalBytes();
        this.host = memory;
        this.copy = copy;
    }

    void setFill(long to, byte value, long lengthBytes, Copy copy) {
        this.kind = Kind.FILL;
        this.to = to;
        this.value = value;
        this.lengthBytes = lengthBytes;
        this.copy = copy;
    }

    CudaStream stream() {
        return stream;
    }

    boolean isOf(Copy other) {
        return copy == other;
    }

    long event() {
        return event;
    }

    /** Hands the copy to the driver. */
    void submit(CudaDriver driver, long handle) {
        if (event == 0) {
            event = driver.createEvent(CudaDriver.EVENT_DISABLE_TIMING); // here, where a failure moves no byte
        }
        marked = false;
        if (lengthBytes > 0) {
            CopyList ranges = list;
            if (ranges == null) {
                move(driver, handle, to, from, lengthBytes);
            } else {
                move(driver, handle, ranges);
            }
        }
    }

    private void move(CudaDriver driver, long handle, CopyList ranges) {
        for (int i = 0; i < ranges.count(); i++) {
            try {
                move(driver, handle, to + ranges.to(i), from + ranges.from(i), ranges.lengthBytes(i));
            } catch (RuntimeException e) {
                if (i > 0) {
                    driver.synchronizeStream(handle); // the earlier ones move, and nothing else tells how long
                }
                throw e;
            }
        }
    }

    private void move(CudaDriver driver, long handle, long toAddress, long fromAddress, long bytes) {
        switch (kind) {
            case IN -> driver.copyIn(toAddress, fromAddress, bytes, handle);
            case OUT -> driver.copyOut(toAddress, fromAddress, bytes, handle);
            case WITHIN -> driver.copyWithin(toAddress, fromAddress, bytes, handle);
            case FILL -> driver.fill(toAddress, value, bytes, handle);
        }
    }

    /** Puts an event behind the copy, so that later copies of its stream do not count. Waits for its end if that fails. */
    void mark(CudaDriver driver, long handle) {
        try {
            driver.recordEvent(event, handle);
        } catch (CudaException e) {
            driver.synchronizeStream(handle); // its bytes may move, and no event tells how long
            throw e;
        }
        marked = true;
    }

    /** Whether no byte will move any more: as its event tells, or without one its stream, which has no other copy then. */
    boolean isDone(CudaDriver driver, long handle) {
        return marked ? driver.isDone(event) : driver.isStreamDone(handle);
    }

    /** Reports the end; null for success. */
    void end(@Nullable RuntimeException failure) {
        Copy ended = copy;
        copy = null;
        host = null;
        list = null;
        if (ended == null) {
            return;
        }
        if (failure == null) {
            ended.complete();
        } else {
            ended.fail(failure);
        }
    }

    /** On the polling thread. */
    @Override
    void run() {
        stream.device().poller().take(this);
    }

    @Override
    void refuse() {
        stream.ended(this, stream.device().closed());
    }
}
