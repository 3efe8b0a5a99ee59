package io.urma4j.socket.peering;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/**
 * The rings of an arena by number. A ring whose writer still lives is not used again, since its late bytes would reach another
 * connection. Safe for any thread.
 */
final class Slots {
    /** What the caller of {@link #take} gets if none is free. */
    static final int NONE = -1;

    private record Retired(int slot, BooleanSupplier isInUse) {}

    private final int count;
    private final long slotBytes;
    private final Budget budget;
    private final BitSet used = new BitSet();
    private final Queue<Retired> retired = new ArrayDeque<>();

    Slots(int count, long slotBytes, Budget budget) {
        this.count = count;
        this.slotBytes = slotBytes;
        this.budget = budget;
    }

    /** The lowest free number, whose memory was probably used before; or {@link #NONE}. */
    synchronized int take() {
        freeRetired();
        int slot = used.nextClearBit(0);
        if (slot >= count || !budget.take(slotBytes)) {
            return NONE;
        }
        used.set(slot);
        return slot;
    }

    /** The reader does not use the ring any more; its writer may, as long as {@code isInUse} says so. */
    synchronized void retire(int slot, BooleanSupplier isInUse) {
        retired.add(new Retired(slot, isInUse));
        freeRetired();
    }

    /** No writer ever had the ring. */
    synchronized void free(int slot) {
        if (used.get(slot)) {
            used.clear(slot);
            budget.giveBack(slotBytes);
        }
    }

    private void freeRetired() {
        for (int left = retired.size(); left > 0; left--) {
            Retired next = retired.remove();
            if (next.isInUse().getAsBoolean()) {
                retired.add(next);
            } else {
                free(next.slot());
            }
        }
    }

    /** No writer can store to any ring any more, since the peer's process has ended. */
    synchronized void endWriters() {
        retired.forEach(next -> free(next.slot()));
        retired.clear();
    }

    synchronized boolean isUnused() {
        return used.isEmpty();
    }

    @Override
    public synchronized String toString() {
        return used.cardinality() + " of " + count + " rings, " + retired.size() + " wait for their writers";
    }
}
