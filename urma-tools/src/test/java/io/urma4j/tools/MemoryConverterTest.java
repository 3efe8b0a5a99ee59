package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class MemoryConverterTest {
    private final MemoryConverter converter = new MemoryConverter();

    @Test
    void hostAndDevicesAreMemory() {
        assertThat(converter.convert("host").isHost()).isTrue();
        assertThat(converter.convert("npu").isHost()).isFalse();
        assertThat(converter.convert("npu")).hasToString("npu:0");
        assertThat(converter.convert("cuda:3")).hasToString("cuda:3");
    }

    @Test
    void simulatedNpusAreStartedForThemselvesAlone() {
        assertThat(converter.convert("npu:1").options().setting("urma.npu"))
                .hasValueSatisfying(setting -> assertThat(setting).startsWith("2,memory="));
        assertThat(converter.convert("host").options().setting("urma.npu")).isEmpty();
        assertThat(converter.convert("cuda:0").options().setting("urma.npu")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "npu:", "npu:1024", "cuda:x", "a gpu"})
    void otherWordsAreRefusedWithExamples(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage(
                        "'" + text + "' is no memory; write it as host, npu:0 or cuda:0, with a device of 0 to 1023");
    }
}
