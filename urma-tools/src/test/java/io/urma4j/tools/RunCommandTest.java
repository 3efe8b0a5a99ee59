package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunCommandTest {
    @Test
    void aPathWithBlanksIsOneOption() {
        assertThat(RunCommand.options(Path.of("/a b/urma.jar"), false))
                .isEqualTo("\"-javaagent:/a b/urma.jar\" --enable-native-access=ALL-UNNAMED");
    }

    @Test
    void requiredRingsAreASetting() {
        assertThat(RunCommand.options(Path.of("/urma.jar"), true)).endsWith(" -Durma.socket.mode=require");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a=b/urma.jar", "/a\"b/urma.jar"})
    void aPathThatAJvmWouldCutIsRefused(String path) {
        assertThatThrownBy(() -> RunCommand.options(Path.of(path), false))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(path);
    }
}
