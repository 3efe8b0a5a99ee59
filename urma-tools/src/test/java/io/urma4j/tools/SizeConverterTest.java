package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SizeConverterTest {
    private final SizeConverter converter = new SizeConverter();

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "4096, 4096",
        "8B, 8",
        "4K, 4096",
        "4k, 4096",
        "4KiB, 4096",
        "4 KiB, 4096",
        "4KB, 4000",
        "1M, 1048576",
        "256MiB, 268435456",
        "2G, 2147483648",
        "1TiB, 1099511627776",
        "9223372036854775807, 9223372036854775807"
    })
    void readsNumbersWithUnits(String text, long bytes) {
        assertThat(converter.convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "K", "-1", "8q", "1.5G", "0x10", "1 2", "KiB4", "4KiBB"})
    void refusesWhatIsNoSizeAndSaysHowToWriteOne(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "' is not a number of bytes")
                .hasMessageContaining("4KiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775808", "9999999T", "9007199254740992K"})
    void refusesWhatNoLongHolds(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("is more than 9223372036854775807 bytes");
    }
}
