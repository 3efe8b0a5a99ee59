package io.urma4j.spi.control;

import io.urma4j.PeerId;
import io.urma4j.WindowKey;

/**
 * {@link WindowKey#importNumber} of windows that were granted to a peer, rather than to one of its imports: negative, and
 * the same for all imports of the segment by that peer. Importers compare it, so that a key opens nothing on another segment
 * or for another context. It keeps nothing from a hostile importer; the home does that where the device can.
 */
public final class WindowNumbers {
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private WindowNumbers() {}

    /**
     * The number for a peer.
     *
     * @param home incarnation of the home
     * @param segmentKey of the segment's endpoint at the home, never reused
     */
    public static long ofPeer(PeerId peer, long home, long segmentKey) {
        long number = mixed(peer.eid().high());
        number = mixed(number + peer.eid().low());
        number = mixed(number + peer.uasid());
        number = mixed(number + peer.incarnation());
        number = mixed(number + home);
        return mixed(number + segmentKey) | Long.MIN_VALUE;
    }

    /** The finalizer of SplitMix64, whose results are part of the control protocol. */
    private static long mixed(long value) {
        long z = value + GOLDEN;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}
