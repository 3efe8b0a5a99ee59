package io.urma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The examples as processes, each with its output in a file of its name. They meet in a folder of their own. */
final class Programs implements AutoCloseable {
    /** This module: where its tests run. */
    private static final Path EXAMPLES = Path.of("").toAbsolutePath();

    private final Path folder;
    private final String device;
    private final Map<String, Process> processes = new HashMap<>();

    /** All of them use that device. */
    Programs(Path folder, String device) {
        this.folder = folder;
        this.device = device;
    }

    static Path source(String file) {
        return EXAMPLES.resolve(file);
    }

    Path runtimeDirectory() {
        return folder.resolve("runtime");
    }

    /** Starts one of the files by {@code java}, as a newcomer does; the library is that of this test. */
    void java(String name, String file, String... arguments) throws IOException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")); // a short run: it compiles its file first
        line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path")));
        line.add(source(file).toString());
        start(name, line, arguments);
    }

    void python(String name, String... arguments) throws IOException {
        start(name, List.of("python3", source("python/urma_segment.py").toString()), arguments);
    }

    private void start(String name, List<String> command, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(command);
        line.addAll(List.of(arguments));
        var builder = new ProcessBuilder(line)
                .redirectErrorStream(true) // so that a warning would show
                .redirectOutput(folder.resolve(name + ".out").toFile());
        builder.environment().put("URMA_RUNTIME_DIR", runtimeDirectory().toString());
        builder.environment().put("URMA_DEVICE", device);
        builder.environment().put("URMA_UDMA_ADDRESSES", "127.0.0.1");
        processes.put(name, builder.start());
    }

    /** Types a line. */
    void type(String name, String text) throws IOException {
        var in = processes.get(name).getOutputStream();
        in.write((text + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    void awaitText(String name, String text) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(output(name)).contains(text));
    }

    /** Its output, once it has ended well. */
    String ended(String name) throws IOException, InterruptedException {
        return ended(name, 0);
    }

    String ended(String name, int exitCode) throws IOException, InterruptedException {
        Process process = processes.get(name);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output(name)).isTrue();
        assertThat(process.exitValue()).as(output(name)).isEqualTo(exitCode);
        return output(name);
    }

    String output(String name) throws IOException {
        return Files.readString(folder.resolve(name + ".out"));
    }

    @Override
    public void close() {
        processes.values().forEach(Process::destroyForcibly);
    }
}
