package io.urma4j.shm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who moves a context's messages: any thread that polls, and the engine when nobody does.
 *
 * <p>While somebody polls, the engine only looks in now and then ({@link #TICK_NANOS}), so that it takes over when the
 * polling stops. After a tick without polls, or while a thread waits for an event, it asks all peers to wake it, looks
 * once more, and sleeps. A thread that is about to wait asks for the wake-up itself, so that no tick lies between it and
 * its message.
 */
final class Progress {
    /** How often the engine looks in while others poll. */
    private static final long TICK_NANOS = 1_000_000;

    /** How often it does while they spin: where CPUs are few, each look takes one from them for 10 µs. */
    private static final long SPIN_TICK_NANOS = 4_000_000;

    /** Who polls so often between two ticks spins, and is not gone for long; and he did so for so many ticks on end. */
    private static final int POLLS_OF_A_SPIN = 1000;

    private static final int TICKS_OF_A_SPIN = 8;

    /** The whole process stood still when the engine comes as late as that: nobody may have polled before it. */
    private static final long PAUSE_NANOS = 50 * TICK_NANOS;

    /** Longest sleep while there are paths: timeouts of silent peers are found then at the latest. */
    private static final long WATCH_NANOS = 1_000_000_000;

    /** Rounds without an end to the work before the engine sees to its sockets again. */
    private static final int ROUNDS = 64;

    private static final VarHandle POLLS;

    static {
        try {
            POLLS = MethodHandles.lookup().findVarHandle(Progress.class, "polls", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final List<ShmSendQueue> sendQueues;
    private final AtomicInteger waitingQueues;
    private final AtomicInteger armedJfcs;
    private final Runnable wakeEngine;
    private volatile MessagePath[] paths = new MessagePath[0];

    @SuppressWarnings("UnusedVariable") // through POLLS
    private long polls; // written by all pollers without order: the engine only wants to know whether it changes

    private long pollsSeen; // of the engine
    private boolean ticking; // of the engine: there were polls before its last turn
    private int spins; // of the engine: ticks on end in which others spun
    private long dueNanos = Long.MAX_VALUE; // of the engine: when its next turn is to be at the latest
    private long pausedNanos; // of the engine: how long we stood still; then input comes before timers (S12.3)

    Progress(List<ShmSendQueue> sendQueues, AtomicInteger waitingQueues, AtomicInteger armedJfcs, Runnable wakeEngine) {
        this.armedJfcs = armedJfcs;
        this.wakeEngine = wakeEngine;
        this.sendQueues = sendQueues;
        this.waitingQueues = waitingQueues;
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
    void poll() {
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
            for (ShmSendQueue queue : sendQueues) {
                queue.advance(now, insist);
            }
        }
        return work;
    }

    /** A thread is about to wait for an event: from now on arrivals wake the engine. */
    void prepareWait() {
        askForWakeUps();
        boolean done = takeAll(); // what came before that
        if (!done || waitingQueues.get() > 0) {
            wakeEngine.run(); // something must be repeated, or waits for room: the engine must know when
        }
    }

    /** Takes until nothing is there; false when there seems to be no end to it. */
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
        // full fence: the flags are visible before we look at the rings for the last time
        VarHandle.fullFence();
    }

    /** The engine's turn; returns how long it may sleep. */
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
        boolean leaveIt = ticking && armedJfcs.get() == 0;
        if (leaveIt && wasTicking && pausedNanos == 0) {
            // whoever polls comes again; a second thread at the rings would only be in its way
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

    /** Sees to what depends on time; returns how long until it must be seen to again. */
    private long watch(long nowNanos) {
        long paused = pausedNanos;
        pausedNanos = 0;
        if (paths.length == 0) {
            return Long.MAX_VALUE;
        }
        long sleep = WATCH_NANOS;
        for (ShmSendQueue queue : sendQueues) {
            long retryAt = queue.expire(nowNanos, paused);
            if (retryAt != Long.MAX_VALUE) {
                sleep = Math.min(sleep, Math.max(0, retryAt - nowNanos));
            }
            sleep = Math.min(sleep, Math.max(TICK_NANOS / 2, queue.timeoutNanos() / 2));
        }
        return sleep;
    }
}
