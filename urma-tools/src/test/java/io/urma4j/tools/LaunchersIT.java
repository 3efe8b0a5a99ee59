package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

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

    /** Needs no guest: all of its programs only pretend. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void interopKeepsBothCapturesOfACaseThatFailsAndNoneOfOneThatPasses() throws Exception {
        var run = Run.of("bash", ROOT.resolve("etc/interop/test-captures.sh").toString());

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

    /** In a tree of its own, which is not older than its sources: nothing is built. */
    @Test
    void scriptStartsTheCommandWithoutAWarning(@TempDir Path tree) throws Exception {
        for (String file : List.of("urma", "build", "pom.xml", "etc/find-jdk.sh", "urma-tools/pom.xml")) {
            copy(file, tree);
        }
        Files.createDirectories(tree.resolve("urma-tools/src/main"));
        copy("docs/semantics.md", tree);
        Path jar = tree.resolve("urma-tools/target/urma.jar");
        Files.createDirectories(jar.getParent());
        Files.copy(JAR, jar); // younger than all of them
        String urma = tree.resolve("urma").toString();

        var first = Run.of(urma, "devices");
        String tellsRefusal = "URMA_JAVA_OPTS=-Xlog:aot*=error:stderr"; // of the cache that the first one made
        var second = Run.of("env", tellsRefusal, urma, "devices");

        assertThat(first.exitCode()).as(first.output()).isZero();
        assertThat(first.output()).contains("shm0").doesNotContainIgnoringCase("warning", "building");
        assertThat(second.output()).isEqualTo(first.output());
        assertThat(tree.resolve("urma-tools/target/urma.aot")).exists();
    }

    private static void copy(String file, Path tree) throws IOException {
        Path to = tree.resolve(file);
        Files.createDirectories(to.getParent());
        Files.copy(ROOT.resolve(file), to, StandardCopyOption.COPY_ATTRIBUTES);
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
