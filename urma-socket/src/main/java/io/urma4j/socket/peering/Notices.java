package io.urma4j.socket.peering;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;

/**
 * Words in the memory of one process, in which another one says over a network which rings have something new. Each is stored by the
 * WRITE_NOTIFY behind what is new. The words are used in turn; each holds its count in the upper half and the ring in the lower one. The
 * peer has fewer requests in flight than there are words, so it overwrites none that was not taken.
 */
final class Notices {
    private static final int COUNT = 4096;

    /** The memory of the words. */
    static final long LENGTH_BYTES = (long) COUNT * Long.BYTES;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment words;
    private int taken; // guarded by this

    Notices(MemorySegment words) {
        this.words = words;
    }

    /** Where the word of this count lies, counted from 1. */
    static long at(int count) {
        return (count & (COUNT - 1)) * (long) Long.BYTES;
    }

    /** That word. */
    static long word(int count, int ring) {
        return (long) count << Integer.SIZE | ring;
    }

    /** Takes those that have come, at most as many as there are words; {@code action} gets the rings, which may be any numbers. */
    synchronized void take(IntConsumer action) {
        for (int i = 0; i < COUNT; i++) {
            long word = (long) WORD.getAcquire(words, at(taken + 1));
            if ((int) (word >>> Integer.SIZE) != taken + 1) {
                return;
            }
            taken++;
            action.accept((int) word);
        }
    }

    @Override
    public synchronized String toString() {
        return taken + " notices taken";
    }
}
