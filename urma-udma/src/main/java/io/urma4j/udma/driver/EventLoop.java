package io.urma4j.udma.driver;

import io.urma4j.spi.support.SpinLock;
import io.urma4j.udma.device.Card;
import io.urma4j.udma.device.StallDetector;
import io.urma4j.udma.transport.FlushHint;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/**
 * A card with its lock. A posting thread, a polling thread or the engine drives the card, whichever holds the lock. Posting
 * and polling never wait for the lock: a doorbell is rung, and the holder handles it before it releases the lock, or right
 * after ({@link #leave}).
 */
final class EventLoop {
    /**
     * A thread that polled this recently will poll again, and then sends what other threads have posted meanwhile, all at
     * once.
     */
    private static final long POLLING_NANOS = 50_000;

    /** This many work requests of a queue keep its peer busy, and their owner will poll for their records. */
    private static final int MANY_UNDER_WAY = 16;

    /** Maximum delay until the engine drives the card instead. */
    private static final long WAIT_NANOS = 200_000;

    /** Returned instead of a deadline: the engine has met another thread at the card. */
    static final long MET = Long.MIN_VALUE;

    private static final VarHandle POLLED;

    static {
        try {
            POLLED = MethodHandles.lookup().findVarHandle(EventLoop.class, "polledNanos", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Card card;
    private final Inlet reader;
    private final Engine engine;
    private final LongSupplier clock;
    private final SpinLock lock = new SpinLock();
    private final StallDetector stallDetector = new StallDetector(); // guarded by the lock

    @SuppressWarnings("UnusedVariable") // through POLLED
    private long polledNanos =
            Long.MIN_VALUE / 2; // when a thread last polled; written by all polling threads without order

    private long nextNanos = Long.MAX_VALUE; // when the card must be seen to again; guarded by the lock

    EventLoop(Card card, Inlet reader, Engine engine, LongSupplier clock) {
        this.card = card;
        this.reader = reader;
        this.engine = engine;
        this.clock = clock;
    }

    /** The source of received packets. */
    @FunctionalInterface
    interface Inlet {
        /** Passes received packets to the card, without waiting, a bounded number; returns how many. Under the lock. */
        int receive(long nowNanos);
    }

    /** The thread that drives the card when no other thread does. */
    interface Engine {
        /**
         * The card has a deadline at that time: wakes the engine if it would sleep longer. Cheap if it would not. Any
         * thread.
         */
        void wakeBy(long nanos);

        /** Whether the engine leaves the card to polling threads. Any thread. */
        boolean rests();

        /** Other threads drive the card: the engine need not check it for a while. By the lock's holder. */
        void putOff(long nowNanos);

        /** A thread waits for an event that only the engine can signal: it no longer rests. Any thread. */
        void attend();
    }

    Card card() {
        return card;
    }

    long nanos() {
        return clock.getAsLong();
    }

    /** Acquires the card's lock, and waits for it: for commands. Deferred work runs first. */
    void enter() {
        lock.acquire();
        try {
            if (card.hasLeft()) {
                step();
            }
        } catch (RuntimeException | Error e) {
            lock.release();
            throw e;
        }
    }

    boolean tryEnter() {
        return lock.tryAcquire();
    }

    /** Releases the card's lock; the next holder drives the card first. */
    void leave() {
        try {
            if (card.hasWork()) {
                step();
            }
        } finally {
            release(nextNanos);
        }
    }

    /**
     * Runs one step if the lock is free: packets in, packets out, timers. False if another thread holds it.
     *
     * <p>While the engine rests, a pure acknowledgement waits for the caller's next step or post, whose request piggybacks
     * it; and a few small requests wait for more. If the caller does not come back, the engine sends them.
     */
    boolean tryTurn() {
        if (!lock.tryAcquire()) {
            return false;
        }
        try {
            turn();
        } finally {
            release(nextNanos);
        }
        return true;
    }

    private void turn() {
        long now = clock.getAsLong();
        FlushHint least = engine.rests() ? FlushHint.HOLD_SHORT_REQUESTS : FlushHint.FLUSH;
        if (card.hasLeft()) {
            card.step(now, least);
        }
        int datagrams = receive(now);
        boolean isLong = datagrams > 1 || card.doorbells().areRinging(); // hundreds of packets, perhaps
        boolean mayHold = datagrams > 0 && least != FlushHint.FLUSH;
        nextNanos = card.step(now, mayHold ? FlushHint.HOLD_REQUESTS_AND_ACKS : least);
        if (least != FlushHint.FLUSH && now - (long) POLLED.getOpaque(this) < POLLING_NANOS) {
            engine.putOff(now);
        }
        POLLED.setOpaque(this, isLong ? clock.getAsLong() : now);
    }

    /** Whether a thread has driven the card recently, so that it will again, and no thread waits for an event. Any thread. */
    boolean isPolled() {
        return clock.getAsLong() - (long) POLLED.getOpaque(this) < POLLING_NANOS && !card.isAnyArmed();
    }

    /** Whether posted work waits for the next step. Any thread. */
    boolean isAwaited() {
        return card.doorbells().areRinging();
    }

    /** Whether a thread waits for an event, so that the engine must not rest. Any thread. */
    boolean isAnyArmed() {
        return card.isAnyArmed();
    }

    /** A completion queue was armed: the engine watches the card. */
    void attend() {
        engine.attend();
    }

    /**
     * Runs one step if the lock is free; returns its next deadline. For the engine, which does not wait for the lock: its
     * holder drives the card just now, and may have lost the very CPU that the engine would wait on.
     *
     * @param hasWatched whether it has waited for packets since its last step
     * @return {@link #MET} if another thread holds the lock
     */
    long tryTurnOfEngine(boolean hasWatched) {
        if (!lock.tryAcquire()) {
            return MET;
        }
        try {
            long now = clock.getAsLong();
            if (hasWatched) {
                stallDetector.watched(now);
            }
            receive(now);
            return step();
        } finally {
            release(nextNanos);
        }
    }

    /**
     * A queue has published a post in its ring: runs it at once if the lock is free.
     *
     * @param earlier its work requests in progress; if there are some, the post may wait for the next poll
     */
    void posted(int queue, long earlier) {
        if (earlier > 0) {
            if (card.doorbells().isRinging(queue)) {
                return; // another thread has a deadline to come, and will handle this one, too
            }
            long now = clock.getAsLong();
            if (isPolledSoon(earlier, now)) {
                card.doorbells().ring(queue);
                engine.wakeBy(now + WAIT_NANOS);
                return;
            }
        }
        if (lock.tryAcquire()) {
            try {
                card.doorbell(queue);
                step();
            } finally {
                release(nextNanos);
            }
            return;
        }
        card.doorbells().ring(queue);
        answerBells(); // the lock's holder may have left before it could see the doorbell
    }

    /**
     * A thread that polled recently polls again; and so does one with this many records to come, unless it waits for an
     * event.
     */
    private boolean isPolledSoon(long underWay, long nowNanos) {
        return nowNanos - (long) POLLED.getOpaque(this) < POLLING_NANOS
                || underWay >= MANY_UNDER_WAY && !card.isAnyArmed();
    }

    private int receive(long nowNanos) {
        stallDetector.look(nowNanos);
        card.late(stallDetector.isLate());
        int datagrams = reader.receive(nowNanos);
        if (datagrams == 0) {
            stallDetector.foundNothing();
        }
        return datagrams;
    }

    private long step() {
        nextNanos = card.step(clock.getAsLong());
        return nextNanos;
    }

    private void release(long next) {
        lock.release();
        answerBells();
        engine.wakeBy(next);
    }

    private void answerBells() {
        // full fence: a doorbell that is not seen now is handled by the thread that rings it, since it finds the lock
        // free
        VarHandle.fullFence();
        while (card.doorbells().areRinging() && lock.tryAcquire()) {
            long next;
            try {
                next = step();
            } finally {
                lock.release();
            }
            engine.wakeBy(next);
            VarHandle.fullFence();
        }
    }
}
