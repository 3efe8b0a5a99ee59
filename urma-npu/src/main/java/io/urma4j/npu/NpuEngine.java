package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaEngine;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * The copy engine of a device: one thread that moves bytes a chunk at a time, stream by stream, no faster than the configured
 * rate. An abort or a fault ends a copy between two chunks, so torn bytes can be seen.
 */
final class NpuEngine implements DmaEngine {
    private static final long CHUNK_BYTES = 64 << 10;
    private static final int MAX_RANGES = 16;
    private static final int MAX_IN_FLIGHT = 128;
    private static final long FRAGMENT_BYTES = 512 << 10;

    /** A wait that is shorter is spent spinning: a park takes longer. */
    private static final long SPIN_NANOS = 60_000;

    private final NpuDevice device;
    private final NpuConfig config;
    private final FaultPlan faults;
    private final List<NpuStream> streams = new CopyOnWriteArrayList<>();
    private final NpuEvents events;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile boolean closed;
    private long freeAtNanos; // when the engine has moved what it has begun; only its thread

    NpuEngine(NpuDevice device, NpuConfig config, FaultPlan faults) {
        this.device = device;
        this.config = config;
        this.faults = faults;
        this.events = new NpuEvents(device);
        this.thread = Thread.ofPlatform().daemon().name("urma-" + device).unstarted(this::run);
        this.freeAtNanos = System.nanoTime();
        thread.start();
    }

    NpuDevice device() {
        return device;
    }

    NpuConfig config() {
        return config;
    }

    FaultPlan faults() {
        return faults;
    }

    void stop(boolean stop) {
        stopped = stop;
        wake();
    }

    void wake() {
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            long waitNanos = Long.MAX_VALUE;
            for (NpuStream stream : streams) {
                waitNanos = Math.min(waitNanos, step(stream));
            }
            if (waitNanos == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else if (waitNanos > SPIN_NANOS) {
                LockSupport.parkNanos(this, waitNanos - SPIN_NANOS);
            } else if (waitNanos > 0) {
                Thread.onSpinWait();
            }
        }
    }

    /** Moves one chunk of a stream. Returns how long to wait for the next one; MAX_VALUE if there is none. */
    private long step(NpuStream stream) {
        NpuStream.Work aborted = stream.firstAborted();
        if (aborted != null) {
            stream.end(aborted, new UrmaException(UrmaStatus.FAIL, device, "copy was aborted"));
            return 0;
        }
        NpuStream.Work work = stream.first();
        if (work == null || stopped) {
            return Long.MAX_VALUE;
        }
        long now = System.nanoTime();
        long waitNanos = Math.max(work.startNanos + config.latencyNanos(), freeAtNanos) - now;
        if (waitNanos > 0) {
            return waitNanos;
        }
        try {
            long moved = work.move(CHUNK_BYTES);
            if (config.bytesPerSecond() > 0) {
                // late engines do not catch up: the rate is a limit
                freeAtNanos = Math.max(freeAtNanos, now - SPIN_NANOS) + (long) (moved * 1e9 / config.bytesPerSecond());
            }
            if (work.isDone()) {
                stream.end(work, null);
            }
        } catch (RuntimeException e) {
            stream.end(work, e);
        } catch (InternalError e) { // another process has truncated memory that it shares
            stream.end(work, new UrmaException(UrmaStatus.FAIL, device, "memory of another process is gone", e));
        }
        return 0;
    }

    @Override
    public CopyStream openStream() {
        NpuStream stream = new NpuStream(this);
        streams.add(stream);
        return stream;
    }

    void remove(NpuStream stream) {
        streams.remove(stream);
    }

    NpuEvents events() {
        return events;
    }

    @Override
    public void whenDone(long event, EventListener listener) {
        events.whenDone(event, listener);
    }

    @Override
    public void flush(DeviceRange range) {
        device.flush(range);
    }

    @Override
    public int maxInFlight() {
        return MAX_IN_FLIGHT;
    }

    @Override
    public int maxRanges() {
        return MAX_RANGES;
    }

    @Override
    public long fragmentBytes() {
        return FRAGMENT_BYTES;
    }

    @Override
    public long alignmentBytes() {
        return config.alignmentBytes();
    }

    /** Fails the copies that are left, and ends the thread. */
    void close() {
        closed = true;
        wake();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true; // the memory is freed next
            }
        }
        UrmaException end = new UrmaException(UrmaStatus.FAIL, device, "was closed");
        streams.forEach(stream -> stream.failAll(end));
        events.lose(end);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the device ends no further copy. */
    boolean isClosed() {
        return closed;
    }

    /** A copy that starts after the end of the thread would never end. */
    void checkOpen(Copy copy) {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, device, "is closed; refused: " + copy);
        }
    }
}
