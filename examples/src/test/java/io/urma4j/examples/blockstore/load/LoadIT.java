package io.urma4j.examples.blockstore.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.examples.ExampleProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The load as a process, like {@code examples/blockstore/run} starts it. */
class LoadIT {
    private static final boolean FULL = Boolean.getBoolean("urma.full");

    @TempDir
    Path folder;

    private record Ended(int exitCode, String output) {}

    private Ended run(String... arguments) throws Exception {
        try (var process = new ExampleProcess(Load.class, folder, Map.of(), arguments)) {
            return new Ended(process.exitCode(Duration.ofMinutes(FULL ? 10 : 4)), process.output());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm0", "udma0"})
    void nothingIsLostWhateverIsKilled(String device) throws Exception {
        Ended ended = run(
                "--device",
                device,
                "--minutes",
                FULL ? "2" : "0.2",
                "--kills",
                FULL ? "20" : "3",
                "--clients",
                "2",
                "--folder",
                folder.toString());

        assertThat(ended.exitCode()).as(ended.output()).isZero();
        assertThat(ended.output())
                .containsPattern("lost acknowledged writes +0\n")
                .containsPattern("corrupt reads +0\n")
                .contains("server: 0 leases, 0 quarantined")
                .contains("PASSED");
        assertThat(folder).isDirectoryNotContaining("glob:**blockstore-*");
    }

    @Test
    void aWrongOptionIsNamed() throws Exception {
        assertThat(run("--kill", "3").output())
                .contains("run: --kill is no option; there are --blocks, --clients, --device");
        assertThat(run("--minutes", "soon").output())
                .contains("run: --minutes is 'soon', must be a number in 0…1440.0");
        assertThat(run("--kills", "-1").output()).contains("run: --kills is '-1', must be a number in 0…100000");
        assertThat(run("--kills").output()).contains("run: --kills needs a value");
        assertThat(run("--folder", "/nowhere").output()).contains("run: --folder is '/nowhere', must be a folder");
        assertThat(run("--device", "?").exitCode()).isEqualTo(2);
        assertThat(run("--help").exitCode()).isZero();
    }
}
