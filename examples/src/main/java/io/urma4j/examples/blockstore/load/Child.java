package io.urma4j.examples.blockstore.load;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process of the load, which can be started again. Its output goes to a file; it ends with its standard input. */
final class Child implements AutoCloseable {
    private final String name;
    private final List<String> command;
    private final Map<String, String> environment;
    private final Path log;
    private Process process;

    /**
     * Starts it.
     *
     * @param main its class
     */
    Child(String name, Path folder, Map<String, String> environment, Class<?> main, String... arguments)
            throws IOException {
        this.name = name;
        this.environment = environment;
        this.log = folder.resolve(name + ".log");
        this.command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:-UsePerfData", // a killed process would leave its file in /tmp
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        this.process = started();
    }

    private Process started() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        return builder.start();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL; returns when it is dead. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Starts it again after a kill. */
    void restart() throws IOException {
        process = started();
    }

    /** SIGSTOP. */
    void stop() throws IOException, InterruptedException {
        signal("-STOP");
    }

    /** SIGCONT. */
    void goOn() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                .redirectOutput(new File("/dev/null"))
                .redirectErrorStream(true)
                .start()
                .waitFor();
    }

    /** Ends its standard input. */
    void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // it was never written to
        }
    }

    /** Its exit code, or -1 if it does not end in time. */
    int exitCode(Duration timeout) throws InterruptedException {
        return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS) ? process.exitValue() : -1;
    }

    /** What it has written, in all of its lives. */
    String output() throws IOException {
        return Files.readString(log);
    }

    /** Kills it if it still lives. */
    @Override
    public void close() {
        process.destroyForcibly();
    }

    @Override
    public String toString() {
        return name;
    }
}
