package io.urma4j.udma.device;

import io.urma4j.udma.transport.FlushHint;

/** When the queues and the connections of a card run: at once, in its next step, or at a deadline. */
final class Schedule {
    /** A step that comes so much later than it was asked for follows a pause of our own. */
    private static final long PAUSE_NANOS = 50_000_000;

    /** For this time after a pause, input precedes timers (S12.3). */
    private static final long GRACE_NANOS = 20_000_000;

    final Deadlines deadlines = new Deadlines();
    final ReadyList queues = new ReadyList();
    final ReadyList connections = new ReadyList();

    private long expectedNanos = Long.MAX_VALUE; // when the last step asked for the next
    private long graceUntilNanos = Long.MIN_VALUE;

    boolean hasReady() {
        return !queues.isEmpty() || !connections.isEmpty();
    }

    void beginStep(long nowNanos) {
        queues.beginStep();
        connections.beginStep();
        runTimers(nowNanos);
    }

    private void runTimers(long nowNanos) {
        boolean isLate = expectedNanos != Long.MAX_VALUE && nowNanos - expectedNanos > PAUSE_NANOS;
        if (isLate && graceUntilNanos == Long.MIN_VALUE) {
            graceUntilNanos = nowNanos + GRACE_NANOS; // once: where every step is late, timers must run all the same
        } else if (nowNanos >= graceUntilNanos) {
            graceUntilNanos = Long.MIN_VALUE;
            deadlines.run(nowNanos);
        }
    }

    /** Runs each ready queue, and then each ready connection, once; or has the only queue take the short way of its request. */
    void runRound(long nowNanos, FlushHint hint) {
        Task only = queues.only();
        if (hint == FlushHint.FLUSH && only != null && only.sendsAtOnce(nowNanos)) {
            return;
        }
        queues.runRound(nowNanos, hint);
        connections.runRound(nowNanos, hint);
    }

    /** Returns when the next step is due: what is ready waits for {@code pauseNanos}. */
    long endStep(long nowNanos, long pauseNanos) {
        expectedNanos = hasReady() ? nowNanos + pauseNanos : Math.max(deadlines.nextNanos(), graceUntilNanos);
        return expectedNanos;
    }
}
