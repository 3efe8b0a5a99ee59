package io.urma4j.buffer;

/** Which block serves a length: powers of two from 4 KiB to 64 MiB, or one size for all. */
final class SizeClasses {
    /** The place of a length above all classes: it gets a slab of its own. */
    static final int OWN_SLAB = -1;

    static final long PAGE_BYTES = 4096;

    private static final int PAGE_SHIFT = 12;
    private static final long LARGEST_BYTES = 64 << 20;

    private final long smallestBytes;
    private final int count;

    private SizeClasses(long smallestBytes, int count) {
        this.smallestBytes = smallestBytes;
        this.count = count;
    }

    /** Powers of two, none above {@code limitBytes}. */
    static SizeClasses powersOfTwo(long limitBytes) {
        long largest = Math.min(LARGEST_BYTES, Long.highestOneBit(limitBytes));
        return new SizeClasses(PAGE_BYTES, Long.numberOfTrailingZeros(largest) - PAGE_SHIFT + 1);
    }

    /** One class for all lengths. */
    static SizeClasses single(long blockBytes) {
        return new SizeClasses(blockBytes, 1);
    }

    static long roundUpToPage(long lengthBytes) {
        return (lengthBytes + PAGE_BYTES - 1) & -PAGE_BYTES;
    }

    int count() {
        return count;
    }

    /** The class for a length; {@link #OWN_SLAB} if it is above all of them. */
    int indexOf(long lengthBytes) {
        if (lengthBytes <= smallestBytes) {
            return 0;
        }
        int index = Long.SIZE - Long.numberOfLeadingZeros(lengthBytes - 1) - PAGE_SHIFT;
        return index < count ? index : OWN_SLAB;
    }

    /** Bytes of each block of a class. */
    long blockBytes(int index) {
        return smallestBytes << index;
    }

    /** Bytes of the block that serves a length. */
    long blockBytesFor(long lengthBytes) {
        int index = indexOf(lengthBytes);
        return index == OWN_SLAB ? roundUpToPage(lengthBytes) : blockBytes(index);
    }
}
