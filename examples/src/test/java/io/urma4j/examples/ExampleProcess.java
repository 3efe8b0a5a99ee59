package io.urma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A main class of the examples as a process with the class path of this test. Its output goes to a file. */
public final class ExampleProcess implements AutoCloseable {
    private final Process process;
    private final Path output;

    /** Starts it; the file lies in {@code folder}. */
    public ExampleProcess(Class<?> main, Path folder, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        line.addAll(List.of(arguments));
        output = folder.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        process = builder.start();
    }

    /** Its exit code once it has ended, which it must do in time. */
    public int exitCode(Duration limit) throws IOException, InterruptedException {
        assertThat(process.waitFor(limit.toSeconds(), TimeUnit.SECONDS))
                .as(output())
                .isTrue();
        return process.exitValue();
    }

    /** What it has written so far. */
    public String output() throws IOException {
        return Files.readString(output);
    }

    /** Kills it and the processes that it started, if they still live. */
    @Override
    public void close() {
        List<ProcessHandle> started = process.descendants().toList();
        process.destroyForcibly(); // first: it might start others
        started.forEach(ProcessHandle::destroyForcibly);
    }
}
