package io.urma4j.shm;

import io.urma4j.shm.bounce.BounceServer;
import io.urma4j.spi.support.FieldHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Moves a context's messages: any polling thread does, and the engine if no thread polls.
 *
 * <p>While threads poll, the engine only checks now and then ({@link #TICK_NANOS}), so that it takes over when the polling
 * stops. After a tick without polls, or while a thread waits for an event, it requests wake-ups from all peers, checks once
 * more, and sleeps. A thread that is about to wait requests the wake-ups itself, so that its message does not wait for a
 * tick.
 */
final class Progress implements BounceServer.Rings {
    /** How often the engine checks while other threads poll. */
    private static final long TICK_NANOS = 1_000_000;

    /** How often it checks while they spin: if CPUs are few, each check takes one from them for 10 µs. */
    private static final long SPIN_TICK_NANOS = 4_000_000;

    /**
     * A thread that polls this often between two ticks is spinning, and will not stop soon, if it does so for this many
     * consecutive ticks.
     */
    private static final int POLLS_OF_A_SPIN = 1000;

    private static final int TICKS_OF_A_SPIN = 8;

    /** If the engine is delayed by this much, the whole process was stalled, and no thread may have polled before it. */
    private static final long PAUSE_NANOS = 50 * TICK_NANOS;

    /** Longest sleep while there are paths: timeouts of silent peers are detected then at the latest. */
    private static final long WATCH_NANOS = 1_000_000_000;

    /** Maximum consecutive rounds with work before the engine handles its sockets again. */
    private static final int ROUNDS = 64;

    private static final VarHandle POLLS = FieldHandle.of(MethodHandles.lookup(), "polls", long.class);

    private final CopyOnWriteArrayList<SendWindow> windows = new CopyOnWriteArrayList<>();
    private final Demand demand;
    private final AtomicInteger waitingQueues;
    private volatile MessagePath[] paths = new MessagePath[0];

    @SuppressWarnings("UnusedVariable") // through POLLS
    private long polls; // written by all pollers without order: the engine only wants to know whether it changes

    private long pollsSeen; // of the engine
    private boolean ticking; // of the engine: there were polls before its last turn
    private int spins; // of the engine: ticks on end in which others spun
    private long dueNanos = Long.MAX_VALUE; // of the engine: when its next turn is to be at the latest
    private long pausedNanos; // of the engine: how long we stood still; then input comes before timers (S12.3)

    Progress(Demand demand) {
        this.demand = demand;
        this.waitingQueues = demand.waitingQueues;
    }

    /** The open send queues. */
    List<SendWindow> windows() {
        return windows;
    }

    synchronized void add(MessagePath path) {
        MessagePath[] more = Arrays.copyOf(paths, paths.length + 1);
        more[paths.length] = path;
        paths = more;
    }

    synchronized void remove(MessagePath path) {
        paths = Arrays.stream(paths).filter(other -> other != path).toArray(MessagePath[]::new);
    }

    /** A thread polls. */
    @Override
    public void poll() {
        POLLS.setOpaque(this, polls + 1);
        round(false);
    }

    private int round(boolean insist) {
        int work = 0;
        for (MessagePath path : paths) {
            work += path.turn(insist);
        }
        if (waitingQueues.get() > 0) {
            long now = System.nanoTime();
            for (SendWindow window : windows) {
                drive(window, now, insist);
            }
        }
        return work;
    }

    /** Starts waiting requests, if possible; a thread that does not insist on the lock comes again. */
    private static void drive(SendWindow window, long nowNanos, boolean insist) {
        if (window.isWatched() && window.lock().acquire(insist)) {
            try {
                window.advance(nowNanos);
            } finally {
                window.lock().release();
            }
        }
    }

    @Override
    public void beginWait() {
        demand.armedJfcs.incrementAndGet(); // as a thread that waits for a JFC does
        prepareWait();
    }

    @Override
    public void endWait() {
        demand.armedJfcs.decrementAndGet();
    }

    /** A thread is about to wait for an event: arrivals wake the engine from now on. */
    void prepareWait() {
        askForWakeUps();
        boolean done = takeAll(); // what came before that
        if (!done || waitingQueues.get() > 0) {
            demand.wakeEngine(); // something must be repeated, or waits for room: the engine must know when
        }
    }

    /** Processes arrivals until there are none; false if they do not seem to end. */
    private boolean takeAll() {
        for (int i = 0; i < ROUNDS; i++) {
            if (round(true) == 0) {
                return true;
            }
        }
        return false;
    }

    private void askForWakeUps() {
        for (MessagePath path : paths) {
            path.askForWakeUp();
        }
        // full fence: the flags are visible before the rings are read for the last time
        VarHandle.fullFence();
    }

    /** The engine's step; returns how long it may sleep. */
    long turn(long nowNanos) {
        if (dueNanos != Long.MAX_VALUE && nowNanos - dueNanos > PAUSE_NANOS) {
            pausedNanos += nowNanos - dueNanos;
        }
        long sleepNanos = turnInTime(nowNanos);
        dueNanos = sleepNanos == Long.MAX_VALUE ? Long.MAX_VALUE : nowNanos + sleepNanos;
        return sleepNanos;
    }

    private long turnInTime(long nowNanos) {
        boolean wasTicking = ticking;
        long polled = pollsSinceLastTurn();
        ticking = polled > 0;
        spins = polled >= POLLS_OF_A_SPIN ? Math.min(spins + 1, TICKS_OF_A_SPIN) : 0;
        boolean leaveIt = ticking && demand.armedJfcs.get() == 0;
        if (leaveIt && wasTicking && pausedNanos == 0) {
            // a polling thread polls again; a second thread at the rings would only be in its way
            return Math.min(watch(nowNanos), spins < TICKS_OF_A_SPIN ? TICK_NANOS : SPIN_TICK_NANOS);
        }
        if (!takeAll()) {
            return 0;
        }
        long next = watch(nowNanos);
        if (leaveIt) {
            return Math.min(next, TICK_NANOS);
        }
        askForWakeUps();
        for (MessagePath path : paths) {
            if (path.hasWork()) {
                return 0;
            }
        }
        return ticking ? Math.min(next, TICK_NANOS) : next;
    }

    private long pollsSinceLastTurn() {
        long pollsNow = (long) POLLS.getOpaque(this);
        long polled = pollsNow - pollsSeen;
        pollsSeen = pollsNow;
        return polled;
    }

    /** Handles deadlines; returns the delay to the next one. */
    private long watch(long nowNanos) {
        long paused = pausedNanos;
        pausedNanos = 0;
        long sleep = paths.length == 0 ? Long.MAX_VALUE : WATCH_NANOS;
        for (SendWindow window : windows) {
            long retryAt = expire(window, nowNanos, paused);
            if (retryAt != Long.MAX_VALUE) {
                sleep = Math.min(sleep, Math.max(0, retryAt - nowNanos));
            }
            if (paths.length > 0) {
                sleep = Math.min(sleep, Math.max(TICK_NANOS / 2, window.timeoutNanos() / 2));
            }
        }
        return sleep;
    }

    private static long expire(SendWindow window, long nowNanos, long pausedNanos) {
        if (window.order().window().isEmpty()) {
            return Long.MAX_VALUE; // what is added just now is seen to the next time
        }
        window.lock().acquire();
        try {
            return window.expire(nowNanos, pausedNanos);
        } finally {
            window.lock().release();
        }
    }
}
