package io.urma4j.shm.control;

import io.urma4j.libc.DescriptorCloser;
import io.urma4j.libc.Epoll;
import io.urma4j.libc.EventFd;
import io.urma4j.libc.Fd;
import io.urma4j.libc.SocketInbox;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.support.ControlEngine;
import io.urma4j.spi.support.Timers;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a context that waits in the kernel: for descriptors, timers, and tasks of other threads. It knows no
 * protocol.
 *
 * <p><b>Ownership.</b> The thread that holds the engine's lock ({@linkplain #inside}) owns its state: the engine's thread
 * during a round, or a caller that finds the lock free and runs its own step ({@link #submit}), which saves a wake-up.
 * A caller never waits for the lock. In this package, "the engine's thread" means the lock's holder.
 *
 * <p>A round consists of: wait; ready descriptors; tasks of other threads; expired timers; a step of the data plane. Input
 * precedes timers, so that after a stall of the whole process no peer is declared silent whose answer has already arrived.
 *
 * <p><b>Waking.</b> {@link #state} is RUNNING during a round, SLEEPING from just before the wait to its end, and WOKEN when
 * a thread requests a round; only a thread that finds SLEEPING makes the system call. A task is queued before WOKEN is set,
 * and the engine sets RUNNING before it reads the queue. So either the engine sees the task, or its next attempt to sleep
 * finds WOKEN and fails. The eventfd is edge-triggered and never read: each signal is an edge, and its counter lasts for
 * 2⁶⁴ signals.
 */
final class Engine implements ControlEngine {
    private static final System.Logger LOG = System.getLogger(Engine.class.getName());

    private static final int EVENTS_PER_WAIT = 64;

    /** Maximum consecutive full waits before the timers run: an overload of input must not stop them. */
    private static final int MAX_ROUNDS_WITHOUT_TIMES = 64;

    private static final long RETRY_AFTER_FAILURE_NANOS = 1_000_000;

    /** A sleep without timeout, as a difference of times. */
    private static final long FOR_EVER_NANOS = Long.MAX_VALUE / 2;

    private static final int RUNNING = 0;
    private static final int SLEEPING = 1;
    private static final int WOKEN = 2;

    /** A descriptor that the engine watches. */
    final class Watch {
        private final Fd fd;
        private final IntConsumer source; // takes the events
        private final int slot;
        private boolean ended;

        private Watch(Fd fd, IntConsumer source, int slot) {
            this.fd = fd;
            this.source = source;
            this.slot = slot;
        }

        void modify(int events) {
            epoll.modify(fd, events, slot);
        }

        /** Stops watching; called before the descriptor is closed. Idempotent. */
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
    private final LongUnaryOperator turn;
    private final Runnable atEnd;

    private final Set<Runnable> open = ConcurrentHashMap.newKeySet(); // each fails a result that a caller waits for
    private final ReentrantLock inside = new ReentrantLock();

    // owned by the lock's holder, or before the thread starts
    private final List<@Nullable Watch> slots = new ArrayList<>();
    private final Deque<Integer> freeSlots = new ArrayDeque<>();
    private final List<Integer> endedSlots = new ArrayList<>();
    private final Timers timers = new Timers();
    private boolean turnFailed;
    private boolean closed; // to callers
    private int roundsWithoutTimes;
    private long sleepsUntilNanos = System.nanoTime(); // at the latest

    private volatile boolean stopped; // set by the engine's thread

    /**
     * An engine that has not started.
     *
     * @param turn ends each round: takes the time, and returns the delay to its next step
     * @param atEnd the last task of its thread, when all descriptors of the engine are closed
     */
    Engine(String name, LongUnaryOperator turn, Runnable atEnd) {
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

    /** Frees the resources of an engine that never started. */
    void discard() {
        stopped = true;
        epoll.close();
        wake.close();
        closer.close();
    }

    /** A receive buffer for one connection, until it is released for another. */
    SocketInbox takeInbox() {
        SocketInbox free = inboxes.poll();
        return free == null ? SocketInbox.of(ControlCodec.MAX_MESSAGE_BYTES, closer) : free;
    }

    void giveBack(SocketInbox inbox) {
        inboxes.push(inbox);
    }

    /** A buffer for messages that are discarded. */
    SocketInbox inboxForDraining() {
        return drained;
    }

    /** Closes descriptors that peers have sent; the engine itself closes none whose close could block. */
    DescriptorCloser closer() {
        return closer;
    }

    /**
     * Runs {@code task} on the engine's thread, also when called there; false if the engine has ended and the task will
     * never run. For any thread.
     */
    boolean execute(Runnable task) {
        tasks.add(task);
        wake();
        return isTaken(task);
    }

    /**
     * Runs {@code task}, and the tasks queued before it, on the calling thread if the lock is free; otherwise like {@link
     * #execute}. The caller must hold no lock that a step might wait for, such as that of a queue.
     */
    @Override
    public boolean submit(Runnable task) {
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
        // the stopping thread empties the queue after that; so the task is still in there, or it ran
        return !stopped || !tasks.remove(task);
    }

    /** Makes the engine run a round soon. For any thread. */
    void wake() {
        if (state.get() != WOKEN && state.getAndSet(WOKEN) == SLEEPING) {
            try {
                wake.signal();
            } catch (IllegalStateException e) {
                // closed: the engine has ended
            }
        }
    }

    /** Watches a descriptor from now on: {@code source} takes its events, on the engine's thread. */
    Watch watch(Fd fd, int events, IntConsumer source) {
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

    @Override
    public Timers.Timer at(long deadlineNanos, Runnable action) {
        return timers.at(deadlineNanos, () -> guarded(action));
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    /** Refuses every step of a caller as closed from now on. */
    void closeToCallers() {
        closed = true;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    /** A timer or a peer completes it, or the end of the engine does. */
    @Override
    public void awaits(CompletableFuture<?> result) {
        Runnable failure = () -> result.completeExceptionally(refusal());
        open.add(failure);
        var _ = result.whenComplete((_, _) -> open.remove(failure));
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
            open.forEach(Runnable::run);
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
            // input that has arrived by now precedes the timers: the process may have been stalled since the wait, and
            // a
            // wait that a stop of the process interrupted returns nothing (S12.3)
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
     * How long to sleep. A planned wake-up stays, even if its timer was cancelled: the deadline of the next caller's
     * request is later, so the request need not wake the engine.
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
            guarded(() -> watch.source.accept(events));
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
            long delay = turn.applyAsLong(now);
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

    /** The engine survives a failed task, since all other peers depend on it. */
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
