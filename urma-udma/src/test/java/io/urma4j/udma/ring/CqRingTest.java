package io.urma4j.udma.ring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CqRingTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 16, 1024, 1 << 20, 1 << 30})
    void ownerBitIsOneInTheFirstRoundAndAlternates(int depth) {
        for (long round = 0; round < 5; round++) {
            int expected = round % 2 == 0 ? 1 : 0;
            assertThat(CqRing.owner(round * depth, depth)).isEqualTo(expected);
            assertThat(CqRing.owner(round * depth + depth - 1, depth)).isEqualTo(expected);
        }
    }
}
