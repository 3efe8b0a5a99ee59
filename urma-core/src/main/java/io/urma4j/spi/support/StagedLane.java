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

/**
 * A stream of a copy engine, and a slab of host memory that its driver has pinned, in fragments. The engine fills or empties some
 * fragments while this thread copies another. For one thread at a time.
 */
final class StagedLane implements AutoCloseable {
    private static final int FRAGMENTS = 4;
    private static final int MIN_FRAGMENT_BYTES = 1 << 15;
    private static final int MAX_FRAGMENT_BYTES = 1 << 18;

    /** Fragments of a short transfer: with more, each costs more than it hides. */
    private static final int PIECES = 8;

    private static final int PAGE_BYTES = 4096;

    /** How long a fragment may take. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Arena arena;
    private final MemorySegment slab;
    private final DmaEngine.Pinning pinning;
    private final CopyStream stream;
    private final Copy[] copies = new Copy[FRAGMENTS];

    private StagedLane(Arena arena, MemorySegment slab, DmaEngine.Pinning pinning, CopyStream stream) {
        this.arena = arena;
        this.slab = slab;
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
            MemorySegment slab = arena.allocate((long) FRAGMENTS * MAX_FRAGMENT_BYTES, PAGE_BYTES);
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

    /** From the device to the host: the engine fills fragments ahead of this thread. */
    void read(PeerRegion from, long offset, MemorySegment to, long toOffset, long lengthBytes) {
        int pieceBytes = pieceBytes(lengthBytes);
        long started = 0;
        long done = 0;
        try {
            while (done < lengthBytes) {
                if (mayStart(started, done, lengthBytes, pieceBytes)) {
                    int index = index(started, pieceBytes);
                    int piece = (int) Math.min(pieceBytes, lengthBytes - started);
                    from.copyOut(stream, offset + started, fragment(index, piece), copies[index]);
                    started += piece;
                } else {
                    int index = index(done, pieceBytes);
                    int piece = (int) Math.min(pieceBytes, lengthBytes - done);
                    finish(from, copies[index]);
                    Placement.write(slab, fragmentAt(index), to, toOffset + done, piece);
                    done += piece;
                }
            }
        } finally {
            quiet();
        }
    }

    /** From the host to the device: the engine empties fragments behind this thread. */
    void write(PeerRegion to, long offset, MemorySegment from, long fromOffset, long lengthBytes) {
        int pieceBytes = pieceBytes(lengthBytes);
        long started = 0;
        long done = 0;
        try {
            while (done < lengthBytes) {
                if (mayStart(started, done, lengthBytes, pieceBytes)) {
                    int index = index(started, pieceBytes);
                    int piece = (int) Math.min(pieceBytes, lengthBytes - started);
                    Placement.read(from, fromOffset + started, slab, fragmentAt(index), piece);
                    to.copyIn(stream, offset + started, fragment(index, piece), copies[index]);
                    started += piece;
                } else {
                    finish(to, copies[index(done, pieceBytes)]);
                    done += Math.min(pieceBytes, lengthBytes - done);
                }
            }
        } finally {
            quiet();
        }
    }

    /** Whether a fragment is free for the next piece. */
    private static boolean mayStart(long started, long done, long lengthBytes, int pieceBytes) {
        return started < lengthBytes && started - done < (long) FRAGMENTS * pieceBytes;
    }

    private static int index(long at, int pieceBytes) {
        return (int) (at / pieceBytes % FRAGMENTS);
    }

    private static int pieceBytes(long lengthBytes) {
        long piece = (lengthBytes / PIECES + PAGE_BYTES - 1) & -PAGE_BYTES;
        return Math.clamp(piece, MIN_FRAGMENT_BYTES, MAX_FRAGMENT_BYTES);
    }

    private static long fragmentAt(int index) {
        return (long) index * MAX_FRAGMENT_BYTES;
    }

    private MemorySegment fragment(int index, int lengthBytes) {
        return slab.asSlice(fragmentAt(index), lengthBytes);
    }

    private void finish(PeerRegion region, Copy copy) {
        if (!copy.await(TIMEOUT.toNanos())) {
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT,
                    region,
                    "its device has not finished a copy within " + TIMEOUT.toSeconds() + " s");
        }
        RuntimeException failure = copy.failure();
        if (failure != null) {
            throw new UrmaException(UrmaStatus.FAIL, region, "copy failed: " + failure.getMessage(), failure);
        }
    }

    /** Ends what a failure has left in progress: the fragments are used again, and the device's bytes must not change later. */
    private void quiet() {
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
