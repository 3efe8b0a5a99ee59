package io.urma4j.buffer;

import java.util.concurrent.atomic.AtomicReferenceArray;
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
    private static final int PADDING = 32; // references: two cache lines before and after
    private static final int LEAST_STRIPES = 8;
    private static final int MOST_STRIPES = 128;

    private final AtomicReferenceArray<@Nullable Chunk>[] stripes;
    private final int mask;

    /** Magazines for the chunks of that many classes. */
    Magazines(int classes) {
        int wanted = Math.clamp(2L * Runtime.getRuntime().availableProcessors(), LEAST_STRIPES, MOST_STRIPES);
        int count = Integer.highestOneBit(2 * wanted - 1);
        this.mask = count - 1;
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
        AtomicReferenceArray<@Nullable Chunk>[] made = new AtomicReferenceArray[count];
        for (int i = 0; i < count; i++) {
            made[i] = new AtomicReferenceArray<>(2 * PADDING + SLOTS * classes);
        }
        this.stripes = made;
    }

    private AtomicReferenceArray<@Nullable Chunk> ownStripe() {
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
        for (AtomicReferenceArray<@Nullable Chunk> stripe : stripes) {
            Chunk taken = takeFrom(stripe, sizeClass);
            if (taken != null) {
                return taken;
            }
        }
        return null;
    }

    private static @Nullable Chunk takeFrom(AtomicReferenceArray<@Nullable Chunk> stripe, int sizeClass) {
        int first = PADDING + SLOTS * sizeClass;
        for (int slot = first + SLOTS - 1; slot >= first; slot--) {
            Chunk chunk = stripe.get(slot);
            if (chunk != null && stripe.compareAndSet(slot, chunk, null)) {
                return chunk;
            }
        }
        return null;
    }

    /** Adds a chunk to the calling thread's stripe; false if there is no room. */
    boolean put(Chunk chunk) {
        AtomicReferenceArray<@Nullable Chunk> stripe = ownStripe();
        int first = PADDING + SLOTS * chunk.magazine();
        for (int slot = first; slot < first + SLOTS; slot++) {
            if (stripe.get(slot) == null && stripe.compareAndSet(slot, null, chunk)) {
                return true;
            }
        }
        return false;
    }

    /** How many chunks of a class there are; exact if no thread changes it meanwhile. */
    int count(int sizeClass) {
        int count = 0;
        int first = PADDING + SLOTS * sizeClass;
        for (AtomicReferenceArray<@Nullable Chunk> stripe : stripes) {
            for (int slot = first; slot < first + SLOTS; slot++) {
                if (stripe.get(slot) != null) {
                    count++;
                }
            }
        }
        return count;
    }
}
