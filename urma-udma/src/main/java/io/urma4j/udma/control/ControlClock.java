package io.urma4j.udma.control;

import io.urma4j.spi.support.Timers;

/** The time of one control plane, which its parts share: each call and each datagram sets it once. For one thread. */
final class ControlClock {
    private final Timers timers = new Timers();
    private long now;

    ControlClock(long nowNanos) {
        this.now = nowNanos;
    }

    void set(long nowNanos) {
        now = nowNanos;
    }

    long now() {
        return now;
    }

    Timers.Timer at(long deadlineNanos, Runnable action) {
        return timers.at(deadlineNanos, action);
    }

    /** Runs expired timers; returns the delay to the next deadline, {@code Long.MAX_VALUE} for none. */
    long run(long nowNanos) {
        now = nowNanos;
        timers.fire(nowNanos);
        return timers.delayNanos(nowNanos);
    }

    /** The number of pending timers. */
    int timers() {
        return timers.size();
    }
}
