package io.urma4j.udma.staging;

import io.urma4j.peer.Copy;
import io.urma4j.spi.support.Placement;
import io.urma4j.udma.device.CopyWaiter;
import io.urma4j.udma.transport.CopyState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A fragment, and the copy that uses it. Used again and again; each use has a generation, which is in its number. */
final class StagedCopy {
    static final int SLOT_BITS = 16;

    /** What moves. */
    enum Kind {
        IN,
        OUT,
        /** The first half of an atomic: the old value comes out. */
        ATOMIC_OUT,
        /** The second half: the new value goes in. */
        ATOMIC_IN
    }

    final MemorySegment fragment;
    final Copy copy = new Copy();
    final boolean isLong;
    private final int slot;
    private long generation;

    @Nullable
    Region region; // null: the fragment is free

    Kind kind = Kind.IN;
    long offset;
    int lengthBytes;
    CopyWaiter waiter = CopyWaiter.NONE;
    long startedNanos;

    /** Both halves of an atomic have ended, or its only copy, as far as the card has been told. */
    boolean hasEnded;

    boolean isReleased;

    /** The memory has refused the second half of an atomic. */
    boolean isRefused;

    @Nullable
    StagedCopy next; // that was joined

    /** That wait until it has ended, and all before it. */
    final List<Barrier> barriers = new ArrayList<>();

    // of an atomic
    private int opcode;
    private long operand;
    private long expected;
    private long original;

    /** @param slot distinguishes it from all other fragments of the device */
    StagedCopy(int slot, MemorySegment fragment, boolean isLong) {
        this.slot = slot;
        this.fragment = fragment;
        this.isLong = isLong;
    }

    static int slot(long number) {
        return (int) number & (1 << SLOT_BITS) - 1;
    }

    long number() {
        return generation << SLOT_BITS | slot;
    }

    /** Begins another use. */
    void begin(Region of, Kind what, long at, int bytes, CopyWaiter waiting) {
        generation++;
        region = of;
        kind = what;
        offset = at;
        lengthBytes = bytes;
        waiter = waiting;
        hasEnded = false;
        isReleased = false;
        isRefused = false;
        next = null;
    }

    boolean isAtomic() {
        return kind == Kind.ATOMIC_OUT || kind == Kind.ATOMIC_IN;
    }

    /** Whether it is an atomic whose new value has not begun to go in. */
    boolean hasSecondHalf() {
        return kind == Kind.ATOMIC_OUT;
    }

    /** Whether it started longer ago. Any thread. */
    boolean isLate(long limitNanos) {
        return System.nanoTime() - startedNanos > limitNanos;
    }

    /** What an atomic does with the bytes. */
    void beginAtomic(int what, long by, long comparedTo) {
        opcode = what;
        operand = by;
        expected = comparedTo;
    }

    /** Replaces the old value in the fragment by the new one, which goes in next, and remembers the old one. */
    void beginSecondHalf() {
        kind = Kind.ATOMIC_IN;
        original = Placement.atomic(opcode, fragment, 0, lengthBytes, operand, expected);
    }

    /** The value before the atomic. */
    long original() {
        return original;
    }

    /** Has a barrier wait for its end. */
    void await(Barrier barrier) {
        barrier.add();
        barriers.add(barrier);
    }

    /** Whether it changes memory of the device. */
    boolean isIn() {
        return kind != Kind.OUT;
    }

    /** Whether it does, and was released. */
    boolean isForgottenIn() {
        return isReleased && isIn();
    }

    MemorySegment bytes() {
        return lengthBytes == fragment.byteSize() ? fragment : fragment.asSlice(0, lengthBytes);
    }

    /** How it stands, with those that were joined. */
    CopyState state() {
        CopyState state = ownState();
        for (StagedCopy other = next; other != null && state != CopyState.RUNNING; other = other.next) {
            CopyState its = other.ownState();
            state = state == CopyState.DONE || its == CopyState.RUNNING ? its : state;
        }
        return state;
    }

    private CopyState ownState() {
        boolean isRunning = isAtomic() ? !hasEnded : !copy.isDone();
        if (isRunning) {
            return CopyState.RUNNING;
        }
        if (!isRefused && copy.failure() == null) {
            return CopyState.DONE;
        }
        Region of = region;
        return isRefused || of == null || !of.memory.isUsable() ? CopyState.REFUSED : CopyState.LOST;
    }

    @Override
    public String toString() {
        return kind + " of " + lengthBytes + " bytes at " + offset + " of " + region + ": " + copy;
    }
}
