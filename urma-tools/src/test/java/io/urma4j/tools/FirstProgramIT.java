package io.urma4j.tools;

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

/** The program of the README with {@code urma.jar} and nothing else on its class path, on the device that it gets. */
class FirstProgramIT {
    private static final String JAR = System.getProperty("urma.jar");
    private static final Path PROGRAM = Path.of("../examples/Hello.java").toAbsolutePath();

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
    }

    private Process start(String name, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                JAR,
                PROGRAM.toString()));
        line.addAll(List.of(arguments));
        var builder = new ProcessBuilder(line)
                .redirectErrorStream(true) // so that a warning would show
                .redirectOutput(output(name).toFile());
        builder.environment().put("URMA_RUNTIME_DIR", folder.resolve("runtime").toString());
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private Path output(String name) {
        return folder.resolve(name + ".out");
    }

    private String ended(String name, Process process) throws Exception {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(name).isTrue();
        String text = Files.readString(output(name));
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }

    @Test
    void theHomeSeesWhatTheVisitorWrote() throws Exception {
        Process home = start("home", "home");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> Files.readString(output("home")).contains("The board is open"));

        assertThat(ended("visitor", start("visitor"))).isEqualTo("Wrote as visitor 1\n");
        home.getOutputStream().write("\n".getBytes(StandardCharsets.UTF_8));
        home.getOutputStream().close();

        assertThat(ended("home", home)).endsWith("It says: hello from visitor 1\n");
    }
}
