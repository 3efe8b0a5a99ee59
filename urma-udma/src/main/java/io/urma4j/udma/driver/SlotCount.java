package io.urma4j.udma.driver;

import io.urma4j.spi.support.Claim;

/**
 * How many slots of a send queue are free again (S9.3): all up to the youngest record that was polled. While records of the
 * queue also go to other JFCs, a slot waits for its own record, so that nobody's user context is overwritten.
 */
final class SlotCount {
    private final int mask;
    private final Claim claim = new Claim();
    private boolean[] polled = {}; // by position, once records go elsewhere
    private boolean[] silent = {};
    private volatile long freed;
    private volatile boolean isElsewhere;

    SlotCount(int depth) {
        this.mask = depth - 1;
    }

    /** Behind the youngest of the slots that are free with all before them. */
    long freed() {
        return freed;
    }

    /** From now on records may go to other JFCs. */
    void useElsewhere() {
        claim.acquire();
        if (!isElsewhere) {
            polled = new boolean[mask + 1];
            silent = new boolean[mask + 1];
            isElsewhere = true;
        }
        claim.release();
    }

    /** A work request is posted; {@code isSilent} when a success of it makes no record. */
    void posted(long position, boolean isSilent) {
        if (isElsewhere) {
            polled[(int) position & mask] = false;
            silent[(int) position & mask] = isSilent;
        }
    }

    /** The record of a position is polled. */
    void recordTaken(long position) {
        if (!isElsewhere) {
            freeTo(position + 1);
            return;
        }
        claim.acquire();
        if (position >= freed) {
            polled[(int) position & mask] = true;
            long end = freed;
            while (polled[(int) end & mask] || (silent[(int) end & mask] && end < position)) {
                polled[(int) end++ & mask] = false;
            }
            freeTo(end);
        }
        claim.release();
    }

    /** All before {@code end} are free. */
    void freeTo(long end) {
        if (end > freed) {
            freed = end;
        }
    }
}
