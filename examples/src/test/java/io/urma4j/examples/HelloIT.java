package io.urma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A newcomer's first program: one file, started by java, in two terminals, on each provider. */
@ParameterizedClass
@ValueSource(strings = {"shm0", "udma0"})
class HelloIT {
    @Parameter
    String device;

    @TempDir
    Path folder;

    @Test
    void theHomeSeesWhatVisitorsWrote() throws Exception {
        try (Programs programs = new Programs(folder, device)) {
            programs.java("home", "Hello.java", "home");
            programs.awaitText("home", "The board is open");

            programs.java("first", "Hello.java");
            assertThat(programs.ended("first")).isEqualTo("Wrote as visitor 1\n");
            programs.java("second", "Hello.java");
            assertThat(programs.ended("second")).isEqualTo("Wrote as visitor 2\n");
            programs.type("home", "");

            assertThat(programs.ended("home")).endsWith("It says: hello from visitor 2\n");
        }
    }

    @Test
    void itIsWhatTheReadmeShows() throws Exception {
        Path program = Programs.source("Hello.java");

        assertThat(program.resolveSibling("../README.md"))
                .content()
                .contains("```java\n" + Files.readString(program) + "```\n");
    }

    @Test
    void bothSidesFitOnAScreen() throws Exception {
        assertThat(Files.readAllLines(Programs.source("Hello.java"))).hasSizeLessThanOrEqualTo(30);
    }
}
