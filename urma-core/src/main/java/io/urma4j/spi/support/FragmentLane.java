package io.urma4j.spi.support;

import java.lang.foreign.MemorySegment;

/**
 * Fragments of a slab of host memory, through which a thread moves bytes to and from far memory that only another party reaches: a
 * copy engine, or the home of the memory. That party fills or empties some fragments while the thread copies another. For one
 * thread at a time.
 */
public abstract class FragmentLane {
    /** Fragments of a lane. */
    public static final int FRAGMENTS = 4;

    /** Size of a fragment. */
    public static final int MAX_FRAGMENT_BYTES = 1 << 18;

    /** Size of a lane's slab. */
    public static final long SLAB_BYTES = (long) FRAGMENTS * MAX_FRAGMENT_BYTES;

    private static final int MIN_FRAGMENT_BYTES = 1 << 15;

    /** Fragments of a short transfer: with more, each costs more than it hides. */
    private static final int PIECES = 8;

    private static final int PAGE_BYTES = 4096;

    private final MemorySegment slab;

    /** A lane whose fragments lie in {@code slab}, of {@link #SLAB_BYTES}. */
    protected FragmentLane(MemorySegment slab) {
        this.slab = slab;
    }

    /** Starts to copy far bytes, from their byte {@code at} on, to a fragment. */
    protected abstract void fill(int fragment, long at, int lengthBytes);

    /** Starts to copy a fragment to the far bytes from {@code at} on. */
    protected abstract void empty(int fragment, long at, int lengthBytes);

    /** Waits for the end of what was started last with a fragment; throws what it failed with. */
    protected abstract void finish(int fragment);

    /** Ends what a failure has left in progress: the fragments are used again, and far bytes must not change later. */
    protected abstract void quiet();

    /** From far memory: the other party fills fragments ahead of this thread. */
    protected final void read(MemorySegment to, long toOffset, long lengthBytes) {
        int pieceBytes = pieceBytes(lengthBytes);
        long started = 0;
        long done = 0;
        try {
            while (done < lengthBytes) {
                if (mayStart(started, done, lengthBytes, pieceBytes)) {
                    int piece = (int) Math.min(pieceBytes, lengthBytes - started);
                    fill(index(started, pieceBytes), started, piece);
                    started += piece;
                } else {
                    int index = index(done, pieceBytes);
                    int piece = (int) Math.min(pieceBytes, lengthBytes - done);
                    finish(index);
                    Placement.write(slab, fragmentAt(index), to, toOffset + done, piece);
                    done += piece;
                }
            }
        } finally {
            quiet();
        }
    }

    /** To far memory: the other party empties fragments behind this thread. */
    protected final void write(MemorySegment from, long fromOffset, long lengthBytes) {
        int pieceBytes = pieceBytes(lengthBytes);
        long started = 0;
        long done = 0;
        try {
            while (done < lengthBytes) {
                int index = index(started, pieceBytes);
                if (mayStart(started, done, lengthBytes, pieceBytes)) {
                    int piece = (int) Math.min(pieceBytes, lengthBytes - started);
                    Placement.read(from, fromOffset + started, slab, fragmentAt(index), piece);
                    empty(index, started, piece);
                    started += piece;
                } else {
                    finish(index(done, pieceBytes));
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

    /** The first bytes of a fragment. */
    protected final MemorySegment fragment(int index, int lengthBytes) {
        return slab.asSlice(fragmentAt(index), lengthBytes);
    }
}
