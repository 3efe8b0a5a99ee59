package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {
    @ParameterizedTest
    @CsvSource({"0, 0 B", "8, 8 B", "1023, 1023 B", "4096, 4 KiB", "1536, 1.5 KiB", "268435456, 256 MiB"})
    void bytesAreShort(long bytes, String text) {
        assertThat(Units.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 ns", "999, 999 ns", "1240, 1.24 µs", "3100000, 3.10 ms", "2500000000, 2.50 s"})
    void timesHaveTheirUnit(long nanos, String text) {
        assertThat(Units.time(nanos)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"512, 512.0 B/s", "1073741824, 1.0 GiB/s"})
    void ratesHaveOneDecimal(double bytesPerSecond, String text) {
        assertThat(Units.rate(bytesPerSecond)).isEqualTo(text);
    }
}
