package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A shell for tests: runs urma.jar as users do, in processes of their own, which meet in a runtime directory that no
 * other test sees. What a test leaves running is ended with it.
 */
final class Shell {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A build in the background of a script ignores Ctrl-C, and so would all that it starts. */
    private static final List<String> HEARING_CTRL_C = List.of("env", "--default-signal=INT");

    private static final boolean CAN_HEAR = succeeds(HEARING_CTRL_C, "true");

    /** Short runs: what starts quickly is faster than what ends up with the best code. */
    private static final List<String> OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-jar",
            System.getProperty("urma.jar"));

    /** Loaded and linked classes of a run: with them a command starts in half the time. The first shell makes it. */
    private static final class Cache {
        static final Path FILE = made();

        private static Path made() {
            try {
                Path file =
                        Files.createTempFile(Path.of("target"), "shell", ".aot").toAbsolutePath();
                file.toFile().deleteOnExit();
                List<String> line = new ArrayList<>(List.of(java(), "-XX:AOTCacheOutput=" + file, "-Xlog:disable"));
                line.addAll(OPTIONS);
                line.addAll(List.of("perftest", "read_lat", "--local", "-d", "shm0", "-n", "50", "-w", "50"));
                var run = new ProcessBuilder(line)
                        .redirectOutput(Redirect.DISCARD)
                        .redirectError(Redirect.DISCARD)
                        .start();
                assertThat(run.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .as("the run ends: %s", line)
                        .isTrue();
                return file; // an empty one, where this JDK could not make it, slows the tests and fails none
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted while a cache was made", e);
            }
        }
    }

    private final Path folder;
    private final Map<String, String> variables = new HashMap<>();
    private final List<Running> running = new ArrayList<>();

    /** @param folder for the runtime directory and for what the commands print */
    Shell(Path folder) {
        this.folder = folder;
    }

    /** A command that has ended: what it left in its files. */
    record Ended(int exitCode, Path outFile, String err) {
        byte[] stdout() throws IOException {
            return Files.readAllBytes(outFile);
        }

        String out() throws IOException {
            return text(outFile);
        }
    }

    /** Sets a variable of the environment for what is started from now on. */
    Shell with(String variable, String value) {
        variables.put(variable, value);
        return this;
    }

    /** Where processes of this shell meet. */
    Path runtimeDirectory() {
        return folder.resolve("runtime");
    }

    /** Sockets, locks and names that remain although no process runs. */
    List<Path> leftFiles() throws IOException {
        try (var all = Files.walk(runtimeDirectory())) {
            return all.filter(path -> !Files.isDirectory(path)).toList();
        }
    }

    /** Runs a command to its end, with nothing on standard input. */
    Ended run(String... arguments) throws IOException, InterruptedException {
        return runWith(new byte[0], arguments);
    }

    /** Runs a command to its end, with a line on standard input. */
    Ended runWith(String line, String... arguments) throws IOException, InterruptedException {
        return runWith((line + "\n").getBytes(StandardCharsets.UTF_8), arguments);
    }

    Ended runWith(byte[] stdin, String... arguments) throws IOException, InterruptedException {
        Running command = start(arguments);
        command.process.getOutputStream().write(stdin);
        command.process.getOutputStream().close();
        return command.ended();
    }

    /** Whether there is such a command: older ones lack the option. */
    private static boolean succeeds(List<String> prefix, String command) {
        List<String> line = new ArrayList<>(prefix);
        line.add(command);
        try {
            return new ProcessBuilder(line).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Starts a command, and leaves its standard input open. */
    Running start(String... arguments) throws IOException {
        return start(false, arguments);
    }

    /** The same, with standard output as a pipe, which the test reads. */
    Running startWithPipe(String... arguments) throws IOException {
        return start(true, arguments);
    }

    private Running start(boolean pipe, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(CAN_HEAR ? HEARING_CTRL_C : List.of());
        line.add(java());
        line.addAll(List.of("-XX:AOTCache=" + Cache.FILE, "-Xlog:disable", "-Xlog:all=warning,aot*=off:stderr"));
        line.addAll(OPTIONS);
        line.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        var builder = new ProcessBuilder(line)
                .directory(folder.toFile())
                .redirectOutput(pipe ? Redirect.PIPE : Redirect.to(out.toFile()))
                .redirectError(err.toFile());
        builder.environment().put("URMA_RUNTIME_DIR", runtimeDirectory().toString());
        builder.environment().putAll(variables);
        var command = new Running(builder.start(), out, err);
        running.add(command);
        return command;
    }

    /** Starts {@code urma share …}, and waits for its line. */
    Running share(String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of("share"));
        line.addAll(List.of(arguments));
        Running share = start(line.toArray(String[]::new));
        share.awaitErr("urma: sharing ");
        return share;
    }

    /** A command that may still run. */
    record Running(Process process, Path outFile, Path errFile) {
        String out() throws IOException {
            return text(outFile);
        }

        String err() throws IOException {
            return text(errFile);
        }

        /** What {@code urma share} printed. */
        String line() throws IOException {
            String out = out();
            assertThat(out).endsWith("\n").hasLineCount(1);
            return out.strip();
        }

        /** Waits until stderr holds {@code text}. */
        void awaitErr(String text) {
            awaitText(errFile, text);
        }

        /** Waits until stdout holds {@code text}. */
        void awaitOut(String text) {
            awaitText(outFile, text);
        }

        private void awaitText(Path file, String text) {
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
                assertThat(process.isAlive() || text(file).contains(text))
                        .as("ended before '%s' came: %s", text, err())
                        .isTrue();
                return text(file).contains(text);
            });
        }

        /** Sends a signal by its name, as Ctrl-C sends INT. */
        void signal(String name) throws IOException, InterruptedException {
            var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .inheritIO()
                    .start();
            assertThat(kill.waitFor()).isZero();
        }

        Ended interrupted() throws IOException, InterruptedException {
            signal("INT");
            return ended();
        }

        Ended ended() throws IOException, InterruptedException {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("still runs: %s%n%s", out(), err())
                    .isTrue();
            return new Ended(process.exitValue(), outFile, err());
        }
    }

    /** What a command printed, which need not be text. */
    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    /** Ends what still runs. */
    void end() throws InterruptedException {
        for (Running command : running) {
            command.process.descendants().forEach(ProcessHandle::destroyForcibly);
            command.process.destroyForcibly();
            command.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
