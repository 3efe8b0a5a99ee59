package io.urma4j.udma.driver;

import io.urma4j.WindowKey;
import io.urma4j.udma.ring.KeyLife;

/**
 * A key of a card for a window, and the VA of the window's first byte there. Both together never come again. A {@link
 * WindowKey} holds the index as its slot, and the life of the index as its generation.
 */
record CardKey(int number, long vaBase) {
    private static final int MAX_SLOT = (1 << Integer.SIZE - KeyLife.GENERATION_BITS) - 1;

    /** In place of an impossible one: it opens nothing. */
    private static final CardKey NONE = new CardKey(0, 0);

    int slot() {
        return number >>> KeyLife.GENERATION_BITS;
    }

    long generation() {
        return KeyLife.of(number, vaBase);
    }

    boolean isPossible() {
        return number != 0;
    }

    /**
     * The card's key of a window.
     *
     * @param segmentVaBase the VA of the segment's first byte at its home
     */
    static CardKey of(WindowKey key, long segmentVaBase) {
        long life = key.generation();
        if (key.slot() <= 0 || key.slot() > MAX_SLOT || life < 0 || life >= KeyLife.COUNT) {
            return NONE;
        }
        long vaBase = KeyLife.isLater(life) ? KeyLife.vaBase(life) : segmentVaBase + key.offset();
        return new CardKey(key.slot() << KeyLife.GENERATION_BITS | KeyLife.generation(life), vaBase);
    }
}
