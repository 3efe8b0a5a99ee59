package io.urma4j.bench.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** Each part without a device, also on machines that have one. */
@Timeout(60)
class GpuTest {
    private static final String NO_LIBRARY = "/nonexistent/libcuda.so.1";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder;

    private int run(String... words) {
        return new CommandLine(new Gpu(Optional.of(NO_LIBRARY)))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(words);
    }

    @ParameterizedTest
    @EnumSource(Part.class)
    void withoutADeviceAPartIsSkippedWithTheReason(Part part) throws Exception {
        Path reports = folder.resolve("made/on/the/way");

        assertThat(run("--part", part.name(), "--out", reports.toString())).isZero();

        assertThat(out.toString())
                .startsWith(part + ", ")
                .contains("\nskipped: ", NO_LIBRARY)
                .hasLineCount(2)
                .doesNotContainIgnoringCase("passed");
        assertThat(err.toString()).isEmpty();
        assertThat(reports.resolve(part + ".txt")).hasContent(out.toString());
        try (Stream<Path> files = Files.list(reports)) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void anUnknownPartIsRefusedWithTheKnownOnes() {
        assertThat(run("--part", "nonsense", "--out", folder.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("'--part'", "nonsense", "contract, copy, served, ipc, kv");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void packingGoesAlone() {
        assertThat(run("--part", "copy", "--out", folder.resolve("no").toString(), "--pack", "file"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--pack goes alone");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void theHelpDescribesEachPart() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).startsWith("Usage: gpu --part PART --out DIR");
        for (Part part : Part.values()) {
            assertThat(out.toString()).contains(part + ": ");
        }
    }
}
