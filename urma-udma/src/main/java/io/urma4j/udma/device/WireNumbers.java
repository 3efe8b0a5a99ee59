package io.urma4j.udma.device;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Numbers on the wire, 24 bits, and their owners. A released number is reused only after all others were used, so that no
 * packet in flight can name the new owner (S4.5).
 */
final class WireNumbers<T> {
    private static final int MIN_CAPACITY = 16;

    private final int first;
    private final int last;
    private int[] keys = new int[MIN_CAPACITY];
    private @Nullable Object[] values = new Object[MIN_CAPACITY];
    private int size;
    private int next;

    /** Assigns numbers from {@code first} to {@code last}. */
    WireNumbers(int first, int last) {
        this.first = first;
        this.last = last;
        this.next = first;
    }

    /**
     * Assigns a number.
     *
     * @param wanted this number, or 0 for any
     * @return the number, or 0 if it is taken
     */
    int put(int wanted, T value) {
        int number = wanted == 0 ? any() : wanted;
        if (get(number) != null) {
            return 0;
        }
        if (2 * (size + 1) > keys.length) {
            rebuild(2 * keys.length);
        }
        insert(number, value);
        size++;
        return number;
    }

    private int any() {
        int number = next;
        while (get(number) != null) {
            number = number == last ? first : number + 1;
        }
        next = number == last ? first : number + 1;
        return number;
    }

    @SuppressWarnings("unchecked") // only put() fills values
    @Nullable
    T get(int number) {
        int mask = keys.length - 1;
        for (int i = slot(number, mask); values[i] != null; i = (i + 1) & mask) {
            if (keys[i] == number) {
                return (T) values[i];
            }
        }
        return null;
    }

    void remove(int number) {
        int mask = keys.length - 1;
        for (int i = slot(number, mask); values[i] != null; i = (i + 1) & mask) {
            if (keys[i] == number) {
                closeGap(i, mask);
                size--;
                return;
            }
        }
    }

    void clear() {
        Arrays.fill(values, null);
        size = 0;
    }

    /** Moves up entries behind a gap that is filled: a search ends at the first free place. */
    private void closeGap(int from, int mask) {
        int gap = from;
        for (int i = (gap + 1) & mask; values[i] != null; i = (i + 1) & mask) {
            int fromItsSlot = (i - slot(keys[i], mask)) & mask;
            int fromTheGap = (i - gap) & mask;
            if (fromItsSlot >= fromTheGap) {
                keys[gap] = keys[i];
                values[gap] = values[i];
                gap = i;
            }
        }
        values[gap] = null;
    }

    private void rebuild(int capacity) {
        int[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new int[capacity];
        values = new Object[capacity];
        for (int i = 0; i < oldKeys.length; i++) {
            Object value = oldValues[i];
            if (value != null) {
                insert(oldKeys[i], value);
            }
        }
    }

    private void insert(int number, Object value) {
        int mask = keys.length - 1;
        int i = slot(number, mask);
        while (values[i] != null) {
            i = (i + 1) & mask;
        }
        keys[i] = number;
        values[i] = value;
    }

    private static int slot(int number, int mask) {
        int mixed = number * 0x9E3779B9; // numbers come in sequence: spread them
        return (mixed ^ mixed >>> 16) & mask;
    }
}
