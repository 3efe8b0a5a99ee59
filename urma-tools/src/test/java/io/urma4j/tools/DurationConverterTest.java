package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {
    private final DurationConverter converter = new DurationConverter();

    @ParameterizedTest
    @CsvSource({"500ms, PT0.5S", "30s, PT30S", "5m, PT5M", "2h, PT2H"})
    void readsNumbersWithUnits(String text, Duration duration) {
        assertThat(converter.convert(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "s", "-1s", "1d", "1.5s", "99999999999s"})
    void refusesWhatIsNoTimeAndSaysHowToWriteOne(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "' is not a time")
                .hasMessageContaining("30s");
    }

    @Test
    void refusesWhatIsLongerThanALife() {
        assertThat(converter.convert("876000h")).isEqualTo(Duration.ofDays(36_500));
        assertThatThrownBy(() -> converter.convert("9999999h"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("'9999999h' is more than 876000h");
    }
}
