package io.urma4j.udma.control;

import io.urma4j.spi.support.Timers;
import org.jspecify.annotations.Nullable;

/** When a datagram without an answer is retransmitted: at growing intervals, until its deadline. For one thread. */
final class Retransmission {
    private static final long FIRST_PAUSE_NANOS = 30_000_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000_000;
    private static final long LAST_TIME_NANOS = 60_000_000_000L;

    /**
     * How often a greeting, or a request to a peer that holds nothing, is retransmitted before the interval grows: under
     * attack the home drops most packets of unknown peers.
     */
    private static final int QUICK_TRIES = 20;

    private final ControlClock clock;
    private long deadlineNanos;
    private long pauseNanos = FIRST_PAUSE_NANOS;
    private int tries;
    private Timers.@Nullable Timer timer;

    Retransmission(ControlClock clock, long deadlineNanos) {
        this.clock = clock;
        this.deadlineNanos = deadlineNanos;
    }

    /** The datagram is not sent yet: {@code late} runs at the deadline. */
    void waits(Runnable late) {
        timer = clock.at(deadlineNanos, late);
    }

    /** The datagram was sent: {@code again} runs after the interval, or at the deadline. */
    void sent(Runnable again) {
        long next = clock.now() + pauseNanos;
        timer = clock.at(next - deadlineNanos < 0 ? next : deadlineNanos, again);
    }

    /**
     * One more waits for the answer: it is retransmitted until the last of them gives up. The intervals begin anew, since the
     * timeout of this one may be shorter than those that have grown.
     */
    void extend(long untilNanos, Runnable again) {
        if (untilNanos - deadlineNanos > 0) {
            deadlineNanos = untilNanos;
        }
        tries = 0;
        if (pauseNanos > FIRST_PAUSE_NANOS) { // else a timer that is set again and again would never expire
            pauseNanos = FIRST_PAUSE_NANOS;
            cancel();
            sent(again);
        }
    }

    /** A last time after the deadline, for what a late answer would give. */
    void goOn() {
        deadlineNanos = clock.now() + LAST_TIME_NANOS;
    }

    boolean isOver() {
        return deadlineNanos - clock.now() <= 0;
    }

    /** The datagram is sent once more; {@code toStranger} keeps the interval short at first. */
    void next(boolean toStranger) {
        tries++;
        pauseNanos =
                toStranger && tries < QUICK_TRIES ? FIRST_PAUSE_NANOS : Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
    }

    void cancel() {
        if (timer != null) {
            timer.cancel();
        }
    }
}
