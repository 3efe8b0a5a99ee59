package io.urma4j.tools.demo;

import io.urma4j.tools.CommandFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The leader of the demo, as one of its processes sees it. When the leader ends, in whatever way, stdin ends; then this
 * process ends too, also in the midst of work.
 */
final class Leader {
    /** What a process does about a request. */
    interface Worker {
        /** Answers {@code request}; a failure it throws is the answer, too. */
        Line answer(Line request) throws IOException, InterruptedException;
    }

    private static final String END = "end";
    private static final Duration TIME_TO_END = Duration.ofSeconds(3);
    private static final long PROGRESS_NANOS = Duration.ofMillis(200).toNanos();

    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private final Thread worker = Thread.currentThread();
    private final PrintStream out = System.out;
    private long nextProgressNanos = System.nanoTime();

    private Leader() {}

    /** Listens on stdin from now on. */
    static Leader onStdin() {
        Leader leader = new Leader();
        Thread.ofPlatform().daemon().name("leader").start(leader::listen);
        return leader;
    }

    private void listen() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                requests.add(line);
            }
        } catch (IOException e) {
            // the same as its end
        }
        requests.add(END);
        endSoon();
    }

    /** The leader is gone, or wants no more: what still works now is interrupted, and at last ended. */
    private void endSoon() {
        try {
            if (!worker.join(TIME_TO_END)) {
                worker.interrupt();
                worker.join(TIME_TO_END);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(1); // reached only when the worker hangs: else the process has ended by now
    }

    /** Does what the leader asks until there is no more. */
    void serve(Worker work) throws InterruptedException {
        for (String request = requests.take(); !request.equals(END); request = requests.take()) {
            say(answer(work, Line.decode(request)));
        }
    }

    private static Line answer(Worker work, Line request) throws InterruptedException {
        try {
            return work.answer(request);
        } catch (IOException | RuntimeException e) {
            return Line.of(Line.FAILED)
                    .with("message", e instanceof CommandFailure ? String.valueOf(e.getMessage()) : e.toString());
        }
    }

    /** Says how far the step is, now and then. */
    void progress(long done, long whole) {
        long now = System.nanoTime();
        if (now - nextProgressNanos >= 0) {
            nextProgressNanos = now + PROGRESS_NANOS;
            say(Line.of(Line.PROGRESS).with("done", done).with("whole", whole));
        }
    }

    void say(Line line) {
        out.println(line.encode());
        out.flush();
    }
}
