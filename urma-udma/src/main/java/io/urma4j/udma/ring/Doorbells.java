package io.urma4j.udma.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Bells that threads ring which cannot have the card just now: a bit for each send queue, and over each 64 of them another
 * bit, up to one word that tells whether any rings. Any thread rings; the holder of the card's lock answers.
 *
 * <p>A queue publishes what it posted in its own ring before its bell rings, and a bell is silenced before the queue is
 * looked at: so a ring is never lost, and one too many does no harm. Bits are set from the bottom to the top, and cleared
 * from the top to the bottom, with a second look below after each clearing.
 */
public final class Doorbells {
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    /** Most send queues of a card: three levels of 64 bits. */
    public static final int MAX_QUEUES = Long.SIZE * Long.SIZE * Long.SIZE;

    private final long[] top = new long[1];
    private final long[] groups = new long[Long.SIZE];
    private final long[] bells = new long[Long.SIZE * Long.SIZE];

    /** Rings for the send queue with that handle. */
    public void ring(int queue) {
        VarHandle.fullFence(); // what was posted is there before a bit that is set already is believed
        set(bells, queue);
        set(groups, queue / Long.SIZE);
        set(top, queue / Long.SIZE / Long.SIZE);
    }

    private static void set(long[] words, int bit) {
        long mask = 1L << bit;
        if (((long) WORD.getVolatile(words, bit / Long.SIZE) & mask) == 0) {
            WORD.getAndBitwiseOr(words, bit / Long.SIZE, mask);
        }
    }

    /**
     * Whether the bell of that send queue is ringing: then who will answer it finds what was published before this call.
     */
    public boolean isRinging(int queue) {
        VarHandle.fullFence(); // what was posted is there before the bit is believed
        return ((long) WORD.getVolatile(bells, queue / Long.SIZE) & 1L << queue) != 0;
    }

    /** Whether any bell may be ringing. */
    public boolean areRinging() {
        return (long) WORD.getVolatile(top, 0) != 0;
    }

    /** Silences one bell; returns the handle of its send queue, or −1 when none rings. For one thread at a time. */
    public int answer() {
        long ringing;
        while ((ringing = (long) WORD.getVolatile(top, 0)) != 0) {
            int group = answerIn(groups, top, Long.numberOfTrailingZeros(ringing));
            if (group >= 0) {
                int queue = answerIn(bells, groups, group);
                if (queue >= 0) {
                    clear(bells, queue);
                    return queue;
                }
            }
        }
        return -1;
    }

    /** A bit that is set in {@code words[word]}; −1 when none is, and then the bit above is cleared. */
    private static int answerIn(long[] words, long[] above, int word) {
        if ((long) WORD.getVolatile(words, word) == 0) {
            clear(above, word);
            if ((long) WORD.getVolatile(words, word) == 0) {
                return -1;
            }
            set(above, word); // another thread rang meanwhile, and may have found the bit above still set
        }
        return word * Long.SIZE + Long.numberOfTrailingZeros((long) WORD.getVolatile(words, word));
    }

    private static void clear(long[] words, int bit) {
        WORD.getAndBitwiseAnd(words, bit / Long.SIZE, ~(1L << bit));
    }
}
