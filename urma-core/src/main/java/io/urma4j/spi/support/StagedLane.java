package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyBatch;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DmaEngine;
import io.urma4j.peer.PeerRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A stream of a copy engine, which moves device memory through fragments that its driver has pinned. */
final class StagedLane extends FragmentLane implements AutoCloseable {
    private static final int PAGE_BYTES = 4096;

    /** Ranges and bytes that start at once without fragments: a timeout then means a stuck device. */
    private static final int MAX_RANGES = 64;

    private static final long MAX_BATCH_BYTES = 64L << 20;

    /** In flight at once: the device has work while the next batch is filled. */
    private static final int BATCHES = 4;

    /** How long a fragment, or one batch, may take. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Arena arena;
    private final DmaEngine.Pinning pinning;
    private final CopyStream stream;
    private final Copy[] copies = new Copy[FRAGMENTS + BATCHES]; // of the fragments, then of the batches
    private final CopyBatch[] batches = new CopyBatch[BATCHES];
    private int filling; // the batch that takes ranges
    private @Nullable PeerRegion region; // of the transfer in progress
    private long base; // where it begins in the region

    private StagedLane(
            Arena arena, MemorySegment slab, DmaEngine.Pinning pinning, DmaEngine engine, CopyStream stream) {
        super(slab);
        this.arena = arena;
        this.pinning = pinning;
        this.stream = stream;
        for (int i = 0; i < FRAGMENTS; i++) {
            copies[i] = new Copy();
        }
        for (int i = 0; i < BATCHES; i++) {
            batches[i] = new CopyBatch(engine, MAX_RANGES);
            copies[FRAGMENTS + i] = batches[i].copy();
        }
    }

    /** A lane of that engine; a failure leaves nothing pinned. */
    static StagedLane open(DmaEngine engine) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment slab = arena.allocate(SLAB_BYTES, PAGE_BYTES);
            return open(engine, arena, slab);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private static StagedLane open(DmaEngine engine, Arena arena, MemorySegment slab) {
        DmaEngine.Pinning pinning = engine.pinHost(slab);
        try {
            return new StagedLane(arena, slab, pinning, engine, engine.openStream());
        } catch (RuntimeException | Error e) {
            pinning.close();
            throw e;
        }
    }

    /** From the device to the host. */
    void read(PeerRegion from, long offset, MemorySegment to, long toOffset, long lengthBytes) {
        begin(from, offset);
        read(to, toOffset, lengthBytes);
    }

    /** From the host to the device. */
    void write(PeerRegion to, long offset, MemorySegment from, long fromOffset, long lengthBytes) {
        begin(to, offset);
        write(from, fromOffset, lengthBytes);
    }

    // ---- without fragments

    /** Copies within the device, soon. Long copies are cut. */
    void start(PeerRegion from, long offset, PeerRegion to, long toOffset, long lengthBytes) {
        region = from;
        long done = 0;
        while (done < lengthBytes) {
            if (!hasRoom() || !batches[filling].isBetween(from, to)) {
                next().begin(from, to);
            }
            done += add(offset + done, toOffset + done, lengthBytes - done);
        }
    }

    /** Copies between the device and pinned memory, soon. */
    void start(PeerRegion of, long offset, MemorySegment host, long hostOffset, long lengthBytes, boolean isToRegion) {
        region = of;
        long done = 0;
        while (done < lengthBytes) {
            if (!hasRoom() || !batches[filling].isBetween(of, host, isToRegion)) {
                next().begin(of, host, isToRegion);
            }
            done += add(offset + done, hostOffset + done, lengthBytes - done);
        }
    }

    private boolean hasRoom() {
        CopyBatch batch = batches[filling];
        return batch.takes() && batch.totalBytes() < MAX_BATCH_BYTES;
    }

    private long add(long offset, long otherOffset, long lengthBytes) {
        CopyBatch batch = batches[filling];
        long piece = Math.min(lengthBytes, MAX_BATCH_BYTES - batch.totalBytes());
        batch.add(offset, otherOffset, piece);
        return piece;
    }

    /** Starts the batch that was filled, and returns one whose copies have ended. */
    private CopyBatch next() {
        startFilled();
        CopyBatch batch = batches[filling];
        finish(batch);
        return batch;
    }

    private void startFilled() {
        CopyBatch batch = batches[filling];
        if (batch.isReady()) {
            batch.start(stream);
            filling = (filling + 1) % BATCHES;
        }
    }

    /** Starts what was not started yet, and waits for the end of all. */
    void finishStarted() {
        startFilled();
        for (CopyBatch batch : batches) {
            finish(batch);
        }
    }

    /** Waits for a batch of this request; others keep the result of an earlier one. */
    private void finish(CopyBatch batch) {
        if (batch.isStarted()) {
            finish(batch.copy());
            batch.clear();
        }
    }

    // ---- with them

    private void begin(PeerRegion of, long offset) {
        region = of;
        base = offset;
    }

    private PeerRegion region() {
        PeerRegion current = region;
        assert current != null : "no transfer was begun";
        return current;
    }

    @Override
    protected void fill(int fragment, long at, int lengthBytes) {
        region().copyOut(stream, base + at, fragment(fragment, lengthBytes), copies[fragment]);
    }

    @Override
    protected void empty(int fragment, long at, int lengthBytes) {
        region().copyIn(stream, base + at, fragment(fragment, lengthBytes), copies[fragment]);
    }

    @Override
    protected void finish(int fragment) {
        finish(copies[fragment]);
    }

    private void finish(Copy copy) {
        if (!copy.await(TIMEOUT.toNanos())) {
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT,
                    region(),
                    "its device has not finished a copy within " + TIMEOUT.toSeconds() + " s");
        }
        RuntimeException failure = copy.failure();
        if (failure != null) {
            throw new UrmaException(UrmaStatus.FAIL, region(), "copy failed: " + failure.getMessage(), failure);
        }
    }

    @Override
    protected void quiet() {
        region = null;
        if (!isIdle()) {
            abortAll();
        }
        for (CopyBatch batch : batches) {
            batch.clear();
        }
    }

    private void abortAll() {
        for (Copy copy : copies) {
            if (!copy.isDone()) {
                stream.abort(copy);
            }
        }
        long deadlineNanos = System.nanoTime() + TIMEOUT.toNanos(); // for all: they end in the order of their start
        for (Copy copy : copies) {
            copy.await(deadlineNanos - System.nanoTime());
        }
    }

    /** Whether no copy is in progress: only one that its device cannot abort is, after a call. */
    boolean isIdle() {
        for (Copy copy : copies) {
            if (!copy.isDone()) {
                return false;
            }
        }
        return true;
    }

    /** Ends the stream and unpins the slab, unless a copy could still use it. */
    @Override
    public void close() {
        stream.close();
        if (isIdle()) {
            pinning.close();
            arena.close();
        }
    }
}
