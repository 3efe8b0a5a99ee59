package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tck.Seed;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random programs see the same from our channels and selectors as from the JDK's. */
@Timeout(3600)
class TcpModelTest {
    private static final int SCENARIOS =
            Integer.getInteger("urma.inputs", Boolean.getBoolean("urma.full") ? 1_000_000 : 10_000);
    private static final int TRIES = 5;

    private final SelectorProvider jdks = SelectorProvider.provider();
    private final SelectorProvider ours = new UrmaSelectorProvider();

    @Test
    void programsSeeWhatTheyWouldSeeOfTcp() throws Exception {
        SplittableRandom seeds = Seed.randomFor("TCP model");
        long notes = 0;
        int repeated = 0;
        for (int i = 0; i < SCENARIOS; i++) {
            long seed = seeds.nextLong();
            List<String> expected = Scenario.run(jdks, seed);
            List<String> seen = Scenario.run(ours, seed);
            for (int again = 1; again < TRIES && !seen.equals(expected); again++) { // the kernel may have been late
                repeated++;
                expected = Scenario.run(jdks, seed);
                seen = Scenario.run(ours, seed);
            }
            assertThat(seen)
                    .as("scenario %d, seed %d; %s", i, seed, Seed.replayLine())
                    .isEqualTo(expected);
            notes += seen.size();
        }
        System.out.printf(
                "TcpModelTest: %,d programs, %,d results, %d comparisons repeated; seed %d%n",
                SCENARIOS, notes, repeated, Seed.OF_RUN);
    }
}
