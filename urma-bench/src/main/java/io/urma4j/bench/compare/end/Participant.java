package io.urma4j.bench.compare.end;

import io.urma4j.bench.compare.Task;
import java.util.function.BooleanSupplier;

/** Knows how to do tasks, as leader in one process and as home in the other. For one thread. */
public interface Participant extends AutoCloseable {
    /** Of what it measures. */
    String version();

    /** As leader: what the home must know before it begins; one word. */
    default String address(Task task) throws Exception {
        return "-";
    }

    /**
     * As home: makes everything ready.
     *
     * @param leaderAddress what the leader's {@link #address} told
     */
    Serving serve(Task task, String leaderAddress) throws Exception;

    /**
     * As leader: does it, while the home serves.
     *
     * @param nanos about how long
     * @param homeAddress what the home told
     */
    Tally lead(Task task, long nanos, String homeAddress) throws Exception;

    @Override
    default void close() {}

    /** A home that is ready. */
    interface Serving {
        /** What the leader must know; one word. */
        String address();

        /** Serves until the leader has told its end in the way of the task, or {@code told} says so. */
        void run(BooleanSupplier told) throws Exception;
    }
}
