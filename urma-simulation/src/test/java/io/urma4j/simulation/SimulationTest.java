package io.urma4j.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationTest {
    @Test
    void aSeedIsAlwaysTheSameRun() {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();

        Report one = Simulation.run(4, first::add);
        Report other = Simulation.run(4, second::add);

        assertThat(first).hasSizeGreaterThan(100).isEqualTo(second);
        assertThat(one).isEqualTo(other);
    }

    @Test
    void shortPacketsShareOne() {
        assertThat(Simulation.run(4, null).bundles()).isGreaterThan(20);
    }

    @Test
    void aTraceChangesNothing() {
        assertThat(Simulation.run(7, null)).isEqualTo(Simulation.run(7, line -> {}));
    }

    @Test
    void theFirstSeedsShowNoViolation() {
        Seeds.run(1, 40, Long.MAX_VALUE, 40);
    }

    /** A READ that was given up keeps its place among the peer's answers; a piece that was never sent counts nowhere. */
    @ParameterizedTest
    @ValueSource(longs = {769688814, 96196684})
    void seedsThatOnceFoundAConnectionThatStoodStillFindNoneNow(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Simulation simulation = new Simulation(Scenario.drawn(random).plain(), random, null);

        assertThatCode(simulation::run).doesNotThrowAnyException();
    }

    /** What stands for a READ counts, although it follows a refused message whose rest never comes. */
    @Test
    void readGivenUpBehindARefusedMessageCounts() {
        assertThatCode(() -> Simulation.run(31920, null)).doesNotThrowAnyException();
    }

    @Test
    void seedsDrawAllKindsOfTrouble() {
        List<Scenario> scenarios = new ArrayList<>();
        for (long seed = 1; seed <= 300; seed++) {
            scenarios.add(Scenario.drawn(new SplittableRandom(seed)));
        }

        assertThat(scenarios).extracting(Scenario::machines).contains(2, 3, 4, 5, 6, 7, 8);
        assertThat(scenarios).extracting(Scenario::mtuBytes).contains(256, 512, 1024, 2048, 4096);
        assertThat(scenarios).extracting(Scenario::longMtuBytes).contains(256, 4096, 8192, 16_384, 61_440);
        assertThat(scenarios).extracting(Scenario::windowPackets).contains(1, 2, 3, 4, 8, 32, 128, 1024);
        assertThat(scenarios).anyMatch(one -> one.foreignPairs() > 0 && one.foreignPairs() < one.connectedPairs());
        assertThat(scenarios).anyMatch(one -> one.foreignPairs() > 0 && one.windowPackets() == 1024);
        assertThat(scenarios).anyMatch(one -> one.slowHomes() > 0 && one.foreignPairs() > 0);
        assertThat(scenarios)
                .anyMatch(one -> one.slowHomes() > 0 && one.faults().revocations() > 0);
        assertThat(scenarios).anyMatch(one -> one.slowHomes() == one.machines());
        assertThat(scenarios).anyMatch(one -> one.wideImmediates() && one.connectedPairs() > 0);
        assertThat(scenarios).anyMatch(one -> one.connectedPairs() > 0 && one.datagramQueues() > 0);
        assertThat(scenarios).anyMatch(one -> one.faults().loss() > 0.17);
        assertThat(scenarios).anyMatch(one -> one.faults().corruption() > 0.01);
        assertThat(scenarios).anyMatch(one -> one.faults().restarts() > 0);
        assertThat(scenarios)
                .anyMatch(one -> one.nearWrap() && one.ipv6() && one.faults().cuts() > 0);
    }
}
