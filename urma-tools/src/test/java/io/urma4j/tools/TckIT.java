package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tools.Shell.Ended;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/** The conformance suite from the command line. */
class TckIT extends WithShell {
    @Test
    void chosenTestsPassInOneProcessAndAcross() throws Exception {
        Ended tck = shell.run("tck", "--device", "shm0", "--filter", "S9.2");

        assertThat(tck.exitCode()).as(tck.out() + tck.err()).isZero();
        assertThat(tck.out().lines().toList().getLast()).matches("[1-9]\\d* passed, 0 failed, \\d+ skipped");
        assertThat(shell.run("tck", "--filter", "S9.2", "--json").out())
                .contains("\"failed\" : 0")
                .contains("\"topology\" : \"LOOPBACK\"")
                .contains("\"topology\" : \"TWO_PROCESSES\"")
                .contains("\"rules\" : [ \"S9.2\"");
    }

    @Test
    void chosenTestsPassOnTheNetworkDevice() throws Exception {
        Ended tck = shell.with("URMA_UDMA_ADDRESSES", "127.0.84.1")
                .run("tck", "--device", "udma0", "--filter", "takenBackWindowMovesNoByte");

        assertThat(tck.exitCode()).as(tck.out() + tck.err()).isZero();
        assertThat(tck.out()).doesNotContain("shm0");
        assertThat(tck.out().lines().toList().getLast()).matches("[1-9]\\d* passed, 0 failed, 0 skipped");
    }

    @Test
    void failuresAreNamedWithTheirRuleAndMakeTheExitCode() throws Exception {
        Ended tck = shell.run("tck", "--device", "deaf0", "--class-path", deafProvider(), "--filter", "S9.2");

        assertThat(tck.exitCode()).as(tck.out() + tck.err()).isEqualTo(1);
        assertThat(tck.out())
                .contains("FAILED S9.2")
                .contains("the device is deaf")
                .containsPattern("again: urma tck --device deaf0 --seed \\d+ --filter \\w+\\.\\w+");
        assertThat(tck.out().lines().toList().getLast()).matches("0 passed, [1-9]\\d* failed, 0 skipped");
    }

    @Test
    void patienceReachesTheTests() throws Exception {
        Ended tck = shell.run(
                "tck", "--device", "deaf0", "--class-path", deafProvider(), "--patience", "3", "--filter", "S9.2");

        assertThat(tck.out()).containsPattern("again: urma tck --device deaf0 --patience 3 --seed \\d+ --filter");
    }

    /** A class path with a provider whose contexts cannot be opened. */
    private String deafProvider() throws Exception {
        Path services = Files.createDirectories(folder.resolve("deaf/META-INF/services"));
        Files.writeString(services.resolve("io.urma4j.spi.UrmaProvider"), DeafProvider.class.getName());
        Path classes = Path.of(DeafProvider.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return folder.resolve("deaf") + File.pathSeparator + classes;
    }

    @Test
    void wrongUseIsRefusedWithAReason() throws Exception {
        Ended nothing = shell.run("tck", "--filter", "nothingOfThatName");
        Ended partial = shell.run("tck", "--filter", "S9.2", "--write-report", "page.md");
        Ended unknown = shell.run("tck", "--device", "moon0", "--filter", "S9.2");
        Ended hasty = shell.run("tck", "--patience", "0");
        Ended nowhere = shell.run(
                "tck", "--device", "deaf0", "--class-path", deafProvider(), "--write-report", "nowhere/page.md");

        assertThat(nothing.exitCode()).as(nothing.err()).isEqualTo(2);
        assertThat(nothing.err()).contains("no test matches nothingOfThatName");
        assertThat(partial.exitCode()).as(partial.err()).isEqualTo(2);
        assertThat(partial.err()).contains("whole suite");
        assertThat(unknown.exitCode()).as(unknown.err()).isEqualTo(1);
        assertThat(unknown.err()).contains("moon0");
        assertThat(hasty.exitCode()).as(hasty.err()).isEqualTo(2);
        assertThat(hasty.err()).contains("--patience is 0, the least is 1");
        assertThat(nowhere.exitCode()).as(nowhere.err()).isEqualTo(1);
        assertThat(nowhere.err()).contains("output 'nowhere/page.md': there is no directory");
        assertThat(nowhere.out()).isEmpty();
    }

    @Test
    void jarOfTheCommandHasNoTestLibraries() throws Exception {
        try (var jar = new ZipFile(System.getProperty("urma.jar"))) {
            assertThat(jar.stream().map(Object::toString))
                    .noneMatch(name -> name.startsWith("org/junit/") || name.startsWith("org/assertj/"))
                    .anyMatch(name -> name.startsWith("io/urma4j/shm/"));
        }
    }
}
