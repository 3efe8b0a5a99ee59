package io.urma4j.shm.crash;

import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.UrmaContext;
import io.urma4j.tck.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** A send queue that keeps account: each accepted work request must have exactly one result. For one thread. */
final class AccountedQueue implements AutoCloseable {
    /** Posts one work request under {@code userContext}; says whether it was accepted. */
    interface Post {
        boolean to(Jfs jfs, long userContext);
    }

    private final Jfc jfc;
    private final Jfs jfs;
    private final CompletionBatch batch = new CompletionBatch(64);
    private final BitSet owed = new BitSet();
    private final List<String> wrongs = new ArrayList<>();
    private int accepted;
    private int results;
    private int failures;
    private boolean drained;

    AccountedQueue(UrmaContext context, Duration timeout) {
        jfc = context.createJfc(JfcConfig.DEFAULT);
        jfs = context.createJfs(
                jfc, JfsConfig.builder().depth(64).timeout(timeout).build());
    }

    boolean post(Post work) {
        if (!work.to(jfs, accepted)) {
            return false;
        }
        owed.set(accepted++);
        return true;
    }

    /** Takes what is there. */
    void poll() {
        int count = jfc.poll(batch);
        for (int i = 0; i < count; i++) {
            CompletionStatus status = batch.status(i);
            drained |= batch.isFlushErrDone(i);
            if (!status.isMarker()) {
                ended(status, batch.userContext(i));
            }
        }
    }

    private void ended(CompletionStatus status, long userContext) {
        results++;
        if (status != CompletionStatus.SUCCESS) {
            failures++;
        }
        if (!owed.get((int) userContext)) {
            wrongs.add(jfs + ": a second result for " + userContext + ": " + status);
        }
        owed.clear((int) userContext);
    }

    /** Polls until the last one that was posted has succeeded; false when the queue failed. */
    boolean finish() {
        Patience.until(Patience.LIMIT, () -> {
            poll();
            return owed.isEmpty() || hasFailed();
        });
        return !hasFailed();
    }

    boolean hasFailed() {
        return failures > 0 || jfs.state() == QueueState.ERROR;
    }

    /** Waits for all that is owed, by the JFC or by flush; says what is missing or wrong. Once, at the end. */
    List<String> settle(Duration limit) {
        await(limit);
        if (!owed.isEmpty()) {
            wrongs.add(
                    jfs + " in " + jfs.state() + ": no result for " + owed + " of " + accepted + "; " + jfs.counters());
        }
        return wrongs;
    }

    /** Waits for all results, from the JFC or from flush; waits again if this process itself was stopped meanwhile. */
    void await(Duration limit) {
        long begin = System.nanoTime();
        if (!Patience.until(limit, this::isSettled)
                && System.nanoTime() - begin > limit.plusSeconds(1).toNanos()) {
            Patience.until(limit, this::isSettled);
        }
    }

    private boolean isSettled() {
        poll();
        if (drained) {
            for (Completion completion : jfs.flushAll()) {
                ended(completion.status(), completion.userContext());
            }
        }
        return owed.isEmpty();
    }

    int results() {
        return results;
    }

    int failures() {
        return failures;
    }

    @Override
    public void close() {
        jfs.close();
        jfc.close();
    }
}
