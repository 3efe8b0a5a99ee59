package io.urma4j.bench.compare.end;

import io.urma4j.bench.PredictedPackets;
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
     * @param leaderAddress what the leader's {@link #address} returned
     */
    Serving serve(Task task, String leaderAddress) throws Exception;

    /**
     * As leader: does it, while the home serves.
     *
     * @param nanos about how long
     * @param homeAddress the home's address
     */
    Tally lead(Task task, long nanos, String homeAddress) throws Exception;

    /** What it has received so far on a device that predicts packets. */
    default PredictedPackets packets() {
        return PredictedPackets.NONE;
    }

    @Override
    default void close() {}

    /** A home that is ready. */
    interface Serving {
        /** What the leader must know; one word. */
        String address();

        /** Serves until the leader ends it by a message of the task, or {@code told} is true. */
        void run(BooleanSupplier told) throws Exception;
    }
}
