package io.urma4j.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tools.Line;
import org.junit.jupiter.api.Test;

class FiguresTest {
    @Test
    void figuresTravel() {
        var speed = new Figures.Speed(85, 120, 1.5e9, 0.25);
        var figures = new Figures(4096, speed, speed, new Figures.Speed(1, 2, 3, 0));

        assertThat(Figures.of(Line.decode(figures.toLine().encode()))).isEqualTo(figures);
    }
}
