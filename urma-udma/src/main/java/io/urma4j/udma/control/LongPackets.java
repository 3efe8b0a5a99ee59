package io.urma4j.udma.control;

import io.urma4j.udma.wire.PathMtu;

/**
 * The features of a greeting that announce path MTUs above those of RoCE, a bit each (docs/wire-extensions.md). A port
 * announces each that its interface carries, so the largest that both ends announce is the agreed one. A peer of a version
 * without long packets announces none.
 */
final class LongPackets {
    /** Feature of a greeting: this end takes packets in fragments. */
    static final long FRAGMENTS = 1L << 37;

    private static final int FIRST_FEATURE = 33;
    private static final int[] MTUS = {8192, 16_384, 32_768, PathMtu.LARGEST};

    private LongPackets() {}

    /** The features of a port with that path MTU. */
    static long features(int mtuBytes) {
        long features = 0;
        for (int i = 0; i < MTUS.length; i++) {
            features |= MTUS[i] <= mtuBytes ? 1L << FIRST_FEATURE + i : 0;
        }
        return features;
    }

    /**
     * The path MTU of two peers.
     *
     * @param common features that both announce
     * @param roceBytes the smaller of the path MTUs that their ends of the connection have by RoCE
     */
    static int agreed(long common, int roceBytes) {
        for (int i = MTUS.length - 1; i >= 0; i--) {
            if ((common & 1L << FIRST_FEATURE + i) != 0) {
                return MTUS[i];
            }
        }
        return roceBytes;
    }
}
