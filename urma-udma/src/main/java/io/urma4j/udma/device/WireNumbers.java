package io.urma4j.udma.device;

import io.urma4j.spi.support.IntTable;
import org.jspecify.annotations.Nullable;

/**
 * Numbers on the wire, 24 bits, and their owners. A released number is reused only after all others were used, so that no
 * packet in flight can name the new owner (S4.5).
 */
final class WireNumbers<T> {
    private final int first;
    private final int last;
    private final IntTable<T> owners = new IntTable<>();
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
        owners.put(number, value);
        return number;
    }

    private int any() {
        int number = next;
        while (get(number) != null) {
            number = following(number);
        }
        next = following(number);
        return number;
    }

    private int following(int number) {
        return number == last ? first : number + 1;
    }

    @Nullable
    T get(int number) {
        return owners.get(number);
    }

    void remove(int number) {
        owners.remove(number);
    }
}
