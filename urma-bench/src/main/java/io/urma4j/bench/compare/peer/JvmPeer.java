package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Duo;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Two JVMs, which are started when they are first wanted. */
final class JvmPeer implements AutoCloseable {
    private static final Duration PIECE = Duration.ofMillis(100);
    private static final long PAUSE_MILLIS = 100;
    private static final long QUIET_MILLIS = 10; // of compiling in a piece and its pause
    private static final int PATIENCE = 4;
    private static final long BYTES_TO_WARM_UP = 1 << 30;
    private static final long LEAST_TO_WARM_UP = 200;
    private static final long MOST_TO_WARM_UP = 40_000;

    private final String participant;
    private final List<String> options;
    private String classPath = "";
    private @Nullable Duo duo;

    /**
     * With what they run.
     *
     * @param participant class of what its JVMs do
     * @param options for them
     */
    JvmPeer(String participant, List<String> options) {
        this.participant = participant;
        this.options = options;
    }

    /** Starts it on this class path; returns what it says of its version. */
    String begin(String path) throws IOException {
        classPath = path;
        return duo().version();
    }

    private Duo duo() throws IOException {
        Duo running = duo;
        if (running == null) {
            running = Duo.start(classPath, participant, options);
            duo = running;
        }
        return running;
    }

    Sample measure(Task task, Duration about) throws IOException {
        try {
            return duo().measure(task, about);
        } catch (IOException e) {
            close(); // in whatever state they are, the next task is not to suffer from it
            throw e;
        }
    }

    /**
     * In pieces with pauses: while both processes spin on all CPUs that there are, the compiler has none, and it is what we
     * wait for: until it has nothing more to do, and by number, since on a busy machine time alone is no warm-up.
     */
    void warmUp(Task task, Duration atMost) throws IOException, InterruptedException {
        long wanted = operationsToWarmUp(task);
        long done = 0;
        long start = System.nanoTime();
        long nanos = 0;
        boolean isCompiling = true;
        while (nanos < atMost.toNanos() || ((done < wanted || isCompiling) && nanos < PATIENCE * atMost.toNanos())) {
            long compiledMillis = duo().compiledMillis();
            measure(task, PIECE);
            done += duo().operations();
            isCompiling = duo().compiledMillis() - compiledMillis > QUIET_MILLIS;
            Thread.sleep(PAUSE_MILLIS);
            nanos = System.nanoTime() - start;
        }
    }

    /** About what that takes, where nothing holds it up. */
    static long warmUpMillis(long atMostMillis) {
        return atMostMillis + PIECE.toMillis() + PAUSE_MILLIS;
    }

    private static long operationsToWarmUp(Task task) {
        return switch (task.work()) {
            case WAKE, CONNECT, AT_RATE -> 0; // slow by nature
            default -> Math.clamp(BYTES_TO_WARM_UP / task.bytes(), LEAST_TO_WARM_UP, MOST_TO_WARM_UP);
        };
    }

    @Override
    public void close() {
        Duo running = duo;
        duo = null;
        if (running != null) {
            running.close();
        }
    }
}
