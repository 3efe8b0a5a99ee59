package io.urma4j.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A user's project, in its own folder: one program, the jars of the artifact {@code io.urma4j:urma4j}, and their
 * dependencies. It cannot reach the build's class path, such as JSpecify.
 */
final class Consumer {
    private static final Path ROOT =
            Path.of(System.getProperty("urma.jar")).resolve("../../..").normalize();
    private static final Path TOOLS = Path.of(System.getProperty("java.home"), "bin");

    private final Path folder;

    /** A project that has the jars, and no source yet. */
    Consumer(Path folder) throws IOException {
        this.folder = folder;
        Files.createDirectories(libraries());
        for (String artifact : List.of("urma4j", "urma-core", "urma-native", "urma-shm", "urma-udma")) {
            Path jar = jar(artifact);
            Files.copy(jar, libraries().resolve(jar.getFileName()));
        }
    }

    /** What a program ended with. */
    record Ended(int exitCode, String output) {
        /** Its output, once it is sure that it ended well. */
        String well() {
            assertThat(exitCode).as(output).isZero();
            return output;
        }
    }

    Path libraries() {
        return folder.resolve("lib");
    }

    Path classes() {
        return folder.resolve("classes");
    }

    /** For {@code --module-path}: our jars and the project's own classes. */
    String modulePath() {
        return libraries() + File.pathSeparator + classes();
    }

    /** For {@code --class-path}. */
    String classPath() {
        return libraries().resolve("*") + File.pathSeparator + classes();
    }

    void write(String file, String text) throws IOException {
        Path path = folder.resolve("src").resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    /** Compiles all sources; a warning is a failure. */
    void compile(String... pathOption) throws IOException, InterruptedException {
        List<String> arguments =
                new ArrayList<>(List.of("-Xlint:all", "-Werror", "-d", classes().toString()));
        arguments.addAll(List.of(pathOption));
        try (Stream<Path> sources = Files.walk(folder.resolve("src"))) {
            sources.filter(source -> source.toString().endsWith(".java"))
                    .map(Path::toString)
                    .forEach(arguments::add);
        }
        assertThat(tool("javac", arguments.toArray(String[]::new)).well()).isEmpty();
    }

    /** Runs a tool of this JDK. */
    Ended tool(String tool, String... arguments) throws IOException, InterruptedException {
        return run(TOOLS.resolve(tool), arguments);
    }

    Ended run(Path program, String... arguments) throws IOException, InterruptedException {
        return run(Duration.ofMinutes(2), program, arguments);
    }

    /** The same, of a program that may take longer. */
    Ended run(Duration patience, Path program, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "run", ".out");
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true) // so that a warning would show
                .redirectOutput(output.toFile());
        builder.environment().put("URMA_RUNTIME_DIR", folder.resolve("runtime").toString());
        builder.environment().put("URMA_UDMA_ADDRESSES", "127.0.0.1");
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            assertThat(process.waitFor(patience.toSeconds(), TimeUnit.SECONDS))
                    .as(command.toString())
                    .isTrue();
            return new Ended(process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
        }
    }

    private static Path jar(String artifact) throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve(artifact).resolve("target"))) {
            List<Path> jars = files.filter(file -> file.getFileName().toString().matches(artifact + "-[0-9].*\\.jar"))
                    .filter(file -> !file.getFileName().toString().matches(".*-(sources|javadoc)\\.jar"))
                    .toList();
            assertThat(jars).as("jars of " + artifact).hasSize(1);
            return jars.getFirst();
        }
    }
}
