package io.urma4j.bench;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;

/** Polls records, and checks each of them. */
public final class Records {
    private Records() {}

    public static void accepted(boolean accepted) {
        if (!accepted) {
            throw new IllegalStateException("the queue is full");
        }
    }

    /** Waits for the one record that is due; returns its user context. */
    public static long one(Jfc jfc, CompletionBatch batch) {
        while (jfc.poll(batch) == 0) {
            Thread.onSpinWait();
        }
        if (!batch.isSuccess(0)) {
            throw new IllegalStateException(batch.toString());
        }
        return batch.userContext(0);
    }

    /** Polls once, for exactly {@code due} records; returns the sum of their user contexts. */
    public static long all(Jfc jfc, CompletionBatch batch, int due) {
        int count = jfc.poll(batch);
        if (count != due) {
            throw new IllegalStateException(count + " records of " + due);
        }
        return sum(batch, count);
    }

    /** The sum of the user contexts of the first {@code count} records, all of which must be successes. */
    public static long sum(CompletionBatch batch, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            if (!batch.isSuccess(i)) {
                throw new IllegalStateException(batch.toString());
            }
            sum += batch.userContext(i);
        }
        return sum;
    }
}
