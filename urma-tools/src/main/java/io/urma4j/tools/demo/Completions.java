package io.urma4j.tools.demo;

import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.UrmaContext;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Units;
import java.time.Duration;

/** The records of a queue, one after the other: polls for a while, then sleeps until there is one. */
final class Completions {
    // some hundred microseconds, longer than a peer needs that is awake; where both share a CPU, it needs ours
    private static final int POLLS = Runtime.getRuntime().availableProcessors() > 1 ? 5_000 : 10;
    private static final Duration PATIENCE = Duration.ofSeconds(30); // longer than any timeout of the library

    private final Jfce jfce;
    private final Jfc jfc;
    private final CompletionBatch batch = new CompletionBatch(1);

    /** Makes a completion queue of its own, for one thread. */
    Completions(UrmaContext context) {
        jfce = context.createJfce();
        jfc = context.createJfc(JfcConfig.DEFAULT.withLockFree(), jfce);
    }

    /** The queue, for code that creates other queues which report to it. */
    Jfc jfc() {
        return jfc;
    }

    /** Waits for the next record, which is then number 0 of the batch. */
    CompletionBatch next() throws InterruptedException {
        if (Thread.interrupted()) { // also when there is always a record at once
            throw new InterruptedException();
        }
        for (int i = 0; i < POLLS; i++) {
            if (jfc.poll(batch) > 0) {
                return batch;
            }
            Thread.onSpinWait();
        }
        while (true) {
            jfc.rearm(false);
            if (jfc.poll(batch) > 0) {
                return batch;
            }
            if (jfce.await(PATIENCE).isEmpty()) {
                throw new CommandFailure("no completion came in " + Units.time(PATIENCE) + "; see 'urma doctor'");
            }
            if (jfc.poll(batch) > 0) {
                return batch;
            }
        }
    }

    /** Waits for the next record, and throws in words when it is no success. */
    void awaitSuccess(String operation) throws InterruptedException {
        CompletionBatch record = next();
        if (!record.isSuccess(0)) {
            throw new CommandFailure(operation + " ended with " + record.status(0) + meaning(record.status(0)));
        }
    }

    private static String meaning(CompletionStatus status) {
        return switch (status) {
            case REM_ACCESS_ABORT_ERR -> ": its home revoked the memory, or ended";
            case ACK_TIMEOUT_ERR -> ": its home does not answer, or ended";
            case RNR_RETRY_CNT_EXC_ERR -> ": no process received it";
            default -> "";
        };
    }
}
