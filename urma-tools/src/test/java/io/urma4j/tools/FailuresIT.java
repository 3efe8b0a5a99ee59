package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tools.Shell.Ended;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of the machine, as users meet them: one line, whatever the command, that points to the doctor once. */
class FailuresIT extends WithShell {
    private static void assertPointsToTheDoctor(Ended ended) throws Exception {
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(1);
        assertThat(ended.err().lines().filter(line -> !line.endsWith(" …"))) // progress, where it is slow
                .as(ended.err())
                .singleElement()
                .asString()
                .startsWith("urma: ")
                .containsOnlyOnce("'urma doctor'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "share -n 8",
                "share -n 8 -d udma0",
                "ls --json",
                "fetch shm:orders",
                "add shm:orders 0 1 --json",
                "admin show",
                "perftest",
                "perftest write_lat --local --json",
                "demo --size 1M --json"
            })
    void aRuntimeDirectoryThatOthersMayEnter(String command) throws Exception {
        Files.createDirectory(shell.runtimeDirectory());
        Files.setPosixFilePermissions(shell.runtimeDirectory(), PosixFilePermissions.fromString("rwxrwxrwx"));

        Ended ended = shell.run(command.split(" ", -1));

        assertPointsToTheDoctor(ended);
        assertThat(ended.err()).contains("runtime directory");
        assertThat(ended.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"share -n 4096T", "demo --size 4096T"})
    void moreThanTheMachineHas(String command) throws Exception {
        assertPointsToTheDoctor(shell.run(command.split(" ", -1)));
    }

    /** A wrong use: the devices that exist say all. */
    @ParameterizedTest
    @ValueSource(strings = {"share -n 8 -d none0", "perftest -d none0"})
    void aDeviceThatDoesNotExist(String command) throws Exception {
        Ended ended = shell.run(command.split(" ", -1));

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err()).isEqualTo("urma: no device 'none0'; there are shm0 and udma0\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"share -n 8 -d udma0", "perftest write_lat --local -d udma0", "pingpong 127.0.0.1"})
    void anAddressThatNoInterfaceHas(String command) throws Exception {
        shell.with("URMA_UDMA_ADDRESSES", "203.0.113.7");

        assertPointsToTheDoctor(shell.run(command.split(" ", -1)));
    }
}
