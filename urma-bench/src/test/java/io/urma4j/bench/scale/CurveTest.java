package io.urma4j.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CurveTest {
    private final Curve curve = new Curve("apples", "Apples", "apples", List.of("ns", "heap B"));

    @Test
    void aTableHasALineForEachNumberAndADashForWhatWasNotMeasured() {
        curve.add(1, 12.345, 0);
        curve.add(100_000, 1234.6, Curve.NONE);
        curve.note("100 more would need a larger basket.");

        assertThat(curve.text()).isEqualTo("""
                Apples

                |  apples |    ns | heap B |
                |--------:|------:|-------:|
                |       1 |  12.3 |      0 |
                | 100,000 | 1,235 |      – |

                100 more would need a larger basket.
                """);
    }

    @Test
    void programsGetTheSameButWhatWasNotMeasured() {
        curve.add(1, 2.5, Curve.NONE);

        assertThat(curve.asMap())
                .containsEntry("name", "apples")
                .containsEntry("points", List.of(Map.of("apples", 1L, "ns", 2.5)));
    }

    @Test
    void aRowWithTooFewFiguresIsRefused() {
        assertThatThrownBy(() -> curve.add(1, 2.5)).hasMessage("1 figures for 2 columns");
    }

    @Test
    void theLastRowCanBeAskedFor() {
        curve.add(1, 2.5, 3);
        curve.add(10, 4.5, 5);

        assertThat(curve.lastCount()).isEqualTo(10);
        assertThat(curve.last("heap B")).isEqualTo(5);
    }

    @Test
    void onPaperIsProportionalToTheLastSimulatedRow() {
        var simulated = new Curve("simulated", "Simulated", "peers", List.of(SimulatedCurve.HUB, SimulatedCurve.USED));
        simulated.add(1000, 2000, 1 << 20);

        Curve paper = OnPaper.of(simulated);

        assertThat(paper.lastCount()).isEqualTo(100_000);
        assertThat(paper.last("connections a host")).isEqualTo(99_999);
        assertThat(paper.last("heap MiB a host")).isEqualTo(99_999);
        assertThat(paper.last("messages/s a core")).isEqualTo(500_000);
        assertThat(paper.text()).startsWith("On paper, not measured").contains("From the row of 1,000 simulated peers");
    }
}
