package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.BitSet;

/**
 * Numbers of transport paths in completion records: 16 bits, where 0 means no path. Live paths have distinct numbers, and a
 * released number is reused as late as possible. For one thread.
 */
public final class PathNumbers {
    private static final int MAX_NUMBER = 0xFFFF;

    private final BitSet taken = new BitSet();
    private int last;

    /** @throws UrmaException ENOMEM if all are taken */
    public int take() {
        int number = taken.nextClearBit(last + 1);
        if (number > MAX_NUMBER) {
            number = taken.nextClearBit(1);
        }
        if (number > MAX_NUMBER) {
            throw new UrmaException(UrmaStatus.ENOMEM, "path", "all numbers up to " + MAX_NUMBER + " are taken");
        }
        taken.set(number);
        last = number;
        return number;
    }

    public void give(int number) {
        taken.clear(number);
    }
}
