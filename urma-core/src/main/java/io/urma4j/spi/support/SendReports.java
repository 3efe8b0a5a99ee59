package io.urma4j.spi.support;

import io.urma4j.CompletionStatus;
import io.urma4j.spi.support.SendEntry.Stage;

/** Has the records of a {@link SendOrder} made in order, and its markers; takes out what has none. */
final class SendReports<E extends SendEntry<?, P>, P extends SendPeer> {
    private static final int WR_FLUSH_ERR = CompletionStatus.WR_FLUSH_ERR.value();
    private static final int WR_UNHANDLED = CompletionStatus.WR_UNHANDLED.value();
    private static final int WR_SUSPEND_DONE = CompletionStatus.WR_SUSPEND_DONE.value();
    private static final int WR_FLUSH_ERR_DONE = CompletionStatus.WR_FLUSH_ERR_DONE.value();

    private final OrderWindow<E, P> window;
    private final SendLife life;
    private final SendActions<E, P> actions;

    SendReports(OrderWindow<E, P> window, SendLife life, SendActions<E, P> actions) {
        this.window = window;
        this.life = life;
        this.actions = actions;
    }

    /** Makes the records of what is finished, and the marker when it is due. */
    void run() {
        long head = window.head();
        long end = window.end();
        while (head < end && isReported(head)) {
            head++;
        }
        window.leaveTo(head);
        // a failure without its consequences has no record yet, which comes before the marker
        if (!window.hasFailed()) {
            drain();
        }
        assert window.isSound() : window;
    }

    private void drain() {
        switch (life.drain()) {
            case NONE -> {}
            case ERROR, UNBINDING -> drainError();
            case SUSPENSION -> drainSuspension();
        }
    }

    /** Whether the record of {@code position} was made, now or before. */
    private boolean isReported(long position) {
        E entry = window.at(position);
        if (entry.stage == Stage.DONE && entry.isQuiet()) {
            entry.release(); // first: a thread that sees the record may close at once what it named
            if (actions.record(position, entry)) {
                entry.stage = Stage.REPORTED;
            }
        }
        return entry.stage == Stage.REPORTED;
    }

    /** In ERROR, what was never started stays behind and the others pass it; then comes the marker. */
    private void drainError() {
        for (long position = window.head(); position < window.end(); position++) {
            Stage stage = window.at(position).stage;
            if (stage == Stage.STARTED || stage == Stage.COPYING || (stage == Stage.DONE && !isReported(position))) {
                return;
            }
        }
        if (life.drain() == SendLife.Drain.UNBINDING || actions.mark(WR_FLUSH_ERR_DONE, actions.posted() - 1)) {
            life.endDrain();
        }
    }

    /**
     * In SUSPENDED, the marker waits for what is in flight, and for what still moves bytes. What no receiver took goes behind it. What
     * has ended behind something that is held waits for it, so that records come in order.
     */
    private void drainSuspension() {
        for (long position = window.head(); position < window.end(); position++) {
            E entry = window.at(position);
            if (entry.isInFlight() || entry.stage == Stage.DONE && !entry.isQuiet()) {
                return;
            }
        }
        if (!window.isEmpty() && window.at(window.head()).stage == Stage.DONE) {
            return; // its record found no room
        }
        actions.drained();
        long from = window.isEmpty() ? actions.posted() : window.head();
        if (actions.mark(WR_SUSPEND_DONE, from - 1)) {
            life.suspended(from);
        }
    }

    /** Takes out what has no record, in order; see {@link SendOrder#flush}. */
    int flush(int max, SendOrder.Unreported<E> to) {
        int count = 0;
        long first = window.head();
        while (!window.isEmpty() && count < max) {
            long position = window.head();
            E entry = window.at(position);
            if (entry.stage != Stage.REPORTED && !(entry.stage == Stage.DONE && entry.isSilent())) {
                to.put(count++, position, entry, resultOf(entry));
            }
            window.takeOut(entry);
        }
        if (window.head() != first) {
            actions.reported(window.head());
        }
        if (window.isEmpty()) {
            life.endDrain(); // of a completion queue that has overflowed and takes no marker
        }
        return count;
    }

    private int resultOf(E entry) {
        if (entry.isSettled()) {
            return entry.status;
        }
        return entry.hasPlaced ? WR_FLUSH_ERR : WR_UNHANDLED;
    }

    /** Takes everything out without a result. */
    void clear() {
        while (!window.isEmpty()) {
            window.takeOut(window.at(window.head()));
        }
        life.endDrain();
    }
}
