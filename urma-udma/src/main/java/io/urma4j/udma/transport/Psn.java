package io.urma4j.udma.transport;

/**
 * Packet sequence numbers. The wire has 24 bits of them (WIRE §4.1); in memory they are {@code long} and never wrap, so
 * that they compare as numbers. Only code that reads or writes a packet knows the 24 bits.
 */
final class Psn {
    private static final int BITS = 24;
    private static final int UNUSED_BITS = Integer.SIZE - BITS;

    private Psn() {}

    /** The PSN of a wire value: the one nearest to a known PSN, half the range back or ahead. */
    static long near(long known, int onWire) {
        int distance = (onWire - (int) known) << UNUSED_BITS >> UNUSED_BITS;
        assert Math.abs(distance) <= 1 << BITS - 1;
        return known + distance;
    }

    /** The value on the wire. */
    static int onWire(long psn) {
        return (int) psn & (1 << BITS) - 1;
    }
}
