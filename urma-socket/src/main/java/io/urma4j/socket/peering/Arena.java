package io.urma4j.socket.peering;

import io.urma4j.Access;
import io.urma4j.UrmaContext;
import io.urma4j.socket.ring.ReadyPlace;
import io.urma4j.socket.ring.ReadyWords;
import io.urma4j.socket.ring.RingReader;
import java.lang.foreign.MemorySegment;

/** Memory of this process that one other process has imported: the rings that this one reads, and its offers. */
final class Arena implements AutoCloseable {
    private final OwnMemory memory;
    private final MemorySegment bytes;
    private final ArenaLayout layout;
    private final Slots slots;
    private final OfferTable offers;
    private final ReadyWords readyWords;

    /** With rings of this size, and a quarter of the budget at most. Only pages that are used take memory. */
    Arena(UrmaContext context, int ringBytes, Budget budget) {
        this.layout = ArenaLayout.within(budget.limitBytes() / 4, ringBytes);
        this.memory = OwnMemory.open(context, layout.lengthBytes(), Access.READ_WRITE);
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

    /** A new ring, which a writer may use from now on. */
    RingReader open(int slot) {
        return new RingReader(layout.ring(bytes, slot));
    }

    void retire(int slot, RingReader ring) {
        slots.retire(slot, ring);
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
