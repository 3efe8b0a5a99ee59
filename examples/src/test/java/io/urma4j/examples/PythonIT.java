package io.urma4j.examples;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A segment of this JVM, in the hands of a Python program. */
class PythonIT {
    @TempDir
    Path folder;

    private Programs programs;
    private Urma urma;
    private UrmaContext context;

    @BeforeEach
    void openContext() throws Exception {
        assumeTrue(hasPython(), "there is no python3 of version 3.9 or later here");
        programs = new Programs(folder, "shm0");
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(programs.runtimeDirectory()));
        context = urma.device("shm0").openContext();
    }

    @AfterEach
    void end() {
        if (programs != null) {
            programs.close();
        }
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

        programs.python("reader", "read", "board", "5000", "15");
        assertThat(programs.ended("reader")).isEqualTo("written in Java");
        programs.python("writer", "write", "board", "5011", "Python");
        assertThat(programs.ended("writer")).isEmpty();

        assertThat(board.memory().getString(5000, StandardCharsets.UTF_8)).isEqualTo("written in Python");
    }

    @Test
    void pythonSeesEachChangeAndLetsGoWhenTheSegmentIsClosed() throws Exception {
        LocalSegment board = published(Access.READ);
        board.memory().set(JAVA_LONG, 8, 41);
        programs.python("watcher", "watch", "board", "8");
        programs.awaitText("watcher", "41\n");

        board.memory().set(JAVA_LONG, 8, 42);
        programs.awaitText("watcher", "42\n");
        assertThat(board.importers()).hasSize(1);

        assertThat(board.unregister(Duration.ofSeconds(10)).isComplete()).isTrue();
        assertThat(programs.ended("watcher")).endsWith("the home has taken it back\n");
    }

    @Test
    void whatIsNotAllowedIsRefusedWithTheReason() throws Exception {
        published(Access.READ);

        programs.python("writer", "write", "board", "0", "no");
        programs.python("reader", "read", "nothing", "0", "1");

        assertThat(programs.ended("writer", 1)).contains("'board' was published for reading alone");
        assertThat(programs.ended("reader", 1)).contains("no process has published 'nothing'");
    }
}
