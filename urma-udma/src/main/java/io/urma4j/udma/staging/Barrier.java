package io.urma4j.udma.staging;

import io.urma4j.udma.device.CopyWaiter;

/** Waits for copies of one or several engines. Under the card's lock. */
final class Barrier {
    /** In the place of a slot, in the number of a barrier. */
    static final int SLOT = (1 << StagedCopy.SLOT_BITS) - 1;

    private final long number;
    private final CopyWaiter waiter;
    private int copies;

    /** @param generation distinguishes it from all other barriers of the card */
    Barrier(long generation, CopyWaiter waiter) {
        this.number = generation << StagedCopy.SLOT_BITS | SLOT;
        this.waiter = waiter;
    }

    static boolean isNumber(long number) {
        return StagedCopy.slot(number) == SLOT;
    }

    long number() {
        return number;
    }

    /** It waits for one more copy. */
    void add() {
        copies++;
    }

    /** A copy has ended. Returns whether that was the last one; then the waiter has been told. */
    boolean isPassed() {
        copies--;
        if (copies == 0) {
            waiter.copyEnded();
        }
        return copies == 0;
    }
}
