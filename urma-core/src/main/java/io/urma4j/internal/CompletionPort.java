package io.urma4j.internal;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import java.time.Duration;

/**
 * A completion queue and a way to wait for it. It polls for a while, since most records arrive at once, then sleeps until
 * there is an event. For one waiting thread at a time; any thread may call {@link #close}.
 */
public final class CompletionPort implements AutoCloseable {
    /** Polls before sleeping: about as long as a sleep and its wake-up take. */
    private static final int POLLS = 256;

    private final Jfce jfce;
    private final Jfc jfc;
    private final CompletionBatch batch;

    /** A port for up to {@code depth} records, taken {@code batchRecords} at a time. */
    public CompletionPort(UrmaContext context, int depth, int batchRecords) {
        this.batch = new CompletionBatch(batchRecords);
        this.jfce = context.createJfce();
        try {
            this.jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(depth), jfce);
        } catch (UrmaException e) {
            jfce.close();
            throw e;
        }
    }

    public Jfc jfc() {
        return jfc;
    }

    /** The records of the last {@link #await} or {@link #poll}. */
    public CompletionBatch batch() {
        return batch;
    }

    /** Takes records that are there; returns how many {@link #batch} holds. */
    public int poll() {
        return jfc.poll(batch);
    }

    /**
     * Waits for records.
     *
     * @return how many records {@link #batch} holds; 0 at the timeout, or spuriously
     * @throws UrmaException EINVAL once the port is closed
     */
    public int await(Duration timeout) throws InterruptedException {
        for (int i = 0; i < POLLS; i++) {
            int count = jfc.poll(batch);
            if (count > 0) {
                return count;
            }
            Thread.onSpinWait();
        }
        jfc.rearm(false);
        int count = jfc.poll(batch); // one that came before the rearm may have made no event
        if (count == 0 && jfce.await(timeout).isPresent()) {
            count = jfc.poll(batch);
        }
        return count;
    }

    /** The same for a wait that an interrupt does not end, except spuriously: the flag is set afterwards. */
    public int awaitUninterruptibly(Duration timeout) {
        boolean wasInterrupted = Thread.interrupted(); // with its flag set, a thread could not sleep
        try {
            return await(timeout);
        } catch (InterruptedException _) {
            return 0; // the flag is set again
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Closes the port; a waiting thread gets EINVAL. Its queues must have been closed before. */
    @Override
    public void close() {
        jfc.close();
        jfce.close();
    }
}
