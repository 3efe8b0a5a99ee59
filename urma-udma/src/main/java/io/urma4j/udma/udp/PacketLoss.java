package io.urma4j.udma.udp;

import org.jspecify.annotations.Nullable;

/**
 * Simulated loss of received packets, to test a program under loss where the kernel cannot simulate it. The same seed drops
 * the same packets of a sequence.
 *
 * @param share of the packets, from 0 to below 1
 * @param seed of the random choices
 */
public record PacketLoss(double share, long seed) {
    /** @throws IllegalArgumentException for an invalid share */
    public PacketLoss {
        if (!(share >= 0 && share < 1)) {
            throw new IllegalArgumentException("loss " + share + " must lie in 0…1, excluding 1");
        }
    }

    /**
     * Parses the setting {@code urma.udma.loss}: a share, as "0.01", optionally with a seed, as "0.01:7"; the default seed
     * is 1.
     *
     * @return null for null: no loss
     * @throws IllegalArgumentException for anything else
     */
    public static @Nullable PacketLoss parse(@Nullable String text) {
        if (text == null) {
            return null;
        }
        int colon = text.indexOf(':');
        try {
            double share = Double.parseDouble(colon < 0 ? text : text.substring(0, colon));
            return new PacketLoss(share, colon < 0 ? 1 : Long.parseLong(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "loss '" + text + "' must be a share, optionally with a seed, as 0.01 or 0.01:7", e);
        }
    }

    /** A new sequence of choices. */
    Draws draws() {
        return new Draws();
    }

    /** Which packets of a sequence are dropped. For one thread at a time; allocates nothing. */
    final class Draws {
        private static final long STEP = 0x9E37_79B9_7F4A_7C15L; // SplitMix64

        private final long bound = (long) (share * 0x1p63);
        private long state = seed;

        /** Whether to drop the next one. */
        boolean takesNext() {
            state += STEP;
            long mixed = (state ^ state >>> 30) * 0xBF58_476D_1CE4_E5B9L;
            mixed = (mixed ^ mixed >>> 27) * 0x94D0_49BB_1331_11EBL;
            return ((mixed ^ mixed >>> 31) >>> 1) < bound;
        }
    }
}
