package io.urma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A newcomer's first program: one file, started by java with the jar, in two terminals. */
class HelloIT {
    private static final Path JAR = Path.of(System.getProperty("urma.jar"));
    private static final Path HELLO =
            JAR.resolve("../../../examples/Hello.java").normalize();

    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void theHomeSeesWhatVisitorsWrote() throws Exception {
        Process home = start("home", "home");
        awaitText("home", "The board is open");

        assertThat(ended(start("first"), "first")).isEqualTo("Wrote as visitor 1\n");
        assertThat(ended(start("second"), "second")).isEqualTo("Wrote as visitor 2\n");
        home.getOutputStream().write('\n');
        home.getOutputStream().flush();

        assertThat(ended(home, "home")).endsWith("It says: hello from visitor 2\n");
    }

    @Test
    void bothSidesFitOnAScreen() throws Exception {
        assertThat(Files.readAllLines(HELLO)).hasSizeLessThanOrEqualTo(30);
    }

    private Process start(String name, String... arguments) throws IOException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", JAR.toString(), HELLO.toString()));
        line.addAll(List.of(arguments));
        var builder = new ProcessBuilder(line)
                .redirectErrorStream(true) // so that a warning would show
                .redirectOutput(output(name).toFile());
        builder.environment().put("URMA_RUNTIME_DIR", folder.resolve("runtime").toString());
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private String ended(Process process, String name) throws IOException, InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(read(name)).isTrue();
        assertThat(process.exitValue()).as(read(name)).isZero();
        return read(name);
    }

    private void awaitText(String name, String text) {
        await().atMost(Duration.ofSeconds(60)).until(() -> read(name).contains(text));
    }

    private Path output(String name) {
        return folder.resolve(name + ".out");
    }

    private String read(String name) throws IOException {
        return Files.readString(output(name), StandardCharsets.UTF_8);
    }
}
