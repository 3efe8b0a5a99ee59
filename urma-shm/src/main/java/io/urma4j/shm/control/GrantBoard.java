package io.urma4j.shm.control;

import io.urma4j.AllocOptions;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.support.Placement;
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
    synchronized ProviderGrant grant(Grant to, WindowKey window) {
        MemorySegment table = table().segment();
        int slot = freeSlot();
        long generation = ++generations[slot];
        WindowTable.setGeneration(table, slot, generation);
        taken.set(slot);
        return new ShmGrant(
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

    synchronized void close() {
        closed = true;
        if (table != null) {
            table.close();
        }
    }

    /** A window that an importer may use. */
    private final class ShmGrant implements ProviderGrant {
        private final Grant importing;
        private final WindowKey key;
        private State state = State.GIVEN; // guarded by the board, as its slot is

        ShmGrant(Grant importing, WindowKey key) {
            this.importing = importing;
            this.key = key;
        }

        @Override
        public WindowKey key() {
            return key;
        }

        /** Operations that start from now on see that the key is invalid. */
        @Override
        public void takeBack() {
            synchronized (GrantBoard.this) {
                if (state != State.GIVEN) {
                    return;
                }
                state = State.TAKEN_BACK;
                if (table != null && !closed) {
                    WindowTable.setGeneration(table.segment(), key.slot(), ++generations[key.slot()]);
                }
                ending.add(this);
            }
        }

        @Override
        public boolean isQuiet() {
            synchronized (GrantBoard.this) {
                if (state == State.TAKEN_BACK && !isBusy()) {
                    state = State.QUIET;
                    ending.remove(this);
                    taken.clear(key.slot());
                }
                return state == State.QUIET;
            }
        }

        private boolean isBusy() {
            if (importing.hasEnded()) {
                return false; // the segment is not accessed by that import
            }
            MemorySegment operations = importing.importer().operations;
            if (operations == null) {
                // an importer that has not opened windows has started no operation, and will see the new generation
                return false;
            }
            try {
                return WindowTable.isBusy(operations, key.slot());
            } catch (IllegalStateException e) {
                Placement.forgetFence(e);
                return !importing.hasEnded(); // the memory goes when the peer is proven gone
            }
        }
    }

    private enum State {
        GIVEN,
        TAKEN_BACK,
        QUIET
    }
}
