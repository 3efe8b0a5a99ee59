package io.urma4j.buffer;

import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.UrmaException;
import io.urma4j.internal.ApiAccess;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The thread of a context under {@link TransferProgress#BY_THREAD}: it takes records when there are events, and times out batches. */
final class TransferThread {
    private static final System.Logger LOG = System.getLogger(TransferThread.class.getName());

    private final Jfce jfce;
    private final Jfc wakeUp; // without records
    private final Thread thread;

    /**
     * For the queues of a context, whose records make events at the JFCE; the thread does not run yet.
     *
     * @param isClosed whether the transfers are closed, as a whole
     */
    TransferThread(OpenHomes homes, TransferDeadlines deadlines, Jfce jfce, BooleanSupplier isClosed) {
        this.jfce = jfce;
        this.wakeUp = homes.context().createJfc(new JfcConfig(1, false), jfce);
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("urma-transfers-" + homes.context().uasid())
                .unstarted(() -> run(homes, deadlines, jfce, isClosed));
    }

    void start() {
        thread.start();
    }

    private static void run(OpenHomes homes, TransferDeadlines deadlines, Jfce jfce, BooleanSupplier isClosed) {
        while (true) {
            boolean _ = Thread.interrupted(); // only a close ends it
            try {
                Jfc jfc = jfce.await(Duration.ofNanos(deadlines.nanosLeft())).orElse(null);
                TransferQueue queue = jfc == null ? null : homes.queueOf(jfc);
                if (queue != null) {
                    queue.pollAfterEvent();
                }
                deadlines.expire();
            } catch (InterruptedException e) {
                LOG.log(Level.DEBUG, "transfers on " + homes.context() + " ignore an interrupt", e);
            } catch (UrmaException e) {
                if (isClosed.getAsBoolean()) {
                    return; // perhaps by the end of another context, before it comes to the homes of this one
                }
                LOG.log(Level.WARNING, "transfers on " + homes.context() + " go on after a failure", e);
            }
        }
    }

    /** Makes it look at the deadlines. */
    void wake() {
        ApiAccess.api().raise(jfce, wakeUp);
    }

    /** Ends it; the queues are closed. */
    void close() {
        wakeUp.close();
        jfce.close();
    }

    @Override
    public String toString() {
        return thread.getName();
    }
}
