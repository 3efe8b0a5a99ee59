package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.Copy;
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

    private static final long MAX_COPY_BYTES = 64L << 20;

    /** How long a fragment, or one copy within the device, may take. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Arena arena;
    private final DmaEngine.Pinning pinning;
    private final CopyStream stream;
    private final Copy[] copies = new Copy[FRAGMENTS];
    private @Nullable PeerRegion region; // of the transfer in progress
    private long base; // where it begins in the region

    private StagedLane(Arena arena, MemorySegment slab, DmaEngine.Pinning pinning, CopyStream stream) {
        super(slab);
        this.arena = arena;
        this.pinning = pinning;
        this.stream = stream;
        for (int i = 0; i < FRAGMENTS; i++) {
            copies[i] = new Copy();
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
            return new StagedLane(arena, slab, pinning, engine.openStream());
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

    /** Within the device: no fragment is used. Long copies are cut, so that a timeout means a stuck device. */
    void copy(PeerRegion from, long offset, PeerRegion to, long toOffset, long lengthBytes) {
        begin(from, offset);
        try {
            for (long done = 0; done < lengthBytes; done += MAX_COPY_BYTES) {
                long piece = Math.min(MAX_COPY_BYTES, lengthBytes - done);
                from.copyTo(stream, offset + done, to, toOffset + done, piece, copies[0]);
                finish(0);
            }
        } finally {
            quiet();
        }
    }

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
        Copy copy = copies[fragment];
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
        if (isIdle()) {
            return;
        }
        for (Copy copy : copies) {
            if (!copy.isDone()) {
                stream.abort(copy);
            }
        }
        for (Copy copy : copies) {
            copy.await(TIMEOUT.toNanos());
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
