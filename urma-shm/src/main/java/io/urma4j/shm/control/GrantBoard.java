package io.urma4j.shm.control;

import static java.util.Objects.requireNonNull;

import io.urma4j.AllocOptions;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.control.PeerWindows;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The windows that this home has granted, and the tables of their generations. A table is created when no other has a free
 * slot, or when a peer requests it. Safe for any thread; no call waits.
 */
final class GrantBoard {
    private final String label;
    private final BitSet taken = new BitSet();
    private final Set<ShmGrant> ending = new HashSet<>(); // taken back, and not known to be quiet
    private final @Nullable ShmMemory[] tables = new ShmMemory[WindowTable.TABLES];
    private final long[][] generations = new long[WindowTable.TABLES][]; // of each table that exists
    private int slots; // of all tables that exist
    private int next;
    private boolean closed;

    GrantBoard(String label) {
        this.label = label;
    }

    /** The memory of a table, which importers read; the first one may be requested before any window is granted. */
    synchronized ShmMemory table(int number) {
        checkOpen();
        if (number == 0 && slots == 0) {
            addTable();
        }
        if (number < 0 || number >= slots / WindowTable.SLOTS) {
            throw new UrmaException(UrmaStatus.EINVAL, label, "has no table " + number);
        }
        return existing(number);
    }

    private ShmMemory existing(int number) {
        return requireNonNull(tables[number]);
    }

    private void addTable() {
        int number = slots / WindowTable.SLOTS;
        tables[number] = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, label);
        generations[number] = new long[WindowTable.SLOTS];
        slots += WindowTable.SLOTS;
    }

    private void checkOpen() {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, label, "is closed");
        }
    }

    /** Gives a slot a new generation. */
    synchronized ShmGrant grant(WindowUser to, WindowKey window) {
        checkOpen();
        int slot = freeSlot(to.slots());
        long generation = nextGeneration(slot);
        taken.set(slot);
        return new ShmGrant(
                to,
                new WindowKey(to.number(), slot, generation, window.offset(), window.lengthBytes(), window.access()));
    }

    /** Makes all keys of the slot invalid but one of that generation. */
    private long nextGeneration(int slot) {
        int number = WindowTable.of(slot);
        long generation = ++generations[number][slot % WindowTable.SLOTS];
        WindowTable.setGeneration(existing(number).segment(), slot, generation);
        return generation;
    }

    /** @param limit behind the last slot that the importer knows */
    private int freeSlot(int limit) {
        int slot = free(limit);
        if (slot < 0) {
            Set.copyOf(ending).forEach(ShmGrant::isQuiet); // those that have become so give back their slots
            slot = free(limit);
        }
        if (slot < 0 && slots < limit) {
            slot = slots;
            addTable();
        }
        if (slot < 0) {
            throw new UrmaException(UrmaStatus.ENOMEM, label, "limit of " + limit + " concurrent windows reached");
        }
        next = slot + 1;
        return slot;
    }

    private int free(int limit) {
        int end = Math.min(limit, slots);
        int slot = taken.nextClearBit(next);
        slot = slot < end ? slot : taken.nextClearBit(0);
        return slot < end ? slot : -1;
    }

    synchronized void close() {
        closed = true;
        for (ShmMemory table : tables) {
            if (table != null) {
                table.close();
            }
        }
    }

    /** A window that an importer may use. */
    final class ShmGrant extends PeerWindows.Window implements ProviderGrant {
        private final WindowUser user;
        private final WindowKey key;
        private volatile State state = State.GIVEN; // written under the board's lock, as its slot is

        private ShmGrant(WindowUser user, WindowKey key) {
            this.user = user;
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
                if (!closed) {
                    nextGeneration(key.slot());
                }
                if (isBusy()) {
                    state = State.TAKEN_BACK;
                    ending.add(this);
                } else {
                    becomeQuiet();
                }
            }
        }

        private void becomeQuiet() {
            state = State.QUIET;
            taken.clear(key.slot());
        }

        @Override
        public void revoke() {
            takeBack();
        }

        @Override
        public boolean isQuiet() {
            if (state == State.QUIET) {
                return true;
            }
            synchronized (GrantBoard.this) {
                if (state == State.TAKEN_BACK && !isBusy()) {
                    ending.remove(this);
                    becomeQuiet();
                }
                return state == State.QUIET;
            }
        }

        private boolean isBusy() {
            if (user.hasEnded()) {
                return false; // the segment is not accessed by that user
            }
            MemorySegment operations = user.operations(WindowTable.of(key.slot()));
            if (operations == null) {
                // an importer that has not opened windows has started no operation, and will see the new generation
                return false;
            }
            try {
                return WindowTable.isBusy(operations, key.slot());
            } catch (IllegalStateException e) {
                Placement.forgetFence(e);
                return !user.hasEnded(); // the memory goes when the peer is proven gone
            }
        }
    }

    private enum State {
        GIVEN,
        TAKEN_BACK,
        QUIET
    }
}
