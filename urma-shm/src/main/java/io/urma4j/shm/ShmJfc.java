package io.urma4j.shm;

import io.urma4j.AsyncEvent;
import io.urma4j.Counters;
import io.urma4j.JfcConfig;
import io.urma4j.spi.ProviderJfc;
import java.util.function.Consumer;

/** A completion queue, as the application polls and arms it: a poll that finds no {@link JfcRecords} drives progress. */
final class ShmJfc implements ProviderJfc {
    /** Polls that find records still drive progress now and then, or arrivals would wait as long as posts succeed. */
    private static final int PROGRESS_EVERY = 64;

    private final LocalContext context;
    private final int id;
    private final Progress progress;
    private final JfcRecords records;
    private final Consumer<ShmJfc> onClose;

    private long polls; // of the poller

    /**
     * Creates a JFC.
     *
     * @param onEvent fires the event that it was armed for
     * @param onClose called at its end
     */
    ShmJfc(
            LocalContext context,
            int id,
            JfcConfig config,
            Progress progress,
            Demand demand,
            Runnable onEvent,
            Consumer<ShmJfc> onClose) {
        this.context = context;
        this.id = id;
        this.progress = progress;
        this.onClose = onClose;
        this.records = new JfcRecords(toString(), config, demand, onEvent, this::overflowed);
    }

    private void overflowed() {
        String detail = "overflow: all " + depth() + " records of its depth are in use";
        context.raise(AsyncEvent.Type.JFC_ERR, this, detail);
    }

    /** Where queues put their records. */
    JfcRecords records() {
        return records;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int depth() {
        return records.depth();
    }

    @Override
    public boolean isValid() {
        return records.isValid();
    }

    @Override
    public int poll(long[] words, int maxRecords) {
        if ((++polls & (PROGRESS_EVERY - 1)) == 0) {
            progress.poll(); // before records are taken: should it throw, none is lost (S10.4)
        }
        int count = records.take(words, maxRecords);
        return count > 0 ? count : takeAfterProgress(words, maxRecords);
    }

    private int takeAfterProgress(long[] words, int maxRecords) {
        progress.poll();
        return records.take(words, maxRecords);
    }

    @Override
    public void rearm(boolean solicitedOnly) {
        if (records.arm(solicitedOnly)) {
            progress.prepareWait();
        }
    }

    @Override
    public Counters counters() {
        return records.counters();
    }

    @Override
    public void close() {
        records.close();
        onClose.accept(this);
    }

    @Override
    public String toString() {
        return "JFC " + context.uasid() + "/" + id;
    }
}
