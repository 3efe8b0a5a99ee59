package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The ways in which people start urma4j: the scripts of the source tree, and the jar by itself. */
class LaunchersIT {
    private static final Path JAR = Path.of(System.getProperty("urma.jar"));
    private static final Path ROOT = JAR.resolve("../../..").normalize();

    @Test
    void scriptsFindJdkAndMavenOrSayWhatToInstall() throws Exception {
        var run = Run.of("sh", ROOT.resolve("etc/test-build-scripts.sh").toString());

        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains(", 0 failed");
    }

    @Test
    void jarRunsByItselfWithoutAWarning() throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var run = Run.of(java, "-jar", JAR.toString(), "--version");

        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).startsWith("urma4j").doesNotContainIgnoringCase("warning");
    }

    /** A process that has ended: its exit code, and what it wrote to stdout and stderr together. */
    private record Run(int exitCode, String output) {
        static Run of(String... command) throws IOException, InterruptedException {
            var process = new ProcessBuilder(List.of(command))
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            try {
                var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output).isTrue();
                return new Run(process.exitValue(), output);
            } finally {
                process.destroyForcibly();
            }
        }
    }
}
