package io.urma4j.examples.blockstore;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.JettyId;
import io.urma4j.RemoteSegment;
import io.urma4j.RemoteWindow;
import io.urma4j.SegmentDescriptor;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.buffer.BufQueue;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.RemoteBuf;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory of one client, as the server reaches it: by one-sided READs and WRITEs of the windows that the client has exported.
 * Each client has a queue of its own, so that one that is stopped delays no other. Safe for any number of threads, which take
 * turns.
 */
final class ClientMemory implements AutoCloseable {
    private static final int MOST_SEGMENTS = 64; // slabs of a client's pool that are imported
    private static final long PAUSE_NANOS = 20_000;

    private final UrmaContext context;
    private final JettyId client;
    private final ReentrantLock lock = new ReentrantLock();
    private final BufQueue queue; // this and the rest: guarded by the lock
    private final CompletionBatch batch;
    private final Map<SegmentDescriptor, RemoteSegment> segments = new HashMap<>();
    private volatile boolean closed;

    ClientMemory(UrmaContext context, JettyId client) {
        this.context = context;
        this.client = client;
        this.queue = BufQueue.open(context);
        this.batch = new CompletionBatch(4);
    }

    /**
     * Refuses memory that does not belong to this client, or that cannot do what the request needs. Otherwise a client could use the
     * server to read and write the memory of others.
     */
    void check(RemoteBuf memory, long lengthBytes, Access needed) {
        for (RemoteBuf.Window window : memory.windows()) {
            SegmentDescriptor segment = window.segment();
            if (segment.uasid() != client.uasid() || !segment.eid().equals(client.eid())) {
                throw new BadMessageException("the memory belongs to another process than the request");
            }
        }
        if (memory.size() < lengthBytes) {
            throw new BadMessageException("memory of " + memory.size() + " bytes for " + lengthBytes);
        }
        if (!memory.access().covers(needed)) {
            throw new BadMessageException("the memory was exported as " + memory.access() + ", must be " + needed);
        }
    }

    /** Fills {@code to} with the client's bytes. */
    void read(RemoteBuf from, BufView to, Duration timeout) {
        transfer(from, timeout, window -> queue.read(window, from.offset(), to, 0));
    }

    /** Copies {@code from} into the client's memory. */
    void write(RemoteBuf to, BufView from, Duration timeout) {
        transfer(to, timeout, window -> queue.write(window, to.offset(), from, 0));
    }

    private interface Post {
        boolean post(RemoteWindow window);
    }

    private void transfer(RemoteBuf remote, Duration timeout, Post operation) {
        lock.lock();
        try {
            checkOpen();
            try (RemoteWindow window = open(remote)) {
                if (!operation.post(window)) {
                    throw new TransferFailedException("the queue is full");
                }
                finish(System.nanoTime() + timeout.toNanos());
            }
        } catch (UrmaException e) {
            throw new TransferFailedException(e.reason(), e);
        } finally {
            lock.unlock();
        }
    }

    private RemoteWindow open(RemoteBuf remote) {
        RemoteBuf.Window window = remote.windows().getFirst();
        RemoteSegment segment = segments.get(window.segment());
        if (segment == null) {
            if (segments.size() == MOST_SEGMENTS) {
                segments.values().forEach(RemoteSegment::close);
                segments.clear();
            }
            segment = context.importSegment(window.segment(), null);
            segments.put(window.segment(), segment);
        }
        return segment.importWindow(window.key());
    }

    /** Waits for the record; when it does not come, the queue is of no more use, and its buffers come back by closing it. */
    private void finish(long deadlineNanos) {
        while (queue.poll(batch) == 0) {
            if (closed || System.nanoTime() - deadlineNanos > 0) {
                end();
                throw new TransferFailedException("the client's memory did not answer in time");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        if (!batch.isSuccess(0)) {
            CompletionStatus status = batch.status(0);
            end();
            throw new TransferFailedException("an operation on the client's memory ended with " + status);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new TransferFailedException("the session has ended");
        }
    }

    private void end() {
        closed = true;
        queue.close();
    }

    /** Ends the operation in progress; the buffers of all are free when this returns. */
    @Override
    public void close() {
        closed = true;
        lock.lock();
        try {
            queue.close();
            segments.values().forEach(RemoteSegment::close);
            segments.clear();
        } finally {
            lock.unlock();
        }
    }
}
