package io.urma4j.bench;

import io.urma4j.CompletionBatch;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Limit.AtMost;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * What is left of {@code urma perf start} when {@code urma perf stop} has ended it: a process that was measured, beside
 * one that never was. They are two, since code is compiled in the light of all that a process has ever done; and several
 * pairs, since no two processes compile the same.
 */
final class MeasuringSuite {
    private static final int OPERATIONS = 8 * 1024; // of a chunk
    private static final int CHUNKS = 400; // before, and while it is measured: until the compiler is through
    private static final int PAIRS = 9;
    private static final String WRITE = "write";

    private final Numbers.Run run;

    MeasuringSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws IOException {
        if (!run.wants("perf-off")) {
            return;
        }
        Rounds all = new Rounds(PAIRS);
        for (int i = 0; i < PAIRS; i++) {
            Rounds rounds = pair();
            all.subject(i, rounds.subject());
            all.peer(i, rounds.peer());
        }
        run.tell(Figure.ratio(
                "perf-off",
                "WRITE 8 B after urma perf start and stop; in a process that was never measured",
                all,
                new AtMost(1.1)));
    }

    private Rounds pair() throws IOException {
        try (ChildProcess measured = ChildProcess.start(Child.Role.WRITER);
                ChildProcess never = ChildProcess.start(Child.Role.WRITER)) {
            write(measured, CHUNKS);
            measured.ask("start");
            write(measured, CHUNKS);
            measured.ask("stop");
            return run.alternation()
                    .forMuchCode(CHUNKS)
                    .measure(() -> nanosOfWrite(measured), () -> nanosOfWrite(never));
        }
    }

    private static void write(ChildProcess child, int chunks) {
        for (int i = 0; i < chunks; i++) {
            nanosOfWrite(child);
        }
    }

    private static double nanosOfWrite(ChildProcess child) {
        return Double.parseDouble(child.ask(WRITE));
    }

    /** One of the two. */
    static void child(Child parent) throws Exception {
        try (LocalPair pair = new LocalPair("shm0", true, OPERATIONS)) {
            Timed writes = Timed.of(operations -> write(pair, operations), OPERATIONS);
            Pinned.run(0, () -> {
                for (String line = parent.hear(); !line.isEmpty(); line = parent.hear()) {
                    parent.say(line.equals(WRITE) ? String.valueOf(writes.chunkNanos()) : turn(pair, line));
                }
            });
        }
    }

    private static long write(LocalPair pair, int operations) {
        CompletionBatch batch = pair.batch;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Records.accepted(pair.jfs.write(pair.remote, 0, pair.local, 0, 8, i));
            sum += Records.one(pair.jfc, batch);
        }
        return sum;
    }

    private static String turn(LocalPair pair, String line) {
        UrmaContext other = pair.home().context(); // a context never measures the process that asks for the measurement
        OptionalLong itself = OptionalLong.of(ProcessHandle.current().pid());
        int told = other.measure(line.equals("start"), itself).size();
        if (told == 0) {
            throw new IllegalStateException("no context obeyed '" + line + "'");
        }
        return line;
    }
}
