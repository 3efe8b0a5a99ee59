package io.urma4j.udma.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureSettingsTest {
    @Test
    void nothingIsKeptUnlessAFileIsNamed() {
        assertThat(read(Map.of())).isEmpty();
        assertThat(read(Map.of("urma.udma.capture.limit", "5"))).isEmpty();
    }

    @Test
    void aFileMayHaveALimit() {
        assertThat(read(Map.of("urma.udma.capture", "a.pcap")))
                .contains(new CaptureSettings(Path.of("a.pcap"), PcapWriter.UNLIMITED));
        assertThat(read(Map.of("urma.udma.capture", "a.pcap", "urma.udma.capture.limit", "1000")))
                .contains(new CaptureSettings(Path.of("a.pcap"), 1000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1M", "99999999999999999999"})
    void aLimitThatIsNoNumberOfBytesIsRefused(String limit) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(Map.of("urma.udma.capture", "a.pcap", "urma.udma.capture.limit", limit)))
                .withMessage("capture limit '" + limit + "' must be a positive number of bytes");
    }

    private static Optional<CaptureSettings> read(Map<String, String> settings) {
        return CaptureSettings.of(name -> Optional.ofNullable(settings.get(name)));
    }
}
