package io.urma4j.shm.control;

import io.urma4j.AllocOptions;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.shm.memory.ShmMemory;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The windows that this home has granted, and the table of their generations. It is created with the first grant, or when
 * the first peer requests it. Safe for any thread; no call waits.
 */
final class GrantBoard {
    private final String label;
    private final BitSet taken = new BitSet();
    private final Set<ShmGrant> ending = new HashSet<>(); // taken back, and not known to be quiet
    private final long[] generations = new long[WindowTable.SLOTS];
    private int next;
    private @Nullable ShmMemory table;
    private boolean closed;

    GrantBoard(String label) {
        this.label = label;
    }

    /** The memory that importers read. */
    synchronized ShmMemory table() {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, label, "is closed");
        }
        if (table == null) {
            table = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, label);
        }
        return table;
    }

    /** Gives a slot a new generation. */
    synchronized ShmGrant grant(Grant to, WindowKey window) {
        MemorySegment table = table().segment();
        int slot = freeSlot();
        long generation = ++generations[slot];
        WindowTable.setGeneration(table, slot, generation);
        taken.set(slot);
        return new ShmGrant(
                this,
                to,
                new WindowKey(to.number(), slot, generation, window.offset(), window.lengthBytes(), window.access()));
    }

    private int freeSlot() {
        int slot = free();
        if (slot == WindowTable.SLOTS) {
            Set.copyOf(ending).forEach(ShmGrant::isQuiet); // those that have become so give back their slots
            slot = free();
        }
        if (slot == WindowTable.SLOTS) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM, label, "limit of " + WindowTable.SLOTS + " concurrent windows reached");
        }
        next = slot + 1;
        return slot;
    }

    private int free() {
        int slot = taken.nextClearBit(next);
        return slot < WindowTable.SLOTS ? slot : taken.nextClearBit(0);
    }

    /** Operations that start from now on see that the key is invalid. */
    synchronized void takeBack(ShmGrant grant) {
        if (table != null && !closed) {
            int slot = grant.key().slot();
            WindowTable.setGeneration(table.segment(), slot, ++generations[slot]);
        }
        ending.add(grant);
    }

    /** No importer uses the window any more. */
    synchronized void quiet(ShmGrant grant) {
        ending.remove(grant);
        taken.clear(grant.key().slot());
    }

    synchronized void close() {
        closed = true;
        if (table != null) {
            table.close();
        }
    }
}
