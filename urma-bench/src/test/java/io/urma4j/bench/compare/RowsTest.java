package io.urma4j.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.bench.BufferRatios;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowsTest {
    private static final List<String> PEERS =
            Peers.all().stream().map(Peer::name).toList();

    @Test
    void eachRowHasANameOfItsOwn() {
        assertThat(Rows.all())
                .extracting(Row::name)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[a-z0-9-]+"));
    }

    @Test
    void eachTargetNamesAPeerThatCanDoTheWork() {
        for (Row row : Rows.all()) {
            for (Target target : row.targets()) {
                assertThat(PEERS).contains(target.peer());
                assertThat(Peers.all())
                        .filteredOn(peer -> peer.name().equals(target.peer()))
                        .as("%s of %s", target.peer(), row.name())
                        .allMatch(peer -> peer.can(row.task()));
            }
        }
    }

    @Test
    void tasksSurviveTheLineBetweenProcesses() {
        for (Row row : Rows.all()) {
            assertThat(Task.decode(List.of(row.task().encode().split(" ", -1)))).isEqualTo(row.task());
        }
    }

    @Test
    void theGuardHasALimitForEachOfItsRatios() throws Exception {
        GuardLimits limits = GuardLimits.read(Path.of("guard.properties"));

        assertThat(Guard.names()).hasSize(13);
        assertThat(limits.byRow().keySet()).containsExactlyInAnyOrderElementsOf(Guard.names());
        assertThat(Rows.all().stream().map(Row::name))
                .containsAll(Guard.names().stream()
                        .filter(name -> !BufferRatios.NAMES.contains(name))
                        .toList());
    }
}
