package io.urma4j.tools.demo;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Line;
import io.urma4j.tools.MemoryChoice;
import io.urma4j.tools.Progress;
import io.urma4j.tools.Units;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Leads a home and two initiators through the demo's steps, and checks what they did. */
final class Demo {
    private static final int ADDITIONS = 1_000_000;
    private static final int ADDITIONS_BY_HOME = 20_000; // each is a round trip, over a network or to device memory
    private static final int MESSAGES = 2_000;
    private static final long HOLD_TICK_MILLIS = 200;

    private final Content content;
    private final String device;
    private final MemoryChoice memory;
    private final Report report;
    private final @Nullable Runnable onHold;
    private final Duration patience;
    private final int additions;

    /**
     * The demo of one device.
     *
     * @param memory of the home
     * @param onHold runs when all steps are done; then the processes live on until this thread is interrupted, so that
     *     other tools can inspect them. Null when they end with the last step
     */
    Demo(Content content, String device, MemoryChoice memory, Report report, @Nullable Runnable onHold) {
        this.onHold = onHold;
        this.content = content;
        this.device = device;
        this.memory = memory;
        this.additions = device.startsWith("shm") && memory.isHost() ? ADDITIONS : ADDITIONS_BY_HOME;
        this.report = report;
        // a minute, and time for the content at 20 MB/s: a slow disk is no failure
        this.patience = Duration.ofSeconds(60 + content.sizeBytes() / 20_000_000);
    }

    /** Runs all steps; a check that fails is in the report, and only a lost process ends the demo early. */
    void run() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        try (ChildProcess home = ChildProcess.start("the home", "demo-home");
                ChildProcess first = ChildProcess.start("initiator 1", "demo-initiator");
                ChildProcess second = ChildProcess.start("initiator 2", "demo-initiator")) {
            List<String> jetties = meet(home, first, second);
            report.passed(
                    "a home and two initiators started",
                    "processes %d, %d and %d, in %s"
                            .formatted(home.pid(), first.pid(), second.pid(), Units.time(System.nanoTime() - begin)));
            write(home, first);
            compare(List.of(first, second));
            count(home, List.of(first, second));
            converse(home, first, jetties.get(0));
            converse(home, second, jetties.get(1));
            refuse(second, "wrong-token", "an import with a wrong token is refused");
            refuse(second, "read-only", "a write through a read-only import is refused");
            measure(first);
            if (onHold != null) {
                onHold.run();
                hold(List.of(home, first, second));
            }
        }
    }

    private static void hold(List<ChildProcess> processes) {
        try {
            while (processes.stream().allMatch(ChildProcess::isAlive)) {
                Thread.sleep(HOLD_TICK_MILLIS);
            }
        } catch (InterruptedException e) {
            return; // Ctrl-C is the way to end it
        }
        throw new CommandFailure("a process of the demo has ended while it was held");
    }

    /** Opens all three; returns the share lines of the initiators' Jetties. */
    private List<String> meet(ChildProcess home, ChildProcess first, ChildProcess second) throws InterruptedException {
        home.ask(Line.of("open").with("device", device).with("memory", memory).with("size", content.sizeBytes()));
        Line invitation = answer(home, "starting");
        Line open = Line.of("open").with("device", device);
        invitation.values().forEach(open::with);
        first.ask(open);
        second.ask(open);
        return List.of(
                answer(first, "starting").text("jetty"),
                answer(second, "starting").text("jetty"));
    }

    private void write(ChildProcess home, ChildProcess initiator) throws IOException, InterruptedException {
        String name = "what was written arrived";
        attempt(name, () -> writeAndHash(home, initiator, name));
    }

    private void writeAndHash(ChildProcess home, ChildProcess initiator, String name)
            throws IOException, InterruptedException {
        initiator.ask(content.describe(Line.of("write")));
        String wanted;
        try (Progress progress = report.progress("SHA-256 of the content")) {
            wanted = content.sha256(done -> progress.at(done, content.sizeBytes()));
        }
        Line written = answer(initiator, "writing");
        home.ask(Line.of("hash"));
        String found = answer(home, "SHA-256 of the home's memory").text("sha256");
        String detail =
                initiator.name() + " wrote " + Units.bytes(content.sizeBytes()) + " one-sided, " + rate(written) + "; ";
        if (found.equals(wanted)) {
            report.passed(name, detail + "SHA-256 " + found.substring(0, 16) + "… in the home, too");
        } else {
            report.failed(name, detail + "SHA-256 is " + wanted + ", in the home " + found);
        }
    }

    private void compare(List<ChildProcess> initiators) throws IOException, InterruptedException {
        for (ChildProcess initiator : initiators) { // at the same time
            initiator.ask(content.describe(Line.of("compare")));
        }
        for (ChildProcess initiator : initiators) {
            String name = initiator.name() + " read it back";
            attempt(name, () -> {
                Line read = answer(initiator, "reading back");
                report.passed(name, "every byte is right, " + rate(read));
            });
        }
    }

    private String rate(Line answer) {
        return Units.rate(content.sizeBytes() * 1e9 / Math.max(1, answer.number("nanos")));
    }

    private void count(ChildProcess home, List<ChildProcess> initiators) throws IOException, InterruptedException {
        String name = "two initiators counted together";
        attempt(name, () -> {
            for (ChildProcess initiator : initiators) { // at the same time
                initiator.ask(Line.of("count").with("times", additions));
            }
            long nanos = 0;
            for (ChildProcess initiator : initiators) {
                nanos = Math.max(nanos, answer(initiator, "counting").number("nanos"));
            }
            home.ask(Line.of("counter"));
            long sum = answer(home, "counting").number("value");
            long wanted = (long) additions * initiators.size();
            String detail = Units.count(additions) + " additions each make " + Units.count(sum);
            if (sum == wanted) {
                report.passed(name, detail + ", exactly; " + Units.time(nanos / additions) + " each");
            } else {
                report.failed(name, detail + ", not " + Units.count(wanted));
            }
        });
    }

    private void converse(ChildProcess home, ChildProcess initiator, String jetty)
            throws IOException, InterruptedException {
        String name = initiator.name() + " and the home exchanged messages";
        attempt(name, () -> {
            home.ask(Line.of("messages").with("count", MESSAGES).with("jetty", jetty));
            initiator.ask(Line.of("messages").with("count", MESSAGES));
            long nanos;
            try {
                nanos = answer(initiator, "exchanging messages").number("nanos");
            } finally {
                answer(home, "exchanging messages");
            }
            report.passed(
                    name,
                    "%s each way with immediates, 1 to %d bytes, every byte right; %s there and back"
                            .formatted(Units.count(MESSAGES), Messenger.MAX_BYTES, Units.time(nanos / MESSAGES)));
        });
    }

    private void refuse(ChildProcess initiator, String request, String name) throws IOException, InterruptedException {
        attempt(name, () -> {
            initiator.ask(Line.of(request));
            report.passed(name, answer(initiator, "being refused").text("refusal"));
        });
    }

    private void measure(ChildProcess initiator) throws IOException, InterruptedException {
        attempt("latency and bandwidth were measured", () -> {
            initiator.ask(Line.of("measure"));
            try (Progress progress = report.progress("measuring")) {
                initiator.answer(patience, progress, figures -> report.figures(Figures.of(figures)));
            }
        });
    }

    private Line answer(ChildProcess process, String step) throws InterruptedException {
        try (Progress progress = report.progress(process.name() + ": " + step)) {
            return process.answer(patience, progress, other -> {});
        }
    }

    /** A step of the demo. */
    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** A step that fails is a failed check; the next ones may still pass. */
    private void attempt(String name, Step step) throws IOException, InterruptedException {
        try {
            step.run();
        } catch (ChildProcess.Lost e) {
            throw e;
        } catch (CommandFailure e) {
            report.failed(name, String.valueOf(e.getMessage()));
        }
    }
}
