package io.urma4j.bench;

import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.bench.MessageEnd.Size;
import java.util.ArrayList;
import java.util.List;

/** Messages from one process to another on two CPUs, as fast as they go: beside a ring by hand with the same two copies. */
final class MessageSuite {
    private static final List<Size> SIZES = List.of(new Size(64, 256), new Size(4 << 10, 256), new Size(64 << 10, 16));
    private static final List<String> NAMES = List.of("send-rate", "send-4k", "send-64k");
    private static final double LIMIT = 0.95;
    private static final long CHUNK_BYTES = 4 << 20;
    private static final int MOST_MESSAGES = 4096;

    private final Numbers.Run run;

    MessageSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (NAMES.stream().noneMatch(run::wants)) {
            return;
        }
        try (ChildProcess child = ChildProcess.start(Child.Role.TAKER);
                MessageEnd end = new MessageEnd(SIZES)) {
            List<MessageStream> raw = new ArrayList<>();
            for (Size size : SIZES) {
                raw.add(new RawStream(
                        HandOver.give(child, RawStream.SHARED_BYTES).memory(), size.bytes(), size.window()));
                child.hear();
            }
            List<MessageStream> streams = end.meet(child.ask(end.invitation()));
            Pinned.run(0, () -> measure(child, streams, raw));
        }
    }

    private void measure(ChildProcess child, List<MessageStream> streams, List<MessageStream> raw) {
        for (int i = 0; i < SIZES.size(); i++) {
            if (run.wants(NAMES.get(i))) {
                int bytes = SIZES.get(i).bytes();
                run.tell(Figure.speed(
                        NAMES.get(i),
                        "SEND " + (bytes < 1024 ? bytes + " B" : (bytes >> 10) + " KiB")
                                + " without pause, speed beside a ring by hand, two processes",
                        run.alternation()
                                .measure(
                                        timed(child, "ours " + i, streams.get(i), bytes),
                                        timed(child, "raw " + i, raw.get(i), bytes)),
                        new AtLeast(LIMIT)));
            }
        }
    }

    private static Timed timed(ChildProcess child, String which, MessageStream stream, int bytes) {
        int messages = (int) Math.min(CHUNK_BYTES / bytes, MOST_MESSAGES);
        return new Timed() {
            @Override
            public void begin() {
                child.ask(which);
            }

            @Override
            public double chunkNanos() {
                long start = System.nanoTime();
                stream.send(messages);
                return (double) (System.nanoTime() - start) / messages;
            }

            @Override
            public void end() {
                stream.stop();
                child.ask("ended?");
            }
        };
    }

    /** The other process. */
    static void child(Child parent) throws Exception {
        List<MessageStream> raw = new ArrayList<>();
        for (Size size : SIZES) {
            raw.add(new RawStream(
                    HandOver.take(parent.hear(), RawStream.SHARED_BYTES).memory(), size.bytes(), size.window()));
            parent.say("taken");
        }
        try (MessageEnd end = new MessageEnd(SIZES)) {
            String invitation = parent.hear();
            parent.say(end.invitation());
            List<MessageStream> streams = end.meet(invitation);
            Pinned.run(1, () -> {
                for (String which = parent.hear(); !which.isEmpty(); which = parent.hear()) {
                    parent.say("ready");
                    String[] words = which.split(" ", -1);
                    (words[0].equals("raw") ? raw : streams)
                            .get(Integer.parseInt(words[1]))
                            .takeAll();
                    parent.hear();
                    parent.say("ended");
                }
            });
        }
    }
}
