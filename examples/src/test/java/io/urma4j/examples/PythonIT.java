package io.urma4j.examples;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A segment of this JVM, in the hands of a Python program. */
class PythonIT {
    private static final Path PROGRAM = Path.of(System.getProperty("urma.jar"))
            .resolve("../../../examples/python/urma_segment.py")
            .normalize();

    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();
    private Urma urma;
    private UrmaContext context;

    @BeforeEach
    void openContext() throws Exception {
        assumeTrue(hasPython(), "there is no python3 of version 3.9 or later here");
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(folder.resolve("runtime")));
        context = urma.device("shm0").openContext();
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
        if (urma != null) {
            urma.close();
        }
    }

    private static boolean hasPython() throws InterruptedException {
        try {
            return new ProcessBuilder("python3", "-c", "import socket; socket.recv_fds")
                            .redirectErrorStream(true)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private LocalSegment published(Access access) {
        LocalSegment segment = context.register(context.allocate(8192), access);
        segment.publish("board");
        return segment;
    }

    @Test
    void pythonReadsWhatWeWroteAndWeSeeWhatItWrote() throws Exception {
        LocalSegment board = published(Access.READ_WRITE);
        board.memory().setString(5000, "written in Java", StandardCharsets.UTF_8);

        assertThat(ended(start("read", "board", "5000", "15"), 0)).isEqualTo("written in Java");
        assertThat(ended(start("write", "board", "5011", "Python"), 0)).isEmpty();

        assertThat(board.memory().getString(5000, StandardCharsets.UTF_8)).isEqualTo("written in Python");
    }

    @Test
    void pythonSeesEachChangeAndLetsGoWhenTheSegmentIsClosed() throws Exception {
        LocalSegment board = published(Access.READ);
        board.memory().set(JAVA_LONG, 8, 41);
        Process watcher = start("watch", "board", "8");
        awaitLine(watcher, "41");

        board.memory().set(JAVA_LONG, 8, 42);
        awaitLine(watcher, "42");
        assertThat(board.importers()).hasSize(1);

        assertThat(board.unregister(Duration.ofSeconds(10)).isComplete()).isTrue();
        assertThat(ended(watcher, 0)).endsWith("the home has taken it back\n");
    }

    @Test
    void whatIsNotAllowedIsRefusedWithTheReason() throws Exception {
        published(Access.READ);

        assertThat(ended(start("write", "board", "0", "no"), 1)).contains("'board' was published for reading alone");
        assertThat(ended(start("read", "nothing", "0", "1"), 1)).contains("nobody has published 'nothing'");
    }

    private Process start(String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of("python3", PROGRAM.toString()));
        line.addAll(List.of(arguments));
        var builder = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(output(processes.size()).toFile());
        builder.environment().put("URMA_RUNTIME_DIR", folder.resolve("runtime").toString());
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private void awaitLine(Process process, String line) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(read(process).lines()).contains(line));
    }

    private String ended(Process process, int exitCode) throws IOException, InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(read(process)).isTrue();
        assertThat(process.exitValue()).as(read(process)).isEqualTo(exitCode);
        return read(process);
    }

    private String read(Process process) throws IOException {
        return Files.readString(output(processes.indexOf(process)));
    }

    private Path output(int number) {
        return folder.resolve(number + ".out");
    }
}
