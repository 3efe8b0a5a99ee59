package io.urma4j.examples.blockstore.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.examples.blockstore.load.KillPlan.Kill;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class KillPlanTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void theKillsOfASeedAreInOrderAndOfAllKinds() {
        List<Kill> plan = KillPlan.of(42, 30, MINUTE, 3);

        assertThat(plan)
                .hasSize(30)
                .isEqualTo(KillPlan.of(42, 30, MINUTE, 3))
                .isNotEqualTo(KillPlan.of(43, 30, MINUTE, 3));
        for (KillPlan.Kind kind : KillPlan.Kind.values()) {
            assertThat(plan).filteredOn(kill -> kill.kind() == kind).hasSize(10);
        }
        assertThat(plan).isSortedAccordingTo((one, other) -> one.at().compareTo(other.at()));
        assertThat(plan).allSatisfy(kill -> {
            assertThat(kill.at()).isBetween(Duration.ZERO, MINUTE);
            assertThat(kill.client()).isBetween(0, 2);
        });
    }
}
