package io.urma4j.shm.control;

import io.urma4j.libc.DescriptorCloser;
import io.urma4j.libc.Epoll;
import io.urma4j.libc.EventFd;
import io.urma4j.libc.Fd;
import io.urma4j.libc.SocketInbox;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.support.Timers;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The one thread of a context that waits in the kernel: for descriptors, for times, and for what other threads hand in.
 * It knows no protocol.
 *
 * <p><b>Who is in.</b> What the engine owns belongs to whoever is {@linkplain #inside in}: its thread during a round, or a
 * caller that finds nobody there and does its own step at once ({@link #executeNow}), which saves it a wake-up. A caller
 * never waits to get in. Where this package says "the engine's thread", it means who is in.
 *
 * <p>A round is: wait; descriptors that are ready; tasks of other threads; times that have come; a turn of the data
 * plane. Input comes before times, so that after a pause of the whole process nobody is declared silent whose answer
 * lies here already.
 *
 * <p><b>Waking.</b> {@link #state} is RUNNING during a round, SLEEPING from just before the wait to its end, and WOKEN
 * when somebody wants a round; only who finds SLEEPING makes the system call. A task is queued before WOKEN is set, and
 * the engine sets RUNNING before it looks at the queue: so either the engine sees the task, or its next attempt to go to
 * sleep finds WOKEN and fails. The eventfd is watched for edges and never read: each signal is an edge, and its counter
 * lasts for 2⁶⁴ of them.
 */
final class Engine {
    private static final System.Logger LOG = System.getLogger(Engine.class.getName());

    private static final int EVENTS_PER_WAIT = 64;

    /** So many full waits in a row may hold up the times: a flood of input must not stop them. */
    private static final int MAX_ROUNDS_WITHOUT_TIMES = 64;

    private static final long RETRY_AFTER_FAILURE_NANOS = 1_000_000;

    /** A sleep without an end, as a difference of times. */
    private static final long FOR_EVER_NANOS = Long.MAX_VALUE / 2;

    private static final int RUNNING = 0;
    private static final int SLEEPING = 1;
    private static final int WOKEN = 2;

    /** Told on the engine's thread that its descriptor is ready. */
    @FunctionalInterface
    interface Source {
        void ready(int events);
    }

    /** What the engine drives at the end of each round; returns the delay to its next turn. */
    @FunctionalInterface
    interface Turn {
        long turn(long nowNanos);
    }

    /** A descriptor that the engine waits for. */
    final class Watch {
        private final Fd fd;
        private final Source source;
        private final int slot;
        private boolean ended;

        private Watch(Fd fd, Source source, int slot) {
            this.fd = fd;
            this.source = source;
            this.slot = slot;
        }

        void modify(int events) {
            epoll.modify(fd, events, slot);
        }

        /** Waits for it no more; before the descriptor is closed. Idempotent. */
        void end() {
            if (!ended) {
                ended = true;
                epoll.remove(fd);
                // the slot is free after the round, since events of this round may still name it
                endedSlots.add(slot);
            }
        }
    }

    private final DescriptorCloser closer;
    private final Deque<SocketInbox> inboxes = new ArrayDeque<>(); // that no connection receives into now
    private final SocketInbox drained;
    private final Epoll epoll = Epoll.create(EVENTS_PER_WAIT);
    private final EventFd wake = EventFd.create();
    private final AtomicInteger state = new AtomicInteger(RUNNING);
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private final Turn turn;
    private final Runnable atEnd;

    private final ReentrantLock inside = new ReentrantLock();

    // of who is in, or before the thread starts
    private final List<@Nullable Watch> slots = new ArrayList<>();
    private final Deque<Integer> freeSlots = new ArrayDeque<>();
    private final List<Integer> endedSlots = new ArrayList<>();
    private final Timers timers = new Timers();
    private boolean turnFailed;
    private int roundsWithoutTimes;
    private long sleepsUntilNanos = System.nanoTime(); // at the latest

    private volatile boolean stopped; // set by the engine's thread

    /**
     * An engine that does not run yet.
     *
     * @param atEnd the last that its thread does, when all descriptors of the engine are closed
     */
    Engine(String name, Turn turn, Runnable atEnd) {
        this.turn = turn;
        this.atEnd = atEnd;
        this.closer = new DescriptorCloser(name + "-closer");
        this.drained = SocketInbox.of(1, closer);
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        watch(wake.fd(), Epoll.IN | Epoll.EDGE_TRIGGERED, events -> {});
    }

    void start() {
        thread.start();
    }

    /** Gives back what an engine holds that never started. */
    void discard() {
        stopped = true;
        epoll.close();
        wake.close();
        closer.close();
    }

    /** Room for messages of one connection, until it is given back: another may receive meanwhile. */
    SocketInbox takeInbox() {
        SocketInbox free = inboxes.poll();
        return free == null ? SocketInbox.of(ControlCodec.MAX_MESSAGE_BYTES, closer) : free;
    }

    void giveBack(SocketInbox inbox) {
        inboxes.push(inbox);
    }

    /** Room for messages that nothing reads any more. */
    SocketInbox inboxForDraining() {
        return drained;
    }

    /** Closes what peers have sent; nothing else here closes a descriptor whose close could wait. */
    DescriptorCloser closer() {
        return closer;
    }

    /**
     * Runs {@code task} on the engine's thread, also when called there; false when the engine has ended and the task
     * will never run. For any thread.
     */
    boolean execute(Runnable task) {
        tasks.add(task);
        wake();
        return isTaken(task);
    }

    /**
     * Runs {@code task}, and what was handed in before it, on the calling thread when nobody is in; else as {@link #execute}.
     * For threads that hold nothing which a step might wait for, such as the lock of a queue.
     */
    boolean executeNow(Runnable task) {
        tasks.add(task);
        if (inside.isHeldByCurrentThread() || !inside.tryLock()) {
            wake();
        } else {
            try {
                runTasksForCaller();
            } finally {
                inside.unlock();
            }
        }
        return isTaken(task);
    }

    private void runTasksForCaller() {
        if (stopped) {
            return; // its own thread does what is still to be done
        }
        runTasks();
        long now = System.nanoTime();
        if (stopped || timers.delayNanos(now) < sleepsUntilNanos - now) {
            wake();
        }
    }

    private boolean isTaken(Runnable task) {
        // who stopped it emptied the queue after that; so either it is still in there, or it ran
        return !stopped || !tasks.remove(task);
    }

    /** Makes the engine do a round soon. For any thread. */
    void wake() {
        if (state.get() != WOKEN && state.getAndSet(WOKEN) == SLEEPING) {
            try {
                wake.signal();
            } catch (IllegalStateException e) {
                // closed: the engine has ended
            }
        }
    }

    /** Waits for a descriptor from now on. */
    Watch watch(Fd fd, int events, Source source) {
        Integer free = freeSlots.poll();
        int slot = free == null ? slots.size() : free;
        Watch watch = new Watch(fd, source, slot);
        epoll.add(fd, events, slot);
        if (free == null) {
            slots.add(watch);
        } else {
            slots.set(slot, watch);
        }
        return watch;
    }

    Timers.Timer at(long deadlineNanos, Runnable action) {
        return timers.at(deadlineNanos, () -> guarded(action));
    }

    Timers.Timer after(long delayNanos, Runnable action) {
        return at(System.nanoTime() + delayNanos, action);
    }

    /** Ends the thread after this round. */
    void stop() {
        stopped = true;
    }

    private void run() {
        try {
            long delayNanos = 0;
            while (!stopped) {
                delayNanos = round(delayNanos);
            }
        } finally {
            end();
        }
    }

    private void end() {
        inside.lock();
        try {
            stopped = true;
            runTasks(); // those that were in time; what they ask for is refused as closed
            epoll.close();
            wake.close();
            closer.close();
        } finally {
            inside.unlock();
        }
        atEnd.run();
    }

    private long round(long delayNanos) {
        int ready = await(delayNanos);
        inside.lock();
        try {
            return serve(ready);
        } finally {
            inside.unlock();
        }
    }

    private long serve(int arrived) {
        int ready = arrived;
        dispatchAll(ready);
        runTasks();
        long now = System.nanoTime();
        if (timers.delayNanos(now) <= 0) {
            // what has arrived by now comes before the times: we may have stood still since the wait, and a wait that a
            // stop of the process cut short brings nothing (S12.3)
            ready = epoll.await(0);
            dispatchAll(ready);
        }
        if (ready < EVENTS_PER_WAIT || ++roundsWithoutTimes > MAX_ROUNDS_WITHOUT_TIMES) {
            roundsWithoutTimes = 0;
            timers.fire(now);
        }
        return delayOfSleep(turn(now));
    }

    /**
     * How long to sleep. A time that was planned stays, even if what was to happen then was cancelled: the next request of a
     * caller has its deadline after that, and needs not wake us for it.
     */
    private long delayOfSleep(long turnDelayNanos) {
        long now = System.nanoTime();
        long delay = Math.min(Math.min(turnDelayNanos, timers.delayNanos(now)), FOR_EVER_NANOS);
        long planned = sleepsUntilNanos - now;
        delay = planned > 0 ? Math.min(planned, delay) : delay;
        sleepsUntilNanos = now + delay;
        return delay >= FOR_EVER_NANOS / 2 ? Long.MAX_VALUE : delay;
    }

    private int await(long delayNanos) {
        if (delayNanos > 0 && state.compareAndSet(RUNNING, SLEEPING)) {
            try {
                return epoll.awaitNanos(delayNanos);
            } finally {
                state.set(RUNNING);
            }
        }
        state.set(RUNNING); // whoever woke us before this is served by the round that follows
        return epoll.await(0);
    }

    private void dispatchAll(int ready) {
        for (int i = 0; i < ready; i++) {
            dispatch((int) epoll.tag(i), epoll.events(i));
        }
        recycleSlots();
    }

    private void dispatch(int slot, int events) {
        Watch watch = slots.get(slot);
        if (watch != null && !watch.ended) {
            guarded(() -> watch.source.ready(events));
        }
    }

    private void recycleSlots() {
        for (int slot : endedSlots) {
            slots.set(slot, null);
            freeSlots.add(slot);
        }
        endedSlots.clear();
    }

    private void runTasks() {
        Runnable task = tasks.poll();
        while (task != null) {
            guarded(task);
            task = tasks.poll();
        }
    }

    private long turn(long now) {
        try {
            long delay = turn.turn(now);
            turnFailed = false;
            return delay;
        } catch (RuntimeException | Error e) {
            if (!turnFailed) {
                turnFailed = true; // once, not in each round
                LOG.log(Level.ERROR, thread.getName() + ": the data plane failed", e);
            }
            return RETRY_AFTER_FAILURE_NANOS;
        }
    }

    /** The engine outlives whatever it runs: all other peers depend on it. */
    private void guarded(Runnable action) {
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
