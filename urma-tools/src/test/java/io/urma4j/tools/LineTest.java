package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LineTest {
    @Test
    void anyTextTravels() {
        var line = Line.of("open").with("file", "a b=c\n%µ+&").with("size", 5).with("empty", "");

        assertThat(line.encode()).doesNotContain("\n");
        assertThat(Line.decode(line.encode())).isEqualTo(line);
        assertThat(Line.decode(Line.of(Line.OK).encode())).isEqualTo(Line.of(Line.OK));
    }

    @Test
    void whatAJvmPrintsByItselfIsNoLine() {
        assertThat(Line.isLine(Line.of("hash").encode())).isTrue();
        assertThat(Line.isLine("[0.005s][warning][cds] something")).isFalse();
        assertThat(Line.isLine("")).isFalse();
    }

    @Test
    void itsTextDoesNotShowValues() {
        assertThat(Line.of("open").with("data", "secret")).hasToString("Line[open [data]]");
    }

    @Test
    void aMissingValueIsNamed() {
        assertThatThrownBy(() -> Line.of("hash").text("sha256"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("'hash' came without 'sha256'");
    }
}
