package io.urma4j.spi.support;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Objects by number, for readers that take no lock and allocate nothing: open addressing. Writers are synchronized. A slot
 * has one key for the life of its array: a removed object leaves a mark, and a full array is replaced by one without marks.
 * So a reader that is overtaken by writers finds the object of its key, or none.
 */
public final class IntTable<T> {
    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final Object REMOVED = new Object();
    private static final int LEAST_SLOTS = 8;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Slots(int[] keys, Object[] values) {
        static Slots of(int count) {
            return new Slots(new int[count], new Object[count]);
        }

        /** For writers: the slot of that key, or the free one where it belongs. */
        int find(int key) {
            int mask = keys.length - 1;
            int i = hash(key) & mask;
            for (Object value = value(i); value != null && keys[i] != key; value = value(i)) {
                i = (i + 1) & mask;
            }
            return i;
        }

        @Nullable
        Object value(int slot) {
            return VALUE.getAcquire(values, slot);
        }

        void set(int slot, int key, Object value) {
            keys[slot] = key;
            VALUE.setRelease(values, slot, value);
        }
    }

    private volatile Slots slots = Slots.of(LEAST_SLOTS);
    private int objects;
    private int usedSlots;

    /** The object with this number; null if there is none. */
    @SuppressWarnings("unchecked") // only put() fills values
    public @Nullable T get(int key) {
        Slots now = slots;
        int mask = now.keys.length - 1;
        int i = hash(key) & mask;
        // each slot is read once: a free one may have another key a moment later
        for (Object value = now.value(i); value != null; value = now.value(i)) {
            if (now.keys[i] == key) {
                return isObject(value) ? (T) value : null;
            }
            i = (i + 1) & mask;
        }
        return null;
    }

    /** Adds an object, or replaces the one that has this number. */
    public synchronized void put(int key, T value) {
        Slots now = slots;
        int slot = now.find(key);
        Object old = now.value(slot);
        if (old == null && 2 * (usedSlots + 1) > now.keys.length) {
            now = rebuilt(now);
            slot = now.find(key);
        }
        now.set(slot, key, value);
        usedSlots += old == null ? 1 : 0;
        objects += isObject(old) ? 0 : 1;
        slots = now;
    }

    /** Removes the object with this number, if there is one. */
    public synchronized void remove(int key) {
        Slots now = slots;
        int slot = now.find(key);
        if (isObject(now.value(slot))) {
            now.set(slot, key, REMOVED);
            objects--;
        }
    }

    /** A copy without marks, at most a quarter full. */
    private Slots rebuilt(Slots old) {
        int count = LEAST_SLOTS;
        while (count < 4 * (objects + 1)) {
            count <<= 1;
        }
        Slots rebuilt = Slots.of(count);
        for (int i = 0; i < old.keys.length; i++) {
            Object value = old.value(i);
            if (value != null && isObject(value)) {
                rebuilt.set(rebuilt.find(old.keys[i]), old.keys[i], value);
            }
        }
        usedSlots = objects;
        return rebuilt;
    }

    @SuppressWarnings("ReferenceEquality") // there is one mark
    private static boolean isObject(@Nullable Object value) {
        return value != null && value != REMOVED;
    }

    private static int hash(int key) {
        int mixed = key * 0x9E3779B9; // numbers come in sequence: spread them
        return mixed ^ mixed >>> 16;
    }
}
