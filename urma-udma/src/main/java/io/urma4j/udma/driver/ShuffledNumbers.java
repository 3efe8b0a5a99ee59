package io.urma4j.udma.driver;

import java.util.function.IntPredicate;
import java.util.function.LongSupplier;

/**
 * Numbers of a range in an order that cannot be predicted without the keys. Each comes once before any comes again, so that
 * no packet in flight can name the next owner of a number (S4.5). Any thread.
 *
 * <p>A counter goes through a Feistel network of six rounds, which permutes the numbers of an even count of bits; values
 * beyond the range are skipped.
 */
final class ShuffledNumbers {
    private static final int ROUNDS = 6;

    private final int first;
    private final int count;
    private final int halfBits;
    private final long[] keys = new long[ROUNDS];
    private int counter; // guarded by this

    /**
     * Numbers from {@code first} to {@code last}.
     *
     * @param random generates the keys
     */
    ShuffledNumbers(int first, int last, LongSupplier random) {
        this.first = first;
        this.count = last - first + 1;
        this.halfBits = (Integer.SIZE - Integer.numberOfLeadingZeros(count - 1) + 1) / 2;
        for (int i = 0; i < ROUNDS; i++) {
            keys[i] = random.getAsLong();
        }
    }

    synchronized int next() {
        int offset;
        do {
            offset = permuted(counter);
            counter = (counter + 1) & ((1 << 2 * halfBits) - 1);
        } while (offset >= count);
        return first + offset;
    }

    /** The next free number: after a full cycle the owner of a number may still exist. One must be free. */
    int next(IntPredicate isTaken) {
        int number = next();
        while (isTaken.test(number)) {
            number = next();
        }
        return number;
    }

    private int permuted(int number) {
        int mask = (1 << halfBits) - 1;
        int left = number >>> halfBits;
        int right = number & mask;
        for (long key : keys) {
            int mixed = left ^ (int) mix(right ^ key) & mask;
            left = right;
            right = mixed;
        }
        return left << halfBits | right;
    }

    /** Each bit of the result depends on the whole value (the finalizer of SplitMix64). */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ mixed >>> 31;
    }
}
