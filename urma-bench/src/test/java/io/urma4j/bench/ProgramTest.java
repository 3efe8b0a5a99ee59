package io.urma4j.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.bench.compare.Compare;
import io.urma4j.bench.compare.Guard;
import io.urma4j.bench.gpu.Gpu;
import io.urma4j.bench.scale.Scale;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The options of this module's programs: a wrong one is reported before anything is measured. */
@Timeout(30)
class ProgramTest {
    private static final Map<String, Supplier<Callable<Integer>>> PROGRAMS = Map.of(
            "numbers",
            Numbers::new,
            "compare",
            Compare::new,
            "guard",
            Guard::new,
            "scale",
            Scale::new,
            "gpu",
            () -> new Gpu(Optional.of("/nonexistent/libcuda.so.1")));

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder;

    private int run(String words) {
        String[] all = words.split(" ", -1);
        CommandLine program = Program.of(PROGRAMS.get(all[0]).get())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err));
        return program.execute(Arrays.copyOfRange(all, 1, all.length));
    }

    @ParameterizedTest
    @ValueSource(strings = {"numbers", "compare", "guard", "scale", "gpu"})
    void eachHelps(String program) {
        assertThat(run(program + " --help")).isZero();
        assertThat(out.toString()).startsWith("Usage: " + program).contains("--help");
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "numbers --nonsense",
                "numbers --quick x",
                "compare --rounds x",
                "compare --rounds 0",
                "compare --millis 0",
                "compare --only nonsense",
                "compare --resume",
                "guard --pairs",
                "guard --millis -5",
                "scale --only nonsense",
                "gpu",
                "gpu --part copy",
                "gpu --out no-folder",
                "gpu --part nonsense --out no-folder",
                "gpu --part copy --out no-folder --pack file",
                "gpu --part copy --out no-folder nonsense"
            })
    void aWrongUseIsOneLineAndAHint(String words) {
        String program = words.split(" ", 2)[0];

        assertThat(run(words)).isEqualTo(2);
        assertThat(err.toString())
                .startsWith(program + ": ")
                .endsWith(program + ": see 'urma-bench/" + program + " --help'\n")
                .hasLineCount(2);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "numbers --quick --only write-8 --json FOLDER",
                "numbers --quick --only write-8 --json FOLDER/no/figures.json",
                "numbers --quick --only write-8 --json /",
                "scale --quick --only segments --json FOLDER",
                "scale --quick --only segments --json FOLDER/no/figures.json",
                "gpu --part contract --out FOLDER/file",
                "gpu --part copy --out FOLDER/file/in",
                "compare --quick --only shm-fadd --no-install --out FOLDER/file",
                "compare --quick --only shm-fadd --no-install --out FOLDER/file/in"
            })
    void whereNothingCanBeWrittenNothingIsMeasured(String words) throws Exception {
        Files.writeString(folder.resolve("file"), "");

        assertThat(run(words.replace("FOLDER", folder.toString()))).isEqualTo(2);
        assertThat(err.toString()).contains(" can").hasLineCount(1).doesNotContain("null");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactly(folder.resolve("file"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"figures.json", "file"})
    void aFileThatCanBeWrittenIsLeftAsItIs(String name) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "as it is");

        Destination.checkFile(folder.resolve(name));

        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactly(file);
        }
        assertThat(file).hasContent("as it is");
    }
}
