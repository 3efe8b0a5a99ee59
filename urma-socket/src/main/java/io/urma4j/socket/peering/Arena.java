package io.urma4j.socket.peering;

import io.urma4j.LocalSegment;
import io.urma4j.UrmaContext;
import io.urma4j.socket.ring.ReadyPlace;
import io.urma4j.socket.ring.ReadyWords;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/** Memory of this process that one other process has imported: the rings that this one reads, and its offers. */
final class Arena implements AutoCloseable {
    private final OwnMemory memory;
    private final MemorySegment bytes;
    private final ArenaLayout layout;
    private final Slots slots;
    private final OfferTable offers;
    private final ReadyWords readyWords;

    /**
     * With rings of this size, and a quarter of the budget at most. Only pages that are used take memory.
     *
     * @param parts of each ring: {@link ArenaLayout#ALONE} or {@link ArenaLayout#WITH_COPIES}
     */
    Arena(UrmaContext context, int ringBytes, Budget budget, int parts) {
        this.layout = ArenaLayout.within(budget.limitBytes() / 4, ringBytes, parts);
        this.memory = OwnMemory.open(context, layout.lengthBytes(), layout.access());
        this.bytes = memory.bytes();
        this.slots = new Slots(layout.rings(), layout.slotBytes(), budget);
        this.offers = ArenaLayout.offers(bytes);
        this.readyWords = ArenaLayout.readyWords(bytes);
        layout.writeTo(bytes);
    }

    /** What the peer imports. */
    String line() {
        return memory.segment().share();
    }

    OfferTable offers() {
        return offers;
    }

    /** Where the end that reads this ring is marked as ready. */
    ReadyPlace readyPlace(int slot) {
        return new ReadyPlace(readyWords, slot);
    }

    /** The number of a ring, or {@link Slots#NONE}. */
    int take() {
        return slots.take();
    }

    /** The memory of a ring. */
    MemorySegment ring(int slot) {
        return layout.ring(bytes, slot);
    }

    /** The memory of the copy beside it. */
    MemorySegment copy(int slot) {
        return layout.copy(bytes, slot);
    }

    ArenaLayout layout() {
        return layout;
    }

    LocalSegment segment() {
        return memory.segment();
    }

    Notices notices() {
        return ArenaLayout.notices(bytes);
    }

    /** This process does not use the ring any more; the other one may, as long as {@code isInUse} says so. */
    void retire(int slot, BooleanSupplier isInUse) {
        slots.retire(slot, isInUse);
    }

    /** No writer ever had the ring. */
    void free(int slot) {
        slots.free(slot);
    }

    /** The peer's process has ended, so it writes to no ring. Returns whether none is in use any more. */
    boolean isUnusedAfterPeer() {
        slots.endWriters();
        return slots.isUnused();
    }

    @Override
    public void close() {
        memory.close();
    }

    @Override
    public String toString() {
        return slots.toString();
    }
}
