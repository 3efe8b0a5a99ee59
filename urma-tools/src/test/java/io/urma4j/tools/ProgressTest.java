package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final StringWriter err = new StringWriter();

    @Test
    void aStepOfOneCallThatTakesLongerThanASecondIsTold() {
        String result = Progress.during(new PrintWriter(err), "reserving 5 GiB", () -> {
            await().until(() -> err.toString().contains("urma: reserving 5 GiB …"));
            return "memory";
        });

        assertThat(result).isEqualTo("memory");
    }

    @Test
    void aStepThatTakesLongerThanItMayIsWhole() {
        try (Progress progress = Progress.of(new PrintWriter(err), "reading")) {
            await().until(() -> {
                progress.at(30, 10);
                return err.toString().contains("reading 100 %");
            });
        }
    }

    @Test
    void aShortStepIsNotTold() {
        String result = Progress.during(new PrintWriter(err), "reserving 8 B", () -> "memory");

        assertThat(result).isEqualTo("memory");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void theFailureOfAStepIsHandedOn() {
        assertThatThrownBy(() -> Progress.during(new PrintWriter(err), "reserving 5 GiB", () -> {
                    throw new CommandFailure("no memory");
                }))
                .hasMessage("no memory");
    }
}
