package io.urma4j.examples.kvcache;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.UrmaContext;
import java.time.Duration;

/** The records of a completion queue, one after the other: polls for a while, then sleeps until there is one. For one thread. */
final class Records {
    private static final int POLLS = 2_000;

    private final Jfce jfce;
    private final Jfc jfc;
    private final CompletionBatch batch = new CompletionBatch(1);

    Records(UrmaContext context) {
        this.jfce = context.createJfce();
        this.jfc = context.createJfc(JfcConfig.DEFAULT, jfce);
    }

    /** For the queues that report here. */
    Jfc jfc() {
        return jfc;
    }

    /** Where {@link #await} puts the record, as number 0. */
    CompletionBatch batch() {
        return batch;
    }

    /** Waits for the next record; false if none comes in time. */
    boolean await(Duration timeout) throws InterruptedException {
        for (int i = 0; i < POLLS; i++) {
            if (jfc.poll(batch) > 0) {
                return true;
            }
            Thread.onSpinWait();
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            jfc.rearm(false);
            if (jfc.poll(batch) > 0) {
                return true;
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            var _ = jfce.await(Duration.ofNanos(left)); // the event may be of a record that was polled already
        }
    }
}
