package io.urma4j.udma.driver;

import org.jspecify.annotations.Nullable;

/**
 * Queues by the tags of their records, for readers that take no lock and allocate nothing: open addressing in an array that
 * is replaced as a whole. A closed queue is removed; its unpolled records are skipped.
 */
final class RecordOwners {
    private static final int MIN_CAPACITY = 16;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Slots(int[] tags, @Nullable RecordOwner[] owners, int size) {}

    private volatile Slots slots = new Slots(new int[MIN_CAPACITY], new RecordOwner[MIN_CAPACITY], 0);

    /** The owner of a tag; null if the queue is closed. */
    @Nullable
    RecordOwner get(int tag) {
        Slots now = slots;
        int mask = now.tags.length - 1;
        for (int i = tag & mask; now.owners[i] != null; i = (i + 1) & mask) { // tags come in sequence
            if (now.tags[i] == tag) {
                return now.owners[i];
            }
        }
        return null;
    }

    synchronized void add(int tag, RecordOwner owner) {
        rebuild(tag, owner);
    }

    synchronized void remove(int tag) {
        rebuild(tag, null);
    }

    private void rebuild(int changed, @Nullable RecordOwner owner) {
        Slots old = slots;
        int capacity = MIN_CAPACITY;
        while (capacity < 2 * (old.size + 2)) {
            capacity <<= 1;
        }
        int[] tags = new int[capacity];
        @Nullable RecordOwner[] owners = new RecordOwner[capacity];
        int size = 0;
        for (int i = 0; i < old.tags.length; i++) {
            RecordOwner kept = old.owners[i];
            if (kept != null && old.tags[i] != changed) {
                insert(tags, owners, old.tags[i], kept);
                size++;
            }
        }
        if (owner != null) {
            insert(tags, owners, changed, owner);
            size++;
        }
        slots = new Slots(tags, owners, size);
    }

    private static void insert(int[] tags, @Nullable RecordOwner[] owners, int tag, RecordOwner owner) {
        int mask = tags.length - 1;
        int i = tag & mask;
        while (owners[i] != null) {
            i = (i + 1) & mask;
        }
        tags[i] = tag;
        owners[i] = owner;
    }
}
