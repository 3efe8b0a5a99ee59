package io.urma4j.bench;

import io.urma4j.bench.RallyEnd.Rallies;

/** Two processes on two CPUs: how long until the other one has it. Half of a round trip. */
final class PingPongSuite {
    private static final int CHUNK = 100;

    private final Numbers.Run run;

    PingPongSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wants("write-seen") && !run.wants("send-seen")) {
            return;
        }
        try (ChildProcess child = ChildProcess.start(Child.Role.RETURNER);
                RallyEnd end = new RallyEnd("shm0")) {
            RawRally raw = new RawRally(HandOver.give(child).memory(), true);
            Rallies rallies = end.meet(child.ask(end.invitation()));
            Pinned.run(0, () -> measure(child, raw, rallies));
        }
    }

    private void measure(ChildProcess child, RawRally raw, Rallies rallies) {
        ratio(
                "write-seen",
                "WRITE 8 B until a polling home sees it",
                timed(child, "write", rallies.writes()),
                timed(child, "raw", raw),
                1.3);
        ratio(
                "send-seen",
                "SEND 64 B until its record is polled",
                timed(child, "send", rallies.sends()),
                timed(child, "raw", raw),
                1.6);
    }

    private void ratio(String name, String what, Timed subject, Timed raw, double limit) {
        run.ratio(name, what + ", two processes", subject, raw, limit);
    }

    private static Timed timed(ChildProcess child, String kind, Rally rally) {
        return new Timed() {
            @Override
            public void begin() {
                child.ask(kind);
            }

            @Override
            public double chunkNanos() {
                long start = System.nanoTime();
                rally.serve(CHUNK);
                return (System.nanoTime() - start) / (2.0 * CHUNK); // there and back is two
            }

            @Override
            public void end() {
                rally.stop();
                child.ask("ended?");
            }
        };
    }

    /** The other process. */
    static void child(Child parent) throws Exception {
        RawRally raw = new RawRally(HandOver.take(parent.hear()).memory(), false);
        try (RallyEnd end = new RallyEnd("shm0")) {
            String invitation = parent.hear();
            parent.say(end.invitation());
            Rallies rallies = end.meet(invitation);
            Pinned.run(1, () -> {
                for (String kind = parent.hear(); !kind.isEmpty(); kind = parent.hear()) {
                    parent.say("ready");
                    switch (kind) {
                        case "raw" -> raw.returnAll();
                        case "write" -> rallies.writes().returnAll();
                        case "send" -> rallies.sends().returnAll();
                        default -> throw new IllegalArgumentException(kind);
                    }
                    parent.hear();
                    parent.say("ended");
                }
            });
        }
    }
}
