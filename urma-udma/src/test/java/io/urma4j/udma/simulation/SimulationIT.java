package io.urma4j.udma.simulation;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * As many seeds as fit into a minute, other ones each time; with {@code -Durma.full=true} twenty thousand. {@code
 * -Durma.seed=…} says where to begin.
 */
class SimulationIT {
    private static final int AT_LEAST = 200;
    private static final int ALL = 20_000;

    @Test
    void nothingIsLostDoubledOrMisplacedWhateverTheNetworkDoes() {
        long first = Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));
        if (Boolean.getBoolean("urma.full")) {
            Seeds.run(first, ALL, Long.MAX_VALUE, ALL);
        } else {
            Seeds.run(first, ALL, Duration.ofMinutes(1).toNanos(), AT_LEAST);
        }
    }
}
