package io.urma4j.tools.demo;

import io.urma4j.tools.FailureReport;
import io.urma4j.tools.Line;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The connection of a process of the demo to its leader. When the leader ends for any reason, stdin ends; then this
 * process ends, too, even during work.
 */
final class Leader {
    /** The handler of requests. */
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
    private String current = ""; // number of the request that is being answered; the worker's own
    private long nextProgressNanos = System.nanoTime();
    private boolean busy; // guarded by this

    private Leader() {}

    /** Starts to read stdin. */
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
        interruptWork();
        haltWhenStuck();
    }

    /** No answer is awaited any more, so the worker is interrupted; the close that follows is not. */
    private synchronized void interruptWork() {
        if (busy) {
            worker.interrupt();
        }
    }

    private void haltWhenStuck() {
        try {
            worker.join(TIME_TO_END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(1); // hardly reached: the process has ended with its worker
    }

    /** Serves requests until the leader sends no more. */
    void serve(Worker work) throws InterruptedException {
        for (String text = requests.take(); !text.equals(END); text = requests.take()) {
            Line request = Line.decode(text);
            current = request.text(Line.REQUEST);
            setBusy(true);
            try {
                say(answer(work, request));
            } finally {
                setBusy(false);
            }
        }
    }

    private synchronized void setBusy(boolean busy) {
        this.busy = busy;
        if (!busy) {
            Thread.interrupted(); // came too late to end the work, and must not disturb what follows
        }
    }

    private static Line answer(Worker work, Line request) throws InterruptedException {
        try {
            return work.answer(request);
        } catch (IOException | RuntimeException e) {
            return Line.of(Line.FAILED).with("message", FailureReport.describe(e));
        }
    }

    /** Reports progress now and then; also the point at which a long step can be interrupted. */
    void progress(long done, long whole) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long now = System.nanoTime();
        if (now - nextProgressNanos >= 0) {
            nextProgressNanos = now + PROGRESS_NANOS;
            say(Line.of(Line.PROGRESS).with("done", done).with("whole", whole));
        }
    }

    void say(Line line) {
        out.println(line.with(Line.REQUEST, current).encode());
        out.flush();
    }
}
