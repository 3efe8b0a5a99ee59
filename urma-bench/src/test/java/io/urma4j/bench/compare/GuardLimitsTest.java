package io.urma4j.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuardLimitsTest {
    private static final String ROW = Guard.names().getFirst();

    @TempDir
    Path folder;

    @Test
    void whatWasWrittenIsRead() throws Exception {
        Path file = folder.resolve("guard.properties");
        GuardLimits written = new GuardLimits("2 CPUs of a processor (family 26, model 2)", Map.of(ROW, 2.5));

        written.write(file);

        assertThat(GuardLimits.read(file)).isEqualTo(written);
        assertThat(GuardLimits.read(file).of(ROW)).isEqualTo(2.5);
    }

    @Test
    void sevenRowsOfOneThreadAreRecorded() {
        assertThat(Guard.names().stream().filter(Guard::isRecorded))
                .hasSize(7)
                .allSatisfy(row -> assertThat(row).matches("(shm|buffer)-.*"));
    }

    @Test
    void limitsAreOfOneKindOfMachine() {
        GuardLimits limits = new GuardLimits("2 CPUs of A", Map.of());

        assertThat(limits.areOf("2 CPUs of A")).isTrue();
        assertThat(limits.areOf("4 CPUs of A")).isFalse();
    }

    @Test
    void limitsByHandAreOfNoMachine() throws Exception {
        Path file = Files.writeString(folder.resolve("guard.properties"), ROW + "=2.50\n");

        assertThat(GuardLimits.read(file).areOf(Machine.kind())).isFalse();
    }

    @Test
    void aMissingFileLimitsNothing() throws Exception {
        assertThat(GuardLimits.read(folder.resolve("none")).of(ROW)).isEqualTo(Double.POSITIVE_INFINITY);
    }
}
