package io.urma4j.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FiguresTest {
    private final Figures figures = new Figures();

    @Test
    void percentilesAndRateAreThoseOfTheFetches() {
        for (int i = 1; i <= 2000; i++) {
            figures.fetched(2, 16_384, i * 1000L);
        }
        figures.requestEnded();

        assertThat(figures.text(2))
                .containsPattern("requests +1\n")
                .containsPattern("blocks fetched +4000\n")
                .containsPattern("wrong blocks +0\n")
                .containsPattern("p50 +1000.0 µs\n")
                .containsPattern("p99 +1980.0 µs\n")
                .containsPattern("GB/s while fetching +0.02\n");
        assertThat(figures.isGood()).isTrue();
    }

    @Test
    void wrongBlockIsNotGoodAndNeitherIsNone() {
        assertThat(figures.isGood()).isFalse();
        assertThat(figures.text(1)).contains("0.00");

        figures.fetched(1, 8, 1);
        figures.wrongBlock();

        assertThat(figures.isGood()).isFalse();
    }
}
