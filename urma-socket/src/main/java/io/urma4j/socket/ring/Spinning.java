package io.urma4j.socket.ring;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long the waits of a process look at their rings before they sleep. A look takes a processor; a sleep takes system calls at
 * both ends, and tens of microseconds until the thread runs again. Safe for any thread.
 */
public final class Spinning {
    private static final long ADAPTIVE_NANOS = 20_000;

    private final long limitNanos;
    private final boolean isAdaptive;
    private final int mostThreads;
    private final AtomicInteger threads = new AtomicInteger();

    private Spinning(long limitNanos, boolean isAdaptive, int mostThreads) {
        this.limitNanos = limitNanos;
        this.isAdaptive = isAdaptive;
        this.mostThreads = mostThreads;
    }

    /** Each wait spins so long, in as many threads as there are. */
    public static Spinning of(long limitNanos) {
        return new Spinning(limitNanos, false, Integer.MAX_VALUE);
    }

    /** A wait spins for 20 µs, while half of its last ones ended so, and at most half of the processors do. */
    public static Spinning adaptive(int processors) {
        return new Spinning(ADAPTIVE_NANOS, true, processors / 2);
    }

    /** For one place that waits, by one thread at a time. */
    public Spinner spinner() {
        return new Spinner(this);
    }

    long limitNanos() {
        return limitNanos;
    }

    boolean isAdaptive() {
        return isAdaptive;
    }

    /** Whether one more thread may spin, which then calls {@link #leave}. */
    boolean enter() {
        if (threads.incrementAndGet() <= mostThreads) {
            return true;
        }
        leave();
        return false;
    }

    void leave() {
        threads.decrementAndGet();
    }

    @Override
    public String toString() {
        return isAdaptive ? "adaptive" : Long.toString(limitNanos / 1000);
    }
}
