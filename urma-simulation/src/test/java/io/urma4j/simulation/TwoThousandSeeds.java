package io.urma4j.simulation;

import org.junit.jupiter.api.Test;

/**
 * What planted bugs are run against, with header prediction and without; no test of its own: {@link SimulationIT} runs the
 * same seeds without any bug.
 */
class TwoThousandSeeds {
    @Test
    void showNoViolation() {
        run();
    }

    static void run() {
        for (long seed = 1; seed <= 2_000; seed++) {
            try {
                Simulation.compare(seed);
            } catch (Violation e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
