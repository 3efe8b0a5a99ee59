package io.urma4j.cuda;

import io.urma4j.peer.Copy;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One copy from its start to its end; reused by its stream. The thread that starts the copy fills it under the stream's lock,
 * the device's calling thread submits it, and the thread that sees its event ends it.
 */
final class CudaWork extends Task {
    /** What to do; addresses are those of the device but {@code host}. */
    enum Kind {
        IN,
        OUT,
        WITHIN,
        FILL
    }

    private final CudaStream stream;
    private Kind kind = Kind.FILL;
    private long address;
    private long from; // WITHIN alone
    private long lengthBytes;
    private byte value; // FILL alone
    private @Nullable MemorySegment host; // kept reachable until the end: its arena may be an automatic one
    private @Nullable Copy copy;
    private long event; // made by the calling thread, and kept

    CudaWork(CudaStream stream) {
        this.stream = stream;
    }

    void setHost(Kind direction, long address, MemorySegment host, Copy copy) {
        this.kind = direction;
        this.address = address;
        this.host = host;
        this.lengthBytes = host.byteSize();
        this.copy = copy;
    }

    void setWithin(long to, long from, long lengthBytes, Copy copy) {
        this.kind = Kind.WITHIN;
        this.address = to;
        this.from = from;
        this.lengthBytes = lengthBytes;
        this.copy = copy;
    }

    void setFill(long address, byte value, long lengthBytes, Copy copy) {
        this.kind = Kind.FILL;
        this.address = address;
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

    /** Hands the copy to the driver, and an event behind it. */
    void submit(CudaDriver driver, long handle) {
        if (event == 0) {
            event = driver.createEvent(CudaDriver.EVENT_DISABLE_TIMING);
        }
        if (lengthBytes > 0) {
            move(driver, handle);
        }
        try {
            driver.recordEvent(event, handle);
        } catch (CudaException e) {
            driver.synchronizeStream(handle); // its bytes may move, and no event tells how long
            throw e;
        }
    }

    private void move(CudaDriver driver, long handle) {
        switch (kind) {
            case IN -> driver.copyIn(address, hostAddress(), lengthBytes, handle);
            case OUT -> driver.copyOut(hostAddress(), address, lengthBytes, handle);
            case WITHIN -> driver.copyWithin(address, from, lengthBytes, handle);
            case FILL -> driver.fill(address, value, lengthBytes, handle);
        }
    }

    /** By number: another thread may not use the segment of a confined arena. */
    private long hostAddress() {
        assert host != null : "a copy of the host has its memory";
        return host.address();
    }

    /** Reports the end; null for success. */
    void end(@Nullable RuntimeException failure) {
        Copy ended = copy;
        copy = null;
        host = null;
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
