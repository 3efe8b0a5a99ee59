package io.urma4j.buffer;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Idle chunks that threads exchange without a lock. The number of a thread chooses its stripe, so virtual threads leave nothing
 * behind; threads that share a stripe are merely slower. Safe for any number of threads.
 *
 * <p>Memory order: a chunk changes hands by a compare-and-swap, so what the thread did that put it is visible to the one that
 * takes it.
 */
final class Magazines {
    private static final int SLOTS = 4; // of each class, in each stripe
    private static final int PADDING = 32; // numbers: two cache lines before and after
    private static final int LEAST_STRIPES = 32; // two threads rarely share one, also on few CPUs
    private static final int MOST_STRIPES = 128;

    private final AtomicIntegerArray[] stripes; // numbers of chunks
    private final ChunkNumbers numbers = new ChunkNumbers();
    private final int mask;

    /** Magazines for the chunks of that many classes. */
    Magazines(int classes) {
        int wanted = Math.clamp(2L * Runtime.getRuntime().availableProcessors(), LEAST_STRIPES, MOST_STRIPES);
        int count = Integer.highestOneBit(2 * wanted - 1);
        this.mask = count - 1;
        this.stripes = new AtomicIntegerArray[count];
        for (int i = 0; i < count; i++) {
            stripes[i] = new AtomicIntegerArray(2 * PADDING + SLOTS * classes);
        }
    }

    /** Lets a chunk be put here. Under the allocator's lock. */
    void admit(Chunk chunk) {
        chunk.number(numbers.add(chunk));
    }

    /** The chunk, which is not here, is about to go. Under the allocator's lock. */
    void dismiss(Chunk chunk) {
        numbers.remove(chunk.number());
    }

    private AtomicIntegerArray ownStripe() {
        return stripes[(int) Thread.currentThread().threadId() & mask];
    }

    /** Removes a chunk of the calling thread's stripe, the one that was put last; null if there is none. */
    @Nullable
    Chunk take(int sizeClass) {
        return takeFrom(ownStripe(), sizeClass);
    }

    /** Removes a chunk of any stripe. */
    @Nullable
    Chunk steal(int sizeClass) {
        for (AtomicIntegerArray stripe : stripes) {
            Chunk taken = takeFrom(stripe, sizeClass);
            if (taken != null) {
                return taken;
            }
        }
        return null;
    }

    private @Nullable Chunk takeFrom(AtomicIntegerArray stripe, int sizeClass) {
        int first = PADDING + SLOTS * sizeClass;
        for (int slot = first + SLOTS - 1; slot >= first; slot--) {
            int number = stripe.get(slot);
            if (number != ChunkNumbers.NONE && stripe.compareAndSet(slot, number, ChunkNumbers.NONE)) {
                return numbers.get(number);
            }
        }
        return null;
    }

    /** Adds a chunk to the calling thread's stripe; false if there is no room. */
    boolean put(Chunk chunk) {
        AtomicIntegerArray stripe = ownStripe();
        int first = PADDING + SLOTS * chunk.magazine();
        for (int slot = first; slot < first + SLOTS; slot++) {
            if (stripe.get(slot) == ChunkNumbers.NONE
                    && stripe.compareAndSet(slot, ChunkNumbers.NONE, chunk.number())) {
                return true;
            }
        }
        return false;
    }

    /** How many chunks of a class there are; exact if no thread changes it meanwhile. */
    int count(int sizeClass) {
        int count = 0;
        int first = PADDING + SLOTS * sizeClass;
        for (AtomicIntegerArray stripe : stripes) {
            for (int slot = first; slot < first + SLOTS; slot++) {
                if (stripe.get(slot) != ChunkNumbers.NONE) {
                    count++;
                }
            }
        }
        return count;
    }
}
