package io.urma4j.bench;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.SharedMemory;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Limit.AtMost;
import io.urma4j.libc.Fd;
import io.urma4j.libc.Mapping;
import io.urma4j.libc.MemFd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * The cost of sharing memory and of revoking it, each beside the same system calls without the library.
 *
 * <p>The importers are other processes. Each measures its own part, so that no figure includes the time of a command.
 */
final class SharingSuite {
    private static final long BYTES = 1 << 16;
    private static final long MANY_BYTES = 256L << 20;
    private static final int PROCESSES = 4;
    private static final int IMPORTERS = 64; // contexts of all importers together

    private final Numbers.Run run;

    SharingSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        try (Urma urma = Urma.open();
                UrmaContext context = urma.device("shm0").openContext()) {
            if (run.wants("register-256m")) {
                registerMuch(context);
            }
            if (run.wants("import-cycle")) {
                importAndGiveBack(context);
            }
            if (run.wants("revoke-64")) {
                revoke(context);
            }
        }
    }

    private void registerMuch(UrmaContext context) {
        run.tell(Figure.ratio(
                "register-256m",
                "allocate and register 256 MiB, and touch it; the same of a bare memfd",
                run.alternation().forLongChunks(3).measure(() -> registerAndTouch(context), SharingSuite::mapAndTouch),
                new AtMost(1.2)));
    }

    private static double registerAndTouch(UrmaContext context) {
        long start = System.nanoTime();
        try (SharedMemory memory = context.allocate(MANY_BYTES);
                LocalSegment segment = context.register(memory, Access.READ_WRITE)) {
            segment.memory().fill((byte) 1);
            return System.nanoTime() - start;
        }
    }

    private static double mapAndTouch() {
        long start = System.nanoTime();
        try (Arena arena = Arena.ofShared();
                Fd memory = MemFd.create("urma-bench", MANY_BYTES)) {
            Mapping.map(memory, 0, MANY_BYTES, Mapping.Protection.READ_WRITE, arena)
                    .fill((byte) 1);
            return System.nanoTime() - start;
        }
    }

    private void importAndGiveBack(UrmaContext context) throws IOException {
        try (ChildProcess child = ChildProcess.start(Child.Role.IMPORTER);
                BareHome bare = BareHome.open(child)) {
            child.ask("contexts 1");
            run.tell(Figure.ratio(
                    "import-cycle",
                    "register, import in another process, give back, unregister; the same system calls",
                    run.alternation()
                            .forMuchCode(4_000) // the bare calls are compiled long before that
                            .measure(() -> cycle(context, child), () -> bareCycle(bare, child)),
                    new AtMost(1.5)));
        }
    }

    private static double cycle(UrmaContext context, ChildProcess child) {
        long start = System.nanoTime();
        SharedMemory memory = context.allocate(BYTES);
        LocalSegment segment = context.register(memory, Access.READ_WRITE);
        String line = segment.share();
        long here = System.nanoTime() - start;
        long there = Long.parseLong(child.ask("import " + line));
        start = System.nanoTime();
        segment.close();
        memory.close();
        return here + there + (double) (System.nanoTime() - start);
    }

    private static double bareCycle(BareHome bare, ChildProcess child) {
        long start = System.nanoTime();
        Arena arena = Arena.ofShared();
        bare.share(BYTES, arena);
        long here = System.nanoTime() - start;
        long there = Long.parseLong(child.ask("bare"));
        start = System.nanoTime();
        arena.close();
        bare.forget();
        return here + there + (double) (System.nanoTime() - start);
    }

    private void revoke(UrmaContext context) throws IOException {
        List<ChildProcess> children = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                children.add(ChildProcess.start(Child.Role.IMPORTER));
            }
            try (BareHome bare = BareHome.open(children.get(0))) {
                for (ChildProcess child : children.subList(1, PROCESSES)) {
                    child.ask("no bare home");
                }
                children.forEach(child -> child.ask("contexts " + IMPORTERS / PROCESSES));
                run.tell(Figure.ratio(
                        "revoke-64",
                        "revoke a segment from 64 importers; the slowest one's own closing and 64 socket round trips",
                        run.alternation()
                                .forLongChunks(100)
                                .measure(() -> revokeFromAll(context, children), () -> ownTime(bare, children)),
                        new AtMost(1)));
            }
        } finally {
            children.forEach(ChildProcess::close);
        }
    }

    private static double revokeFromAll(UrmaContext context, List<ChildProcess> children) {
        try (SharedMemory memory = context.allocate(BYTES)) {
            LocalSegment segment = context.register(memory, Access.READ_WRITE);
            String line = segment.share();
            children.forEach(child -> child.ask("hold " + line));
            long start = System.nanoTime();
            segment.close();
            long nanos = System.nanoTime() - start;
            children.forEach(child -> child.ask("drop"));
            return nanos;
        }
    }

    /** What each importer needs to close as many mappings, at the most, while all of them do; and a round trip for each. */
    private static double ownTime(BareHome bare, List<ChildProcess> children) {
        children.forEach(child -> child.say("arenas " + IMPORTERS / PROCESSES));
        long slowest = 0;
        for (ChildProcess child : children) {
            slowest = Math.max(slowest, Long.parseLong(child.answer()));
        }
        long trips = Long.parseLong(children.get(0).ask("trips " + IMPORTERS));
        bare.forget();
        return slowest + (double) trips;
    }

    /** One of the importers. */
    static void child(Child parent) throws Exception {
        try (ImporterProcess importer = new ImporterProcess(parent.hear())) {
            parent.say("here");
            for (String line = parent.hear(); !line.isEmpty(); line = parent.hear()) {
                parent.say(importer.obey(line));
            }
        }
    }
}
