package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Programs in a JVM of their own. */
final class Java {
    private static final int LIMIT_SECONDS = 60;

    /** A process that has ended: its exit code, and what it wrote to stdout and stderr together. */
    record Ended(int code, String output) {}

    private Java() {}

    /** Runs {@code java} with these arguments, and waits for its end. */
    static Ended run(Map<String, String> environment, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
        Path output = Files.createTempFile("urma-socket", ".out");
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            return new Ended(process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }
}
