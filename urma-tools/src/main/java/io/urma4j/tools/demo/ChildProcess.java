package io.urma4j.tools.demo;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Ending;
import io.urma4j.tools.Line;
import io.urma4j.tools.OwnLauncher;
import io.urma4j.tools.Progress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The leader's handle of a process of the demo: a separate JVM, started like this one, that reads requests from stdin
 * and answers on stdout. For one thread.
 */
final class ChildProcess implements AutoCloseable {
    private static final Duration TIME_TO_END = Duration.ofSeconds(6);
    private static final long TICK_MILLIS = 200;

    /** Ctrl-C reaches all processes of a terminal in random order. The delay lets this process report it first. */
    private static final long SIGNAL_MILLIS = 300;

    /** The reader's mark after the last line. */
    private static final String ENDED = "";

    private final String name;
    private final Process process;
    private final PrintWriter requests;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private long asked;

    private ChildProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.requests = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        Thread.ofPlatform().daemon().name("answers of " + name).start(this::listen);
    }

    /** Starts {@code urma command} and gives it a name for messages. */
    static ChildProcess start(String name, String command) throws IOException {
        List<String> line = OwnLauncher.command();
        line.add(command);
        return new ChildProcess(
                name,
                new ProcessBuilder(line)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
    }

    private void listen() {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (Line.isLine(line)) {
                    answers.add(line);
                } else {
                    System.err.println(line); // the JVM's own words, such as a warning
                }
            }
        } catch (IOException e) {
            // the same as its end
        }
        answers.add(ENDED);
    }

    String name() {
        return name;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Sends a request, and returns at once. */
    void ask(Line request) {
        asked++;
        requests.println(request.with(Line.REQUEST, asked).encode());
    }

    /**
     * Waits for the answer to the last request. Skips answers to earlier requests that were never awaited.
     *
     * @param progress shows that it works, and how far it is
     * @param others receives each line that is neither the answer nor progress
     * @throws CommandFailure when it says that it failed
     * @throws Lost when it ended, or did not answer in time
     */
    Line answer(Duration timeout, Progress progress, Consumer<Line> others) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            Line line = next(deadline, progress);
            if (line.number(Line.REQUEST) == asked) {
                switch (line.verb()) {
                    case Line.OK -> {
                        return line;
                    }
                    case Line.FAILED -> throw new CommandFailure(name + ": " + line.text("message"));
                    case Line.PROGRESS -> progress.at(line.number("done"), line.number("whole"));
                    default -> others.accept(line);
                }
            }
        }
    }

    private Line next(long deadlineNanos, Progress progress) throws InterruptedException {
        String text = null;
        while (text == null) {
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new Lost(this + " does not answer; see 'urma doctor'");
            }
            text = answers.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
            progress.still();
        }
        if (text.equals(ENDED)) {
            Thread.sleep(SIGNAL_MILLIS);
            throw new Lost(this + " ended unexpectedly" + exitCode() + "; see 'urma doctor'");
        }
        return Line.decode(text);
    }

    /** The process is gone, or does not react: nothing more can be asked of it. */
    static final class Lost extends CommandFailure {
        private static final long serialVersionUID = 1L;

        Lost(String message) {
            super(message);
        }
    }

    private String exitCode() throws InterruptedException {
        return process.waitFor(1, TimeUnit.SECONDS) ? " with exit code " + process.exitValue() : "";
    }

    /** Ends it: by the end of its input, and if that is not enough, by force. Also when this thread is interrupted. */
    @Override
    public void close() {
        requests.close();
        Ending.of(process, TIME_TO_END);
    }

    @Override
    public String toString() {
        return name + " (process " + process.pid() + ")";
    }
}
