package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Limit.AtLeast;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Many threads of several processes add to one counter: by FADD, each with its own queue, and by plain atomics on memory
 * that all have mapped. No addition may be lost in either way.
 */
final class CountingSuite {
    private static final int PROCESSES = 4;
    private static final int THREADS = 8; // of each process
    private static final int ADDITIONS = 100_000; // of each thread, in a chunk
    private static final long CHUNK = (long) PROCESSES * THREADS * ADDITIONS;
    private static final VarHandle U64 = JAVA_LONG.varHandle();

    private final Numbers.Run run;

    CountingSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wants("count-together")) {
            return;
        }
        try (Urma urma = Urma.open();
                UrmaContext context = urma.device("shm0").openContext();
                Crew crew = new Crew()) {
            LocalSegment counter = context.register(context.allocate(4096), Access.READ_WRITE_ATOMIC);
            HandOver shared = crew.meet(counter.share());
            Total remote = new Total(crew, "urma", () -> (long) U64.getVolatile(counter.memory(), 0L));
            Total raw = new Total(crew, "raw", () -> (long) U64.getVolatile(shared.memory(), 0L));
            run.tell(Figure.speed(
                    "count-together",
                    "FADD on one counter, 32 threads in 4 processes, speed beside plain atomics",
                    run.alternation().forLongChunks(20).measure(remote, raw),
                    new AtLeast(0.4)));
        }
    }

    /** The processes that count. */
    private static final class Crew implements AutoCloseable {
        private final List<ChildProcess> children = new ArrayList<>();

        Crew() throws IOException {
            for (int i = 0; i < PROCESSES; i++) {
                children.add(ChildProcess.start(Child.Role.COUNTER));
            }
        }

        /** Gives all of them the two counters; returns the plain one. */
        HandOver meet(String line) throws IOException {
            HandOver shared = HandOver.give(children.get(0));
            for (ChildProcess child : children.subList(1, PROCESSES)) {
                shared.giveTo(child);
            }
            children.forEach(child -> child.ask(line));
            return shared;
        }

        /** Lets all of them count at the same time, and waits for the last. */
        void count(String way) {
            children.forEach(child -> child.say(way));
            for (ChildProcess child : children) {
                try {
                    child.hear();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        @Override
        public void close() {
            children.forEach(ChildProcess::close);
        }
    }

    /** Takes the time of one way to count, and its sum. */
    private static final class Total implements Timed {
        private final Crew crew;
        private final String way;
        private final Callable<Long> counter;
        private long expected;

        Total(Crew crew, String way, Callable<Long> counter) {
            this.crew = crew;
            this.way = way;
            this.counter = counter;
        }

        @Override
        public double chunkNanos() {
            long start = System.nanoTime();
            crew.count(way);
            return (double) (System.nanoTime() - start) / CHUNK;
        }

        @Override
        public void begin() {
            expected = value();
        }

        @Override
        public void end() {
            if (value() == expected || (value() - expected) % CHUNK != 0) {
                throw new IllegalStateException(way + ": additions were lost, " + value() + " after " + expected);
            }
        }

        private long value() {
            try {
                return counter.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** One of the processes. */
    static void child(Child parent) throws Exception {
        HandOver shared = HandOver.take(parent.hear());
        try (Urma urma = Urma.open();
                UrmaContext context = urma.device("shm0").openContext();
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            RemoteSegment remote = context.importSegment(SharedSegment.parse(parent.hear()));
            List<Callable<Long>> adders = new ArrayList<>();
            List<Callable<Long>> plain = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Adder adder = new Adder(context, remote);
                adders.add(() -> adder.add(ADDITIONS));
                plain.add(() -> addPlainly(shared, ADDITIONS));
            }
            parent.say("ready");
            for (String way = parent.hear(); !way.isEmpty(); way = parent.hear()) {
                runAll(threads, way.equals("urma") ? adders : plain);
                parent.say("done");
            }
        }
    }

    private static void runAll(ExecutorService threads, List<Callable<Long>> tasks)
            throws InterruptedException, ExecutionException {
        for (Future<Long> result : threads.invokeAll(tasks)) {
            result.get();
        }
    }

    private static long addPlainly(HandOver shared, int additions) {
        long last = 0;
        for (int i = 0; i < additions; i++) {
            last = (long) U64.getAndAdd(shared.memory(), 0L, 1L);
        }
        return last;
    }
}
