package io.urma4j.socket.peering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.socket.peering.SocketSettings.Mode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
class SocketSettingsTest {
    private static final String[] NAMES = {"mode", "exclude", "buffer", "memory", "wait", "classic"};

    @AfterEach
    void clear() {
        for (String name : NAMES) {
            System.clearProperty("urma.socket." + name);
        }
    }

    private static void set(String name, String value) {
        System.setProperty("urma.socket." + name, value);
    }

    @Test
    void withoutPropertiesAllIsTcp() {
        assertThat(SocketSettings.ofProcess())
                .usingRecursiveComparison()
                .ignoringFields("spinning")
                .isEqualTo(SocketSettings.of(Mode.TCP));
    }

    @Test
    void propertiesAreRead() {
        set("mode", "auto");
        set("exclude", "80, 443");
        set("buffer", "100000");
        set("memory", "1073741824");
        set("wait", "20");

        SocketSettings settings = SocketSettings.ofProcess();
        assertThat(settings.mode()).isEqualTo(Mode.AUTO);
        assertThat(settings.excludedPorts()).containsExactlyInAnyOrder(80, 443);
        assertThat(settings.ringBytes()).isEqualTo(1 << 17);
        assertThat(settings.memoryBytes()).isEqualTo(1 << 30);
        assertThat(settings.offerTimeout()).isEqualTo(Duration.ofMillis(20));
    }

    @ParameterizedTest
    @CsvSource({"mode,fast", "exclude,0", "exclude,80;443", "buffer,1000", "buffer,64k", "memory,1", "wait,0"})
    void anImpossibleValueIsNamed(String name, String value) {
        set(name, value);

        assertThatThrownBy(SocketSettings::ofProcess)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("urma.socket." + name)
                .hasMessageContaining(value);
    }

    @Test
    void classicSocketsAreWantedByTrueAlone() {
        assertThat(SocketSettings.isClassicWanted()).isFalse();
        set("classic", "false");
        assertThat(SocketSettings.isClassicWanted()).isFalse();
        set("classic", "true");
        assertThat(SocketSettings.isClassicWanted()).isTrue();
        set("classic", "1");
        assertThatThrownBy(SocketSettings::isClassicWanted)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("-Durma.socket.classic is 1, must be true or false");
    }
}
