package io.urma4j.udma.transport;

/**
 * Packet sequence numbers. The wire has 24 bits of them (WIRE §4.1); inside they are {@code long} and never wrap, so that
 * they compare as numbers do. Only who reads or writes a packet knows of the 24 bits.
 */
final class Psn {
    private static final int BITS = 24;
    private static final int UNUSED_BITS = Integer.SIZE - BITS;

    private Psn() {}

    /** The one that the wire means: that which is nearest to one that is known, half the numbers back or ahead. */
    static long near(long known, int onWire) {
        int distance = (onWire - (int) known) << UNUSED_BITS >> UNUSED_BITS;
        return known + distance;
    }

    /** What is written to the wire. */
    static int onWire(long psn) {
        return (int) psn & (1 << BITS) - 1;
    }
}
