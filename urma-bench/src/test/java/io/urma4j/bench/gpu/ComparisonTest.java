package io.urma4j.bench.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.bench.Alternation;
import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.bench.Limit.AtMost;
import io.urma4j.bench.Rounds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which way a ratio is taken, and when its limit is kept. */
@Timeout(60)
class ComparisonTest {
    private static Rounds rounds(double subject, double peer) {
        return new Alternation(3, 0, 0).measure(() -> subject, () -> peer);
    }

    @Test
    void aLeastRatioIsOneOfSpeeds() {
        Comparison slower = new Comparison("gpu-x", "x", rounds(2_000, 1_000), new AtLeast(0.95));
        assertThat(slower.ratio()).isEqualTo(0.5);
        assertThat(slower.isKept()).isFalse();
        assertThat(slower.line()).contains("2.00 µs", "1.00 µs", "0.500", "0.500–0.500", "≥ 0.95", "MISSED");

        assertThat(new Comparison("gpu-x", "x", rounds(1_000, 1_000), new AtLeast(0.95)).isKept())
                .isTrue();
    }

    @Test
    void aMostRatioIsOneOfTimes() {
        Comparison slower = new Comparison("gpu-x", "x", rounds(2_100, 1_000), new AtMost(2));
        assertThat(slower.ratio()).isEqualTo(2.1);
        assertThat(slower.isKept()).isFalse();
        Comparison kept = new Comparison("gpu-x", "x", rounds(1_200, 1_000), new AtMost(2));
        assertThat(kept.isKept()).isTrue();
        assertThat(kept.line()).contains("ok");
        assertThat(kept.asMap()).containsEntry("kept", true).containsEntry("limit", "≤ 2");
    }
}
