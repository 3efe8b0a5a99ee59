package io.urma4j.bench.scale;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;

/** Polls records, and checks each of them. */
final class Polls {
    private Polls() {}

    /** Waits for the one record that is due. */
    static void one(Jfc jfc, CompletionBatch batch) {
        int count;
        while ((count = taken(jfc, batch)) == 0) {
            Thread.onSpinWait();
        }
        if (count != 1) {
            throw new IllegalStateException(count + " records where one was due");
        }
    }

    /** Takes what is there; returns how many records, all of them successes. */
    static int taken(Jfc jfc, CompletionBatch batch) {
        int count = jfc.poll(batch);
        for (int i = 0; i < count; i++) {
            if (!batch.isSuccess(i)) {
                throw new IllegalStateException(batch.toString());
            }
        }
        return count;
    }
}
