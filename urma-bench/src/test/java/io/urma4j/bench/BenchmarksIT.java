package io.urma4j.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JMH benchmarks, as {@code java -jar bench.jar} runs them: what they measure is no matter here. */
class BenchmarksIT {
    private static final Path JAR = Path.of("target", "bench.jar").toAbsolutePath();

    @TempDir
    Path folder;

    @Test
    void eachBenchmarkRuns() throws Exception {
        List<String> names = jmh("-l")
                .lines()
                .filter(line -> line.startsWith("io.urma4j.bench."))
                .toList();

        // one short iteration each, in one process; whatever fails ends the run
        String output = jmh("-f", "0", "-wi", "0", "-i", "1", "-r", "10ms", "-foe", "true");

        assertThat(names).hasSizeGreaterThan(3);
        assertThat(names).allSatisfy(name -> {
            String inTable = name.substring("io.urma4j.bench.".length());
            assertThat(output).containsPattern("(?m)^" + inTable + " .* ns/op$");
        });
    }

    private String jmh(String... arguments) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // JMH lets one run of the machine at a time measure, by a lock there
        line.addAll(List.of("-XX:+UseSerialGC", "-Djava.io.tmpdir=" + folder, "-jar", JAR.toString()));
        line.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("URMA_RUNTIME_DIR", folder.resolve("runtime").toString());
        Process process = builder.start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS))
                    .as("still runs: %s", Files.readString(output))
                    .isTrue();
            assertThat(process.exitValue()).as(Files.readString(output)).isZero();
            return Files.readString(output);
        } finally {
            process.destroyForcibly();
        }
    }
}
