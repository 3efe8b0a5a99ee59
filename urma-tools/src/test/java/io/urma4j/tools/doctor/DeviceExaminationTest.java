package io.urma4j.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.DeviceAttributes;
import io.urma4j.DeviceAttributes.Capabilities;
import io.urma4j.DeviceAttributes.Limits;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeviceExaminationTest {
    private static String described(String provider) {
        return DeviceExamination.described(new DeviceAttributes(
                provider + "0",
                provider,
                Capabilities.builder().build(),
                new Limits(1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
                List.of(),
                "some path"));
    }

    /** S13.4. */
    @Test
    void ofANetworkItSaysThatTokensAreSentInClearText() {
        assertThat(described("udma")).startsWith("some path").contains("tokens are sent in clear text");
        assertThat(described("shm")).isEqualTo("some path");
    }
}
