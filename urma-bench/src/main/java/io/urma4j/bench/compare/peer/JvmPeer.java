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
    /** After so long a JVM has compiled what it does. */
    static final Duration COMPILED = Duration.ofMillis(1_500);

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

    @Override
    public void close() {
        Duo running = duo;
        duo = null;
        if (running != null) {
            running.close();
        }
    }
}
