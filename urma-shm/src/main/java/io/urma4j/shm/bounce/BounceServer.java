package io.urma4j.shm.bounce;

import io.urma4j.UrmaException;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DmaEngine;
import io.urma4j.shm.memory.ImportedMapping;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Serves the device memory of this context to one importer: its thread starts the copies that the importer asks for, and tells when
 * they have ended. It lives as long as there is work, and a little longer. Meanwhile it polls the message rings itself, so that no
 * request waits for another thread.
 *
 * <p>The importer is not trusted: a request that no honest importer sends is refused by {@link #accept}, and there is at most one
 * request a fragment.
 */
public final class BounceServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(BounceServer.class.getName());

    private static final int SPINS = 2_000; // an importer that copies a fragment asks again within this time
    private static final long BUSY_PARK_NANOS = 20_000;
    private static final long IDLE_PARK_NANOS = 20_000_000; // without a request, before the thread ends
    static final long PAUSE_AFTER_FAILURE_NANOS = 10_000_000; // what failed may fail again

    private final ImportedMapping mapping;
    private final MemorySegment buffer;
    private final LongFunction<@Nullable ServedGrant> grants;
    private final Rings rings;
    private final String importer;
    private final LongConsumer pause;
    private final BounceRequest[] requests = new BounceRequest[BounceLayout.FRAGMENTS];

    private final Deque<BounceRequest> waiting = new ArrayDeque<>(); // all guarded by this
    private final boolean[] taken = new boolean[BounceLayout.FRAGMENTS]; // until its request has a result
    private @Nullable Thread thread;
    private boolean closed;

    private final List<ServedCopy> started = new ArrayList<>(); // both only the thread
    private final Map<DmaEngine, EngineLink> links = new HashMap<>();

    /** The message rings of this context, by which requests come. Safe for any thread. */
    public interface Rings {
        /** Handles arrivals, requests among them. */
        void poll();

        /** The calling thread polls no more: the engine handles arrivals at once from now on. */
        void beginWait();

        /** It polls again. */
        void endWait();
    }

    /**
     * A stream of a copy engine for which a bounce buffer is pinned.
     *
     * @param stream moves the bytes
     * @param pinning of the buffer
     */
    private record EngineLink(CopyStream stream, DmaEngine.Pinning pinning) {
        /** Pins the buffer; a failure leaves nothing pinned. */
        static EngineLink open(DmaEngine engine, MemorySegment buffer) {
            DmaEngine.Pinning pinning = engine.pinHost(buffer);
            try {
                return new EngineLink(engine.openStream(), pinning);
            } catch (RuntimeException | Error e) {
                pinning.close();
                throw e;
            }
        }

        /** Ends the stream, and unpins the buffer. */
        void close() {
            stream.close();
            pinning.close();
        }
    }

    /**
     * A server without requests.
     *
     * @param mapping the importer's bounce buffer; closed with the server
     * @param grants finds an import of this importer by its number; called by any thread
     * @param importer for messages
     */
    public BounceServer(
            ImportedMapping mapping, LongFunction<@Nullable ServedGrant> grants, Rings rings, String importer) {
        this(mapping, grants, rings, importer, LockSupport::parkNanos);
    }

    /** With another way to pause after a failure; called by the thread that goes on, with nanoseconds. */
    BounceServer(
            ImportedMapping mapping,
            LongFunction<@Nullable ServedGrant> grants,
            Rings rings,
            String importer,
            LongConsumer pause) {
        this.pause = pause;
        this.rings = rings;
        this.mapping = mapping;
        this.buffer = mapping.segment();
        this.grants = grants;
        this.importer = importer;
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new BounceRequest();
        }
    }

    /**
     * Takes a request from a slot of the message ring. Returns at once.
     *
     * @return false if no honest importer would send it
     */
    public boolean accept(MemorySegment ring, long at, int lengthBytes) {
        if (lengthBytes != BounceRequest.BYTES) {
            return false;
        }
        int fragment = BounceRequest.fragmentOf(ring, at);
        if (fragment < 0 || fragment >= BounceLayout.FRAGMENTS) {
            return false;
        }
        synchronized (this) {
            if (taken[fragment] || !requests[fragment].load(ring, at, fragment)) {
                return false;
            }
            taken[fragment] = true;
            waiting.addLast(requests[fragment]);
            wake();
        }
        return true;
    }

    /** Under the monitor. */
    private void wake() {
        if (thread == null) {
            start(this::run);
        } else {
            LockSupport.unpark(thread);
        }
    }

    /** Under the monitor. */
    private void start(Runnable life) {
        thread = Thread.ofPlatform().daemon().name("urma-shm-serve").start(life);
    }

    private void run() {
        boolean ended = false;
        try {
            serve();
            ended = true;
        } finally {
            if (!ended) {
                failed();
            }
        }
    }

    /** Another thread goes on with what is left; at the end of the server that is the buffer. Else the next request starts one. */
    private synchronized void failed() {
        thread = null;
        if (closed || !waiting.isEmpty() || !started.isEmpty()) {
            start(this::runAfterPause);
        }
    }

    private void runAfterPause() {
        pause.accept(PAUSE_AFTER_FAILURE_NANOS);
        run();
    }

    private void serve() {
        int idle = 0;
        while (!isOver()) {
            rings.poll();
            idle = round() ? 0 : idle + 1;
            if (!started.isEmpty()) {
                pauseWhileBusy(idle);
            } else if (idle > SPINS) {
                sleep();
                if (hasEndedIdle()) {
                    return;
                }
                idle = 0;
            } else {
                Thread.onSpinWait();
            }
        }
        release();
    }

    /** Until a request comes, but not for ever. */
    private void sleep() {
        rings.beginWait();
        try {
            if (!hasWaiting()) {
                LockSupport.parkNanos(IDLE_PARK_NANOS);
            }
        } finally {
            rings.endWait();
        }
    }

    private static void pauseWhileBusy(int idle) {
        if (idle > SPINS) {
            LockSupport.parkNanos(BUSY_PARK_NANOS);
        } else {
            Thread.onSpinWait();
        }
    }

    private synchronized boolean hasWaiting() {
        return closed || !waiting.isEmpty();
    }

    /** Whether there is nothing to do, so that the thread ends; the next request starts another. */
    private synchronized boolean hasEndedIdle() {
        if (closed || !waiting.isEmpty()) {
            return false;
        }
        thread = null;
        return true;
    }

    /** Whether the server is closed, and no copy is in progress. */
    private synchronized boolean isOver() {
        return closed && started.isEmpty();
    }

    /** Starts what waits, and tells what has ended; true if there was any. */
    private boolean round() {
        boolean any = false;
        for (BounceRequest next = next(); next != null; next = next()) {
            any = true;
            start(next);
        }
        for (int i = started.size() - 1; i >= 0; i--) {
            ServedCopy copy = started.get(i);
            if (copy.isDone()) {
                any = true;
                started.set(i, started.getLast());
                started.removeLast();
                copy.end();
                tell(copy.request(), copy.result(), copy.value());
            }
        }
        return any;
    }

    private synchronized @Nullable BounceRequest next() {
        return closed ? null : waiting.pollFirst();
    }

    private void start(BounceRequest request) {
        int result = BounceLayout.FAILED; // of a bug
        try {
            result = tryStart(request);
        } catch (UrmaException e) {
            result = BounceLayout.REVOKED; // the region admits no copy any more
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, () -> this + ": a " + request + " failed", e);
        } finally {
            if (result != 0) {
                tell(request, result, 0);
            }
        }
    }

    /** Returns 0 for a copy that was started. */
    private int tryStart(BounceRequest request) {
        ServedGrant grant = grants.apply(request.grant);
        if (grant == null || !grant.requests().tryBegin()) {
            return BounceLayout.REVOKED;
        }
        int result = BounceLayout.FAILED;
        try {
            result = tryStart(request, grant);
        } finally {
            if (result != 0) {
                grant.requests().end();
            }
        }
        return result;
    }

    private int tryStart(BounceRequest request, ServedGrant grant) {
        boolean allowed = request.isAtomic()
                ? grant.access().canAtomic()
                : request.opcode == BounceRequest.READ || grant.access().canWrite();
        long room = grant.served().lengthBytes() - request.offset;
        if (!allowed || request.lengthBytes > room) {
            return BounceLayout.REFUSED;
        }
        DmaEngine engine = grant.served().engine();
        EngineLink link = links.get(engine);
        if (link == null) {
            link = EngineLink.open(engine, buffer);
            links.put(engine, link);
        }
        MemorySegment fragment = BounceLayout.fragment(buffer, request.fragment, request.lengthBytes);
        started.add(ServedCopy.start(request, grant, link.stream(), fragment));
        return 0;
    }

    private void tell(BounceRequest request, int result, long value) {
        int fragment = request.fragment;
        int ticket = request.ticket;
        synchronized (this) {
            taken[fragment] = false; // first: the importer uses the fragment again as soon as it sees the result
        }
        BounceLayout.tell(buffer, fragment, ticket, result, value);
    }

    /** Whether a thread serves it. */
    synchronized boolean hasThread() {
        return thread != null;
    }

    /** Whether it is closed, and nothing of the buffer is mapped or pinned any more. */
    boolean hasEnded() {
        return mapping.isDead();
    }

    /** On the thread, with no copy in progress. */
    private void release() {
        links.values().forEach(EngineLink::close);
        links.clear();
        mapping.revoke();
    }

    /** The importer is gone, or this context ends: the thread unmaps the buffer once no copy is in progress. Idempotent. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            wake();
        }
    }

    @Override
    public String toString() {
        return "server of device memory for " + importer;
    }
}
