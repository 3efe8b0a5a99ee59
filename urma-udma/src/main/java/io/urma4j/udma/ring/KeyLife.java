package io.urma4j.udma.ring;

/**
 * How a key of the card and its VA base hold the number of a life of the key's index. No other key has both, so a stale key
 * opens nothing.
 *
 * <pre>
 *   key       index | life mod 256                       bits 31 to 8, 7 to 0
 *   VA base   1 | life / 256 | 0                         bits 63, 62 to 40, 39 to 0, of a later life
 * </pre>
 *
 * <p>In the first {@value #FIRST} lives a key has the VA base of its user, whose bit 63 is 0. So has any key that a foreign
 * peer uses.
 */
public final class KeyLife {
    /** Of a key: what is left is the index. */
    public static final int GENERATION_BITS = 8;

    /** Lives that the key alone tells apart. */
    public static final int FIRST = 1 << GENERATION_BITS;

    /** Maximum length of memory that a key of a later life opens. */
    public static final long MAX_BYTES = 1L << 40;

    private static final int OFFSET_BITS = 40;
    private static final int LATER_BITS = 23;
    private static final long LATER = 1L << 63;

    /** Lives of an index. */
    public static final long COUNT = (long) FIRST << LATER_BITS;

    private KeyLife() {}

    /** The part of the life that the key has. */
    public static int generation(long life) {
        return (int) life & FIRST - 1;
    }

    /** Whether the VA base has a part of it. */
    public static boolean isLater(long life) {
        return life >= FIRST;
    }

    /** The VA base of a later life. */
    public static long vaBase(long life) {
        return LATER | life >>> GENERATION_BITS << OFFSET_BITS;
    }

    /**
     * A number that no other life of the key has, and no other key. Those of one index ascend with its lives.
     *
     * @param va of any byte that the key opens
     */
    public static long name(int key, long va) {
        return (long) (key >>> GENERATION_BITS) << Integer.SIZE | of(key, va);
    }

    /** The life in a name. */
    public static long ofName(long name) {
        return (int) name;
    }

    /** The name that the same index has in its first life. */
    public static long firstName(long name) {
        return name - ofName(name);
    }

    /** The life of a key and its VA base. */
    public static long of(int key, long vaBase) {
        long later = vaBase < 0 ? (vaBase & ~LATER) >>> OFFSET_BITS : 0;
        return later << GENERATION_BITS | generation(key);
    }
}
