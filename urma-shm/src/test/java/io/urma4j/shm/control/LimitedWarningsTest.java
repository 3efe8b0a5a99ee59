package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class LimitedWarningsTest {
    private static final long SECOND = 1_000_000_000;

    private final LimitedWarnings warnings = new LimitedWarnings(System.getLogger("test"));
    private final long start = System.nanoTime();

    @Test
    void aFewAreSaidAndTheRestIsCounted() {
        int said = 0;
        for (int i = 0; i < 1_000; i++) {
            said += warnings.allowance(start) >= 0 ? 1 : 0;
        }

        assertThat(said).as("eight, and the one of this second").isEqualTo(9);
        assertThat(warnings.allowance(start + 3 * SECOND)).isEqualTo(1_000 - said);
        assertThat(warnings.allowance(start + 3 * SECOND)).isZero();
    }

    @Test
    void aLineNamesTheNumberOfThoseSuppressedBeforeIt() {
        List<String> lines = new ArrayList<>();
        var logged = new LimitedWarnings(new Lines(lines));
        logged.log(() -> "first");
        long past = System.nanoTime() - 100 * SECOND;
        assertThat(logged.allowance(past)).isEqualTo(-1);

        logged.log(() -> "second");

        assertThat(lines).containsExactly("WARNING first", "WARNING second (and 1 earlier ones)");
    }

    @Test
    void aSuppressedOneIsNotLogged() {
        List<String> lines = new ArrayList<>();
        var logged = new LimitedWarnings(new Lines(lines));
        long future = System.nanoTime() + 100 * SECOND;
        assertThat(logged.allowance(future)).isZero();

        logged.log(() -> "now");

        assertThat(lines).isEmpty();
    }

    private record Lines(List<String> lines) implements System.Logger {
        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, Supplier<String> message) {
            lines.add(level + " " + message.get());
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            throw new AssertionError(message, thrown);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... arguments) {
            throw new AssertionError(format);
        }
    }
}
