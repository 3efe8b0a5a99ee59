package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a process printed and returned, once it had ended. */
record Ended(int code, String output) {
    private static final int PATIENCE_SECONDS = 90;

    /** A path of the JDK that runs this. */
    static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /** Runs a class of the tests with these options of {@code java}. */
    static Ended java(Class<?> program, Path runtimeDirectory, String... options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(tool("java"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        return of(command, runtimeDirectory, Map.of());
    }

    /** Runs a command with these variables, whose names and sockets of urma4j lie in this directory. */
    static Ended of(List<String> command, Path runtimeDirectory, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("urma-socket", ".out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("URMA_RUNTIME_DIR", runtimeDirectory.toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            return new Ended(process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }
}
