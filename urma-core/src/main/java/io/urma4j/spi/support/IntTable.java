package io.urma4j.spi.support;

import org.jspecify.annotations.Nullable;

/**
 * Objects by number, for readers that take no lock and allocate nothing: open addressing in an array that is replaced as
 * a whole. Writers are synchronized; a change copies the table, which is fine for things that are made and closed.
 */
public final class IntTable<T> {
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Slots(int[] keys, Object[] values, int size) {}

    private volatile Slots slots = new Slots(new int[8], new Object[8], 0);

    /** The object with this number; null if there is none. */
    @SuppressWarnings("unchecked") // only put() fills values
    public @Nullable T get(int key) {
        Slots now = slots;
        int mask = now.keys.length - 1;
        for (int i = hash(key) & mask; now.values[i] != null; i = (i + 1) & mask) {
            if (now.keys[i] == key) {
                return (T) now.values[i];
            }
        }
        return null;
    }

    public synchronized void put(int key, T value) {
        rebuild(key, value);
    }

    public synchronized void remove(int key) {
        rebuild(key, null);
    }

    private void rebuild(int changed, @Nullable T value) {
        Slots old = slots;
        int capacity = 8;
        while (capacity < 2 * (old.size + 2)) {
            capacity <<= 1;
        }
        int[] keys = new int[capacity];
        Object[] values = new Object[capacity];
        int size = 0;
        for (int i = 0; i < old.keys.length; i++) {
            if (old.values[i] != null && old.keys[i] != changed) {
                insert(keys, values, old.keys[i], old.values[i]);
                size++;
            }
        }
        if (value != null) {
            insert(keys, values, changed, value);
            size++;
        }
        slots = new Slots(keys, values, size);
    }

    private static void insert(int[] keys, Object[] values, int key, Object value) {
        int mask = keys.length - 1;
        int i = hash(key) & mask;
        while (values[i] != null) {
            i = (i + 1) & mask;
        }
        keys[i] = key;
        values[i] = value;
    }

    private static int hash(int key) {
        int mixed = key * 0x9E3779B9; // numbers come in sequence: spread them
        return mixed ^ mixed >>> 16;
    }
}
