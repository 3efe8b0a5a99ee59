package io.urma4j.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerDeviceNameTest {
    @Test
    void clientAloneMeansItsFirstDevice() {
        assertThat(PeerDeviceName.parse("cuda")).isEqualTo(new PeerDeviceName("cuda", 0));
        assertThat(PeerDeviceName.parse("npu:12")).isEqualTo(new PeerDeviceName("npu", 12));
        assertThat(PeerDeviceName.parse("my-npu.2:0")).hasToString("my-npu.2:0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":0", "npu:", "npu:-1", "npu:x", "npu 0", "npu:0:1"})
    void otherTextIsRefusedWithAnExample(String text) {
        assertThatThrownBy(() -> PeerDeviceName.parse(text))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("'" + text + "' must be a client and the number of a device, such as npu:0");
    }

    @Test
    void ordinalHasALimit() {
        assertThatThrownBy(() -> PeerDeviceName.parse("npu:1024"))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("ordinal")
                .hasMessageContaining("1023");
    }

    @Test
    void simulatedNpuIsAskedForWithAllBeforeIt() {
        UrmaOptions options = PeerDeviceName.parse("npu:1").simulatedIn(UrmaOptions.DEFAULT, 4096);

        assertThat(options.setting("urma.npu")).contains("2,memory=4096,window=4096");
    }

    @Test
    void settingOfTheUserWins() {
        UrmaOptions asked = UrmaOptions.DEFAULT.withSetting("urma.npu", "1,profile=ascend");

        assertThat(PeerDeviceName.parse("npu:0").simulatedIn(asked, 4096)).isSameAs(asked);
    }

    @Test
    void realDevicesAreNotSimulated() {
        assertThat(PeerDeviceName.parse("cuda:0").simulatedIn(UrmaOptions.DEFAULT, 4096))
                .isSameAs(UrmaOptions.DEFAULT);
    }
}
