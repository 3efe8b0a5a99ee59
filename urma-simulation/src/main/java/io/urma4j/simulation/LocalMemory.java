package io.urma4j.simulation;

import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.device.Card;
import java.lang.foreign.MemorySegment;

/** A process's own send and receive buffers: each range is allocated once, with a gap behind it. */
final class LocalMemory {
    static final int BYTES = 2 << 20;
    private static final int GAP = 16;

    final MemorySegment memory = MemorySegment.ofArray(new long[BYTES / Long.BYTES]);
    final int key;
    private long free = GAP;

    LocalMemory(Card card) {
        key = card.registerKey(KeyConfig.local(memory));
    }

    /** Allocates a range, aligned for atomics; −1 when there is no room. */
    long allocate(long lengthBytes) {
        long at = (free + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
        if (at + lengthBytes + GAP > BYTES) {
            return -1;
        }
        free = at + lengthBytes + GAP;
        return at;
    }

    /** Adds what can have changed to a digest. */
    void addTo(Digest digest) {
        digest.add(memory, free / Long.BYTES * Long.BYTES);
    }

    /** Checks that nothing was written right behind a range. */
    void checkBehind(long offset, long lengthBytes, Object what) {
        long wrong = Pattern.mismatch(memory, offset + lengthBytes, GAP / 2, Pattern.UNTOUCHED);
        if (wrong >= 0) {
            throw Violation.of("byte %d behind the buffer of %s was written", wrong, what);
        }
    }
}
