package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.ProcessPair;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.tools.CompilerThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Two JVMs, which are started when they are first wanted. */
final class JvmPeer implements AutoCloseable {
    private static final Duration PIECE = Duration.ofMillis(100);
    private static final Duration QUIET = Duration.ofMillis(10); // of compiling in a piece and its rest
    private static final Duration PATIENCE = Duration.ofSeconds(20); // the first task of all takes many
    private static final long BYTES_TO_WARM_UP = 1 << 30;
    private static final long LEAST_TO_WARM_UP = 200;
    private static final long CONNECTIONS_TO_WARM_UP = 4000;

    /** For each millisecond of a turn: what happens rarely makes the compilers work later. */
    private static final long MOST_TO_WARM_UP_PER_MILLI = 800;

    private static final int SHORT_BYTES = 4096;
    private static final long LONGEST_OPERATION_NANOS = 10_000; // of those that are done so often
    private static final long GRPC_COMPILES_MILLIS = 8000;

    private final String participant;
    private final List<String> leaderOptions;
    private final List<String> homeOptions;
    private String classPath = "";
    private @Nullable ProcessPair pair;

    /**
     * With what they run.
     *
     * @param participant class of what its JVMs do
     * @param options for both of them
     */
    JvmPeer(String participant, List<String> options) {
        this(participant, options, options);
    }

    /** With options for the leader's JVM, and others for the home's. */
    JvmPeer(String participant, List<String> leaderOptions, List<String> homeOptions) {
        this.participant = participant;
        this.leaderOptions = leaderOptions;
        this.homeOptions = homeOptions;
    }

    /** Starts it on this class path; returns what it says of its version. */
    String begin(String path) throws IOException {
        classPath = path;
        return pair().version();
    }

    private ProcessPair pair() throws IOException {
        ProcessPair running = pair;
        if (running == null) {
            running = ProcessPair.start(classPath, participant, leaderOptions, homeOptions);
            pair = running;
        }
        return running;
    }

    Sample measure(Task task, Duration about) throws IOException {
        try {
            return pair().measure(task, about);
        } catch (IOException e) {
            close(); // in whatever state they are, the next task is not to suffer from it
            throw e;
        }
    }

    /**
     * In pieces, with rests between them: while both processes spin on all CPUs that there are, the compilers have none, and
     * it is them that we wait for. It ends when a piece has given them nothing more to do, and is long enough by number.
     *
     * @param turn how long each measured turn takes: longer turns need a longer warm-up
     */
    void warmUp(Task task, Duration turn) throws IOException, InterruptedException {
        long wanted = operationsToWarmUp(task, turn);
        long done = 0;
        long end = System.nanoTime() + PATIENCE.toNanos();
        boolean isCompiling = true;
        while ((isCompiling || done < wanted) && System.nanoTime() < end) {
            CompilerThreads compilers = pair().compilers();
            long before = compilers.spentNanos();
            measure(task, PIECE);
            done += pair().operations();
            compilers.awaitRest(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            isCompiling = compilers.spentNanos() - before > QUIET.toNanos();
        }
    }

    /** About what that takes, once the compilers know most of it. */
    static long warmUpMillis(Task task, Duration turn) {
        return 3 * PIECE.toMillis()
                + switch (task.reach()) {
                    case NETWORK ->
                        task.bytes() > SHORT_BYTES
                                ? 0
                                : operationsToWarmUp(task, turn) * LONGEST_OPERATION_NANOS / 1_000_000;
                    case GRPC -> GRPC_COMPILES_MILLIS;
                    default -> 0;
                };
    }

    private static long operationsToWarmUp(Task task, Duration turn) {
        return switch (task.work()) {
            case CONNECT ->
                task.reach() == Reach.SOCKETS || task.reach() == Reach.FOREIGN_CLIENT ? CONNECTIONS_TO_WARM_UP : 0;
            case WAKE -> 0; // slow by nature
            default -> {
                long most = turn.toMillis() * MOST_TO_WARM_UP_PER_MILLI;
                yield Math.max(LEAST_TO_WARM_UP, Math.min(BYTES_TO_WARM_UP / task.bytes(), most));
            }
        };
    }

    @Override
    public void close() {
        ProcessPair running = pair;
        pair = null;
        if (running != null) {
            running.close();
        }
    }
}
