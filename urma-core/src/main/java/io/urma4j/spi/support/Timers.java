package io.urma4j.spi.support;

import java.util.PriorityQueue;

/** A queue of timers in order of their deadlines. For one thread; the time is an argument. */
public final class Timers {
    private final PriorityQueue<Timer> queue = new PriorityQueue<>(Timers::compare);

    private long made;

    /** Timers of a thread. */
    @FunctionalInterface
    public interface Clock {
        /** Runs an action at a deadline. */
        Timer at(long deadlineNanos, Runnable action);
    }

    /** A timer; may be cancelled at any time, also after it expired. */
    public final class Timer {
        private final long deadlineNanos;
        private final long number;
        private final Runnable action;

        private Timer(long deadlineNanos, long number, Runnable action) {
            this.deadlineNanos = deadlineNanos;
            this.number = number;
            this.action = action;
        }

        public void cancel() {
            queue.remove(this);
        }
    }

    private static int compare(Timer a, Timer b) {
        // not compared but subtracted, since the clock may wrap
        long difference = a.deadlineNanos - b.deadlineNanos;
        return difference != 0 ? Long.signum(difference) : Long.compare(a.number, b.number);
    }

    public Timer at(long deadlineNanos, Runnable action) {
        Timer timer = new Timer(deadlineNanos, made++, action);
        queue.add(timer);
        return timer;
    }

    /** The number of pending timers. */
    public int size() {
        return queue.size();
    }

    /** Runs all expired timers; timers added meanwhile wait for the next call. */
    public void fire(long nowNanos) {
        long last = made;
        Timer next = queue.peek();
        while (next != null && next.deadlineNanos - nowNanos <= 0 && next.number < last) {
            queue.remove();
            next.action.run();
            next = queue.peek();
        }
    }

    /** Time until the next deadline; 0 if it has passed, {@code Long.MAX_VALUE} if there is none. */
    public long delayNanos(long nowNanos) {
        Timer next = queue.peek();
        return next == null ? Long.MAX_VALUE : Math.max(next.deadlineNanos - nowNanos, 0);
    }
}
