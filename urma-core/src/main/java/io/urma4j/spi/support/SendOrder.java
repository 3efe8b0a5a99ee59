package io.urma4j.spi.support;

import io.urma4j.CompletionStatus;
import io.urma4j.QueueState;

/**
 * The order of a send queue. A work request starts when nothing before it to the same target is in its way ({@link
 * SendScan}), and has its record when everything before it has ({@link SendReports}); so flows to different targets pass
 * each other, and records do not (S8.9, S10.1). {@link FailurePolicy} says what failures do.
 *
 * <p>The order starts nothing and makes no record itself: the provider does, by its {@link SendActions}. It has no lock,
 * and one thread at a time may call it; {@link SendLife#state} is for all.
 *
 * @param <E> the provider's entries
 * @param <P> the provider's peers
 */
public final class SendOrder<E extends SendEntry<?, P>, P extends SendPeer> {
    private static final int SUCCESS = CompletionStatus.SUCCESS.value();
    private static final int WR_FLUSH_ERR = CompletionStatus.WR_FLUSH_ERR.value();

    private final OrderWindow<E, P> window;
    private final SendLife life;
    private final SendReports<E, P> reports;
    private final SendScan<E, P> scan;
    private final FailurePolicy<E, P> failures;

    /** Takes what {@link #flush} returns. */
    public interface Unreported<E> {
        /** The work request of {@code position} ends so; {@code index} counts from 0. */
        void put(int index, long position, E entry, int status);
    }

    /** An order of that depth, a power of two, that is empty. */
    public SendOrder(SendActions<E, P> actions, SendRules rules, int depth, QueueState born) {
        this.window = new OrderWindow<>(actions, depth);
        this.life = new SendLife(actions, born);
        this.reports = new SendReports<>(window, life, actions);
        this.scan = new SendScan<>(window, life, reports, actions, rules);
        this.failures = new FailurePolicy<>(window, life, actions, rules);
    }

    public OrderWindow<E, P> window() {
        return window;
    }

    public SendLife life() {
        return life;
    }

    public FailurePolicy<E, P> failures() {
        return failures;
    }

    // ---- what is posted

    /** Adds the filled entry of {@code position}, which waits. */
    public void add(long position, E entry) {
        if (window.isEmpty()) {
            scan.startAt(position);
        }
        window.add(position, entry);
        if (life.state() != QueueState.ERROR && failures.concerns(entry)) { // in ERROR, flush returns it (S6.4)
            window.end(entry, WR_FLUSH_ERR);
        }
        assert window.isSound() : this;
    }

    /** Adds the entry of {@code position}, which was started within its post: nothing waits. */
    public void addStarted(long position) {
        window.addStarted(position);
        scan.startAt(position + 1);
        assert window.isSound() : this;
    }

    /** Adds the entry of {@code position}, which has its status and no record; it may be older than all others. */
    public void addEnded(long position, E entry, int status) {
        window.addAnywhere(position, entry);
        window.end(entry, status);
        assert window.isSound() : this;
    }

    /** Whether the filled entry would start as soon as it was added: it is the only one, and nothing holds up its flow. */
    public boolean startsAlone(E entry) {
        SendFlow flow = entry.flow;
        return window.isEmpty()
                && life.state() == QueueState.READY
                && flow != null
                && !flow.probing
                && !entry.followsEvent
                && !failures.concerns(entry);
    }

    /** Adds the entry of {@code position}, which {@linkplain #startsAlone starts alone}: all of it is handed to its peer. */
    public void addStarted(long position, E entry, long nowNanos) {
        addStarted(position);
        entry.stage = SendEntry.Stage.STARTED;
        entry.enterFlow(nowNanos);
    }

    // ---- a step

    /** Sees to failures, starts what can start, and makes the records of what is finished. */
    public void step(long nowNanos) {
        failures.settle();
        if (window.hasWaiting() && life.state() == QueueState.READY) {
            scan.run(nowNanos);
            failures.settle();
        }
        reports.run();
        assert scan.isSound() : this;
    }

    /** Makes the records of what is finished, in order, and the marker when it is due. */
    public void report() {
        reports.run();
    }

    // ---- what becomes of a work request

    /** It has its status; a failure has its consequences now. */
    public void finish(E entry, int status) {
        window.end(entry, status);
        if (status != SUCCESS) {
            failures.failed(entry, status);
        }
        assert window.isSound() : this;
    }

    /** Its receiver was not ready: it waits again. False when its target has failed meanwhile, and it ends instead. */
    public boolean repeat(long position, E entry) {
        window.waitAgain(entry);
        return waitAgain(position, entry);
    }

    /** A thread copies for a work request that waits: until {@link #copied} or {@link #finish} nothing else ends it. */
    public void copying(E entry) {
        window.copying(entry);
    }

    /** The copy has ended, and the rest of the work request waits for its turn, unless its target has failed meanwhile. */
    public void copied(long position, E entry) {
        window.copied(entry);
        waitAgain(position, entry);
    }

    private boolean waitAgain(long position, E entry) {
        if (failures.concerns(entry)) {
            window.end(entry, WR_FLUSH_ERR);
            return false;
        }
        scan.waitsAgain(position);
        return true;
    }

    // ---- states

    /** What was held may start, in order; the caller enters READY. The time in suspension is not the peer's silence. */
    public void resume(long sinceNanos) {
        life.endDrain(); // a suspension that ends before it is complete makes no marker
        for (long position = window.head(); position < window.end(); position++) {
            window.at(position).sinceNanos = sinceNanos;
        }
    }

    /** Goes to ERROR for an unbind: no marker follows. */
    public void unbind() {
        failures.fail();
        life.drain(SendLife.Drain.UNBINDING);
    }

    /**
     * Takes out what has no record, in order: what never started, and what found no room for its record. The queue is in
     * ERROR or SUSPENDED, and has drained.
     *
     * @return how many, at most {@code max}
     */
    public int flush(int max, Unreported<E> to) {
        return reports.flush(max, to);
    }

    /** Takes everything out without a result: the queue is closed. */
    public void clear() {
        reports.clear();
    }

    @Override
    public String toString() {
        return "SendOrder[" + life + ", " + window + "]";
    }
}
