package io.urma4j.tck;

import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What a run draws its randomness from: {@code -Durma.seed=…} when given, else a new number. A failing test prints the
 * line that replays it.
 */
public final class Seed {
    /** The seed of this run. */
    public static final long OF_RUN =
            Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));

    private Seed() {}

    /** A random source for one purpose; the same in each run with the same seed. */
    public static SplittableRandom randomFor(String purpose) {
        return new SplittableRandom(OF_RUN * 31 + purpose.hashCode());
    }

    /** How to repeat this run. */
    public static String replayLine() {
        return "replay with -Durma.seed=" + OF_RUN;
    }
}
