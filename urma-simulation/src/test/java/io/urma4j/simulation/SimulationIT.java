package io.urma4j.simulation;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * As many seeds as fit into 20 seconds, always from the same one on, so that the same sources get the same verdict; with
 * {@code -Durma.full=true} twenty thousand, other ones each time. {@code -Durma.seed=…} says where to begin.
 */
class SimulationIT {
    private static final int AT_LEAST = 200;
    private static final int ALL = 20_000;
    private static final long FIRST = 5_000_000;

    /** Otherwise whatever is planted would count as found. */
    @Test
    void theSeedsThatMustFindPlantedBugsFindNothingWithoutThem() {
        TwoThousandSeeds.run();
    }

    @Test
    void nothingIsLostDoubledOrMisplacedWhateverTheNetworkDoes() {
        if (Boolean.getBoolean("urma.full")) {
            long any = ThreadLocalRandom.current().nextLong(1_000_000_000);
            Seeds.run(Long.getLong("urma.seed", any), ALL, Long.MAX_VALUE, ALL);
        } else {
            Seeds.run(
                    Long.getLong("urma.seed", FIRST),
                    ALL,
                    Duration.ofSeconds(20).toNanos(),
                    AT_LEAST);
        }
    }
}
