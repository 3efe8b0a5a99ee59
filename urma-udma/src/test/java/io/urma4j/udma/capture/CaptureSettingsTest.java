package io.urma4j.udma.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureSettingsTest {
    @Test
    void nothingIsKeptUnlessAFileIsNamed() {
        assertThat(read(Map.of(), Map.of())).isNull();
        assertThat(read(Map.of("urma.udma.capture", " "), Map.of("URMA_UDMA_CAPTURE_LIMIT", "5")))
                .isNull();
    }

    @Test
    void aPropertyGoesBeforeTheEnvironment() {
        assertThat(read(
                        Map.of("urma.udma.capture", "a.pcap"),
                        Map.of("URMA_UDMA_CAPTURE", "b.pcap", "URMA_UDMA_CAPTURE_LIMIT", "1000")))
                .isEqualTo(new CaptureSettings(Path.of("a.pcap"), 1000));
        assertThat(read(Map.of(), Map.of("URMA_UDMA_CAPTURE", "b.pcap")))
                .isEqualTo(new CaptureSettings(Path.of("b.pcap"), PcapWriter.UNLIMITED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1M", "99999999999999999999"})
    void aLimitThatIsNoNumberOfBytesIsRefused(String limit) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        read(Map.of("urma.udma.capture", "a.pcap", "urma.udma.capture.limit", limit), Map.of()))
                .withMessage("capture limit '" + limit + "' is no positive number of bytes");
    }

    private static @Nullable CaptureSettings read(Map<String, String> properties, Map<String, String> environment) {
        return CaptureSettings.of(properties::get, environment::get);
    }
}
