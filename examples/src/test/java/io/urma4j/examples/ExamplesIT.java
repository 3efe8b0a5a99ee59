package io.urma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Each example does what its page says, on each provider. */
@ParameterizedClass
@ValueSource(strings = {"shm0", "udma0"})
class ExamplesIT {
    @Parameter
    String device;

    @TempDir
    Path folder;

    private Programs programs;

    @BeforeEach
    void begin() {
        programs = new Programs(folder, device);
    }

    @AfterEach
    void end() {
        programs.close();
    }

    @Test
    void readersOfTheCacheSeeWholeValues() throws Exception {
        programs.java("home", "Cache.java", "home");
        programs.awaitText("home", "The cache is open");

        programs.java("reader", "Cache.java");
        programs.java("other", "Cache.java");

        assertThat(programs.ended("reader")).startsWith("Read 2000 whole values");
        assertThat(programs.ended("other")).startsWith("Read 2000 whole values");
    }

    @Test
    void queuesAreFilledStoppedAndSetGoingAgain() throws Exception {
        programs.java("home", "Queues.java", "home");
        programs.awaitText("home", "The home waits");

        programs.java("visitor", "Queues.java");

        assertThat(programs.ended("visitor")).isEqualTo("""
                Wrote 1000 words: SUCCESS
                Stopped: 3 came back, the first with WR_UNHANDLED
                Goes on: SUCCESS
                Said goodbye: SUCCESS
                """);
        assertThat(programs.ended("home")).endsWith("A note says that 1000 words are there; their sum is 499500\n");
    }

    @Test
    void workersShareTheWork() throws Exception {
        programs.java("boss", "WorkQueue.java", "boss", "1000");
        programs.awaitText("boss", "The boss waits");

        programs.java("one", "WorkQueue.java");
        programs.java("two", "WorkQueue.java");

        assertThat(programs.ended("boss")).contains("workers did 1000 pieces, the sum of their squares is 333833500\n");
    }

    @Test
    void processesGoThroughTheBarrierTogether() throws Exception {
        programs.java("home", "Barrier.java", "home", "2");
        programs.awaitText("home", "The barrier is open");

        programs.java("one", "Barrier.java", "2");
        programs.java("two", "Barrier.java", "2");

        assertThat(programs.ended("one")).isEqualTo("Saw every sum\n");
        assertThat(programs.ended("two")).isEqualTo("Saw every sum\n");
        assertThat(programs.ended("home")).endsWith("Counted to 20000\n");
    }

    @Test
    void oneSelectorHearsTcpAndUrma() throws Exception {
        programs.java("server", "OneSelector.java", "server");
        programs.awaitText("server", "The server waits");

        programs.java("visitor", "OneSelector.java");

        assertThat(programs.ended("server")).contains("By URMA: hello\n").contains("By TCP: hello\n");
        assertThat(programs.ended("visitor")).isEqualTo("Said hello twice\n");
    }
}
