package io.urma4j.udma.driver;

import io.urma4j.libc.TimerFd;
import io.urma4j.spi.support.ControlEngine;
import io.urma4j.spi.support.Timers;
import io.urma4j.udma.engine.EventLoop;
import io.urma4j.udma.udp.UdpPort;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a device that waits in the kernel: for packets, timers, and tasks of other threads. It drives the card when
 * no other thread does, and owns the control plane. An idle device waits without a timeout.
 *
 * <p>A round consists of a step of the card, tasks of other threads, expired timers, and the wait.
 *
 * <p><b>Resting.</b> While other threads drive the card all the time, the engine leaves the card to them. It does not watch
 * the socket then, since each packet's wake-up would cost them. An alarm makes it check whether they still do; they reset
 * the alarm as they go ({@link #putOff}), because each check would take a CPU from one of them. A thread that arms a
 * completion queue notifies the engine at once ({@link #attend}).
 *
 * <p><b>Waking.</b> The engine stores in {@link #sleepsUntil} until when it will wait, and reads {@link #wantedBy} and the
 * tasks after that. A thread that needs it earlier writes there, and reads {@code sleepsUntil} after that. So one of the
 * two sees the other.
 */
final class EngineThread implements EventLoop.Engine, ControlEngine {
    private static final System.Logger LOG = System.getLogger(EngineThread.class.getName());

    private static final long AWAKE = Long.MIN_VALUE;
    private static final long SOON = AWAKE + 1; // the deadline of what wants a round at once
    private static final long RETRY_AFTER_FAILURE_NANOS = 1_000_000;
    private static final long RETRY_TURN_NANOS = 1_000_000_000;

    /** How often it checks the card before it rests, while other threads drive it. */
    private static final long LOOK_NANOS = 1_000_000;

    /** Maximum time without any thread at the card, when the polling threads stop. */
    private static final long REST_NANOS = 4_000_000;

    /** Interval of resetting the alarm, which is a system call. */
    private static final long PUT_OFF_EVERY_NANOS = REST_NANOS / 4;

    /** It rests after it has met other threads at the card this many times in a row. */
    private static final int MEETINGS_BEFORE_REST = 4;

    /** Another component with timers: a control plane. On the engine's thread. */
    @FunctionalInterface
    interface Turn {
        /** Runs expired timers; returns the delay to the next deadline, {@code Long.MAX_VALUE} for none. */
        long run(long nowNanos);
    }

    private final UdpPort port;
    private final LongSupplier clock;
    private final Thread thread;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<Turn> turns = new CopyOnWriteArrayList<>();
    private final Timers timers = new Timers(); // the engine's thread
    private final AtomicLong wantedBy = new AtomicLong(Long.MAX_VALUE);
    private volatile long sleepsUntil = AWAKE;
    private volatile boolean rests;
    private volatile boolean stopped;
    private final @Nullable TimerFd alarm; // ends its rest; null where the port watches its socket alone
    private long putOffNanos; // when the alarm was put off last; guarded by the lock of the card
    private @Nullable EventLoop eventLoop; // set before the start
    private final Set<Object> failing =
            new HashSet<>(); // what failed when it ran last, and was logged; the engine's thread
    private int meetings; // the engine's thread
    private boolean hasMet; // another thread at the card, in this round; the engine's thread
    private boolean hasWatched; // for packets, in its last wait; the engine's thread

    EngineThread(String name, UdpPort port, LongSupplier clock) {
        this.port = port;
        this.clock = clock;
        this.alarm = alarmAt(port);
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    private static @Nullable TimerFd alarmAt(UdpPort port) {
        TimerFd alarm = TimerFd.create();
        if (port.watch(alarm.fd(), () -> {})) { // that it ends the wait is all
            return alarm;
        }
        alarm.close();
        return null;
    }

    void start(EventLoop turned) {
        eventLoop = turned;
        thread.start();
    }

    // ---- for any thread

    @Override
    public void wakeBy(long nanos) {
        if (!rests) { // else the threads that drive the card see to it; and it looks soon whether they are still there
            wake(nanos);
        }
    }

    @Override
    public boolean rests() {
        return rests;
    }

    @Override
    public void putOff(long nowNanos) {
        if (alarm != null && nowNanos - putOffNanos > PUT_OFF_EVERY_NANOS) {
            putOffNanos = nowNanos;
            alarm.set(REST_NANOS);
        }
    }

    @Override
    public void attend() {
        if (rests) {
            port.wake();
        }
    }

    private void wake(long nanos) {
        long wanted = wantedBy.get();
        while (nanos < wanted && !wantedBy.compareAndSet(wanted, nanos)) {
            wanted = wantedBy.get();
        }
        if (nanos < sleepsUntil) {
            sleepsUntil = AWAKE;
            port.wake();
        }
    }

    /** Runs {@code task}, which must not block, on the engine's thread; false if the engine has ended and never will. */
    @Override
    public boolean submit(Runnable task) {
        tasks.add(task);
        wake(SOON);
        // the stopping thread empties the queue after that; so the task is still in there, or it ran
        return !stopped || !tasks.remove(task);
    }

    void add(Turn turn) {
        turns.add(turn);
        wakeSoon();
    }

    /** Makes it run a round. Any thread. */
    void wakeSoon() {
        wake(SOON);
    }

    void remove(Turn turn) {
        turns.remove(turn);
    }

    // ---- the engine's thread

    @Override
    public long nanos() {
        return clock.getAsLong();
    }

    @Override
    public Timers.Timer at(long deadlineNanos, Runnable action) {
        return timers.at(deadlineNanos, () -> guarded(action));
    }

    /** Ends the thread after this round; any thread. */
    void stop() {
        stopped = true;
        wake(SOON);
    }

    /** Waits for its end; not on the thread itself. */
    void join() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        closeAlarm();
    }

    /** The thread has ended, or was never started. */
    void closeAlarm() {
        if (alarm != null) {
            port.unwatch(alarm.fd());
            alarm.close();
        }
    }

    private void run() {
        while (!stopped) {
            try {
                roundAndWait();
                works("a round");
            } catch (RuntimeException | Error e) {
                failed("a round", e);
                LockSupport.parkNanos(RETRY_AFTER_FAILURE_NANOS);
            }
        }
        runTasks(); // those that were in time
    }

    private void roundAndWait() {
        boolean isPolled = isPolled();
        hasMet = isPolled;
        long next = round(!isPolled);
        meetings = hasMet ? meetings + 1 : 0;
        if (meetings < MEETINGS_BEFORE_REST) {
            sleep(hasMet ? Math.min(next, clock.getAsLong() + LOOK_NANOS) : next);
        } else {
            rest(next);
        }
        hasWatched = meetings < MEETINGS_BEFORE_REST;
    }

    private boolean isPolled() {
        return eventLoop != null && eventLoop.isPolled();
    }

    /** Whether a thread waits for an event, which only the engine can signal. */
    private boolean isAnyArmed() {
        return eventLoop != null && eventLoop.isAnyArmed();
    }

    private void sleep(long next) {
        sleepsUntil = next;
        try {
            if (!stopped && tasks.isEmpty()) {
                await(Math.min(next, wantedBy.get()));
            }
        } finally {
            sleepsUntil = AWAKE;
        }
    }

    /** Waits until a thread needs it, or until its own deadline. */
    private void rest(long next) {
        rests = true;
        sleepsUntil = next;
        try {
            if (!stopped && tasks.isEmpty() && !isAnyArmed() && wantedBy.get() > SOON) {
                awaitOther(next);
            }
        } finally {
            sleepsUntil = AWAKE;
            rests = false;
        }
    }

    private void awaitOther(long deadlineNanos) {
        long delayNanos = nanosUntil(deadlineNanos);
        if (alarm != null) {
            alarm.set(REST_NANOS);
        } else {
            delayNanos = Math.min(delayNanos, REST_NANOS);
        }
        if (delayNanos > 0) {
            port.awaitOther(delayNanos);
        }
    }

    private void await(long deadlineNanos) {
        long delayNanos = nanosUntil(deadlineNanos);
        if (delayNanos > 0 && deadlineNanos >= 0) {
            port.await(delayNanos);
        }
    }

    private long nanosUntil(long deadlineNanos) {
        return deadlineNanos == Long.MAX_VALUE ? Long.MAX_VALUE : deadlineNanos - clock.getAsLong();
    }

    /** Returns the deadline of the next timer. */
    private long round(boolean withCard) {
        wantedBy.set(Long.MAX_VALUE);
        long next = withCard ? turnCard() : Long.MAX_VALUE;
        runTasks();
        long now = clock.getAsLong();
        timers.fire(now);
        next = earliest(next, now, timers.delayNanos(now));
        for (Turn turn : turns) {
            next = earliest(next, now, delayNanos(turn, now));
        }
        return next;
    }

    private long turnCard() {
        try {
            long next = eventLoop == null ? Long.MAX_VALUE : eventLoop.tryTurnOfEngine(hasWatched);
            works("the card");
            hasMet = next == EventLoop.MET;
            return hasMet ? Long.MAX_VALUE : next;
        } catch (RuntimeException | Error e) {
            failed("the card", e);
            return clock.getAsLong() + RETRY_AFTER_FAILURE_NANOS;
        }
    }

    /** The engine survives a failed turn as well, which is repeated later. */
    private long delayNanos(Turn turn, long nowNanos) {
        try {
            long delayNanos = turn.run(nowNanos);
            works(turn);
            return delayNanos;
        } catch (RuntimeException | Error e) {
            failed(turn, e);
            return RETRY_TURN_NANOS;
        }
    }

    /** Logs the failure of what runs in each round, but not in each round. */
    private void failed(Object what, Throwable why) {
        if (failing.add(what)) {
            LOG.log(Level.ERROR, thread.getName() + ": " + what + " failed, and is repeated", why);
        }
    }

    private void works(Object what) {
        if (!failing.isEmpty()) {
            failing.remove(what);
        }
    }

    private static long earliest(long next, long now, long delayNanos) {
        return delayNanos == Long.MAX_VALUE ? next : Math.min(next, now + delayNanos);
    }

    private void runTasks() {
        Runnable task = tasks.poll();
        while (task != null) {
            guarded(task);
            task = tasks.poll();
        }
    }

    /** The engine survives a failed task, since all contexts of the device depend on it. */
    void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, thread.getName() + ": a step failed", e);
        }
    }

    @Override
    public String toString() {
        return thread.getName();
    }
}
