package io.urma4j.udma.wire;

/**
 * The path MTUs: the maximum payload of a packet. RoCE has five, 256 to 4096 bytes. urma4j peers may agree on a longer one
 * (docs/wire-extensions.md), up to the largest multiple of 4096 that a UDP datagram holds with all headers.
 */
public final class PathMtu {
    public static final int SMALLEST = 256;

    /** The largest of RoCE: no foreign peer, no datagram and no bundle has more payload. */
    public static final int LARGEST_OF_ROCE = 4096;

    /** The largest of all. */
    public static final int LARGEST = 61_440;

    /** All of them, for messages. */
    public static final String NAMES = "256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 61440";

    private static final int LARGEST_POWER = 32_768;

    private PathMtu() {}

    public static boolean isOne(int bytes) {
        return bytes == LARGEST || bytes >= SMALLEST && bytes <= LARGEST_POWER && Integer.bitCount(bytes) == 1;
    }

    /** Whether RoCE has it, so that every peer understands it. */
    public static boolean isOfRoce(int bytes) {
        return isOne(bytes) && bytes <= LARGEST_OF_ROCE;
    }

    /** The largest that is not above the limit; the smallest if there is none. */
    public static int within(int limitBytes) {
        return limitBytes >= LARGEST
                ? LARGEST
                : Math.clamp(Integer.highestOneBit(Math.max(1, limitBytes)), SMALLEST, LARGEST_POWER);
    }

    /** The one towards a foreign peer, where urma4j peers have that one. */
    public static int ofRoce(int bytes) {
        return Math.min(bytes, LARGEST_OF_ROCE);
    }
}
