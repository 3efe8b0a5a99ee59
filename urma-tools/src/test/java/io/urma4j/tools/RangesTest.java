package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RangesTest {
    @Test
    void endsWhereTheSegmentEndsUnlessALengthIsAsked() {
        assertThat(Ranges.length(10, null, 100)).isEqualTo(90);
        assertThat(Ranges.length(100, null, 100)).isZero();
        assertThat(Ranges.length(10, 90L, 100)).isEqualTo(90);
    }

    @Test
    void refusesOneBytePastTheEndAndSumsThatOverflow() {
        assertThatThrownBy(() -> Ranges.length(10, 91L, 100))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("offset 10 + length 91 lies outside the segment of 100 bytes");
        assertThatThrownBy(() -> Ranges.length(101, null, 100)).isInstanceOf(CommandFailure.class);
        assertThatThrownBy(() -> Ranges.length(1, Long.MAX_VALUE, 100)).isInstanceOf(CommandFailure.class);
    }
}
