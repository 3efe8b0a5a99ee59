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
     * wait for.
     */
    void warmUp(Task task, Duration atMost) throws IOException, InterruptedException {
        long start = System.nanoTime();
        do {
            measure(task, PIECE);
            Thread.sleep(PAUSE_MILLIS);
        } while (System.nanoTime() - start < atMost.toNanos());
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
