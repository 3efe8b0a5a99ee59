package io.urma4j.bench;

import io.urma4j.bench.Limit.AtMost;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * A process that sleeps until something comes: what it costs meanwhile, and how soon it is awake.
 *
 * <p>The sleeper has one CPU for all its threads. We, on the other one, wake it after a pause in which it has fallen
 * asleep, and spin until we see that it is awake. Every way to wake it is measured so.
 */
final class WaitingSuite {
    private static final long PAUSE_NANOS = 60_000;

    private final Numbers.Run run;

    WaitingSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wants("idle-cpu") && !run.wants("engine-wake") && !run.wants("await-wake")) {
            return;
        }
        try (ChildProcess child = ChildProcess.start(Child.Role.SLEEPER)) {
            HandOver shared = HandOver.give(child);
            IdleCpu cpu = new IdleCpu(child.pid());
            double[] bare = run.wants("idle-cpu") ? cpu.millisPerSecond() : new double[1];
            try (Waker waker = new Waker(shared, child.ask("open"))) {
                if (run.wants("idle-cpu")) {
                    child.ask("await");
                    tellIdle(cpu.millisPerSecond(), bare);
                    child.ask("end");
                }
                Pinned.run(0, () -> measure(child, waker));
            }
        }
    }

    private void measure(ChildProcess child, Waker waker) {
        ratio(
                "engine-wake",
                "message until a sleeping engine has taken it; eventfd until epoll returns",
                timed(child, "engine", waker::untilTaken),
                timed(child, "epoll", waker::untilSignalled));
        ratio(
                "await-wake",
                "message until jfce.await returns; eventfd, epoll, unpark until park returns",
                timed(child, "await", waker::untilReceived),
                timed(child, "unpark", waker::untilSignalled));
    }

    private void ratio(String name, String what, Timed subject, Timed bare) {
        run.ratio(name, what, subject, bare, 2);
    }

    private static Timed timed(ChildProcess child, String way, LongSupplier wakeNanos) {
        return new Timed() {
            @Override
            public void begin() {
                child.ask(way);
            }

            @Override
            public double chunkNanos() {
                long start = System.nanoTime();
                while (System.nanoTime() - start < PAUSE_NANOS) {
                    Thread.onSpinWait();
                }
                return wakeNanos.getAsLong();
            }

            @Override
            public void end() {
                child.ask("end");
            }
        };
    }

    /** The CPU time beyond that of an idle JVM, whose own threads check the clock now and then. */
    private void tellIdle(double[] waiting, double[] bare) {
        double idle = Rounds.median(bare);
        run.tell(new Figure(
                "idle-cpu",
                "CPU of a process that waits in jfce.await, beyond that of an idle JVM",
                perSecond(Rounds.median(waiting)),
                perSecond(idle),
                Rounds.median(waiting) - idle,
                Rounds.least(waiting) - idle,
                Rounds.most(waiting) - idle,
                new AtMost(1)));
    }

    static String perSecond(double millis) {
        return String.format(Locale.ROOT, "%.2f ms/s", millis);
    }

    /** The other process. */
    static void child(Child parent) throws Exception {
        Pinned.pin(1); // and with this thread every one that it starts: the engine too
        HandOver shared = HandOver.take(parent.hear());
        parent.hear(); // when it has seen what a JVM without urma4j uses
        try (Sleeper sleeper = new Sleeper(shared)) {
            parent.say(sleeper.invitation());
            for (String line = parent.hear(); !line.isEmpty(); line = parent.hear()) {
                obey(sleeper, line);
                parent.say("done");
            }
        }
    }

    private static void obey(Sleeper sleeper, String line) throws InterruptedException {
        switch (line) {
            case "engine" -> {} // it is always there
            case "await" -> sleeper.awaitMessages();
            case "epoll" -> sleeper.awaitSignals();
            case "unpark" -> sleeper.awaitSignalsInTwo();
            case "end" -> sleeper.stop();
            default -> throw new IllegalArgumentException(line);
        }
    }
}
