package io.urma4j.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The other process of a figure: this program, with another main class. Commands are lines on its standard input and
 * answers are lines on its standard output, so that no secret is ever an argument.
 */
public final class ChildProcess implements AutoCloseable {
    private final Process process;
    private final PrintWriter toChild;
    private final BufferedReader fromChild;

    private ChildProcess(Process process) {
        this.process = process;
        this.toChild = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        this.fromChild = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts it in a role, with this JVM's own options. */
    static ChildProcess start(Child.Role role) throws IOException {
        return start(System.getProperty("java.class.path"), Child.class.getName(), role.name());
    }

    /** Starts another program, with this JVM's own options, which speaks the same way. */
    public static ChildProcess start(String classPath, String... program) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", classPath));
        command.addAll(List.of(program));
        return new ChildProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    long pid() {
        return process.pid();
    }

    /** Says something. */
    public void say(String line) {
        toChild.println(line);
    }

    /** What it says next, which must come. */
    public String hear() throws IOException {
        String line = fromChild.readLine();
        if (line == null) {
            throw new IOException("the child process has ended: its last words are above");
        }
        return line;
    }

    /** Says something, and waits for the answer. */
    String ask(String line) {
        say(line);
        return answer();
    }

    /** The same, without a checked exception. */
    String answer() {
        try {
            return hear();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        toChild.close(); // the end of its input is its end
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
