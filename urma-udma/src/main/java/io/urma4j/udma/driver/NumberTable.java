package io.urma4j.udma.driver;

import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Objects by the small numbers that events of the card name, for readers that take no lock and allocate nothing. */
final class NumberTable<T> {
    private static final int FIRST_CAPACITY = 16;

    private final BitSet taken = new BitSet(); // guarded by this
    private volatile AtomicReferenceArray<@Nullable T> objects = new AtomicReferenceArray<>(FIRST_CAPACITY);

    /** The object with that number; null when there is none. */
    @Nullable
    T get(int number) {
        AtomicReferenceArray<@Nullable T> now = objects;
        return number < now.length() ? now.get(number) : null;
    }

    /** Takes a free number, 1 and up. */
    synchronized int take() {
        int number = taken.nextClearBit(1);
        taken.set(number);
        return number;
    }

    synchronized void put(int number, T object) {
        taken.set(number);
        if (number >= objects.length()) {
            grow(number + 1);
        }
        objects.set(number, object);
    }

    private void grow(int least) {
        AtomicReferenceArray<@Nullable T> old = objects;
        AtomicReferenceArray<@Nullable T> grown = new AtomicReferenceArray<>(Math.max(2 * old.length(), least));
        for (int i = 0; i < old.length(); i++) {
            grown.setPlain(i, old.get(i));
        }
        objects = grown;
    }

    /** The number is free. */
    synchronized void remove(int number) {
        taken.clear(number);
        if (number < objects.length()) {
            objects.set(number, null);
        }
    }
}
