package io.urma4j.udma.engine;

import io.urma4j.spi.support.FieldHandle;
import io.urma4j.spi.support.SpinLock;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.device.Card;
import io.urma4j.udma.device.LateMemory;
import io.urma4j.udma.staging.Stager;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.udp.Origin;
import io.urma4j.udma.udp.PacketSink;
import io.urma4j.udma.udp.UdpPort;
import io.urma4j.udma.wire.Packet;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A card with its lock. The thread that holds the lock drives the card: a posting thread, a polling thread, or the engine.
 * No thread waits for the lock to post or to poll. It rings a doorbell, and the holder of the lock answers it before it
 * releases the lock, or right after ({@link #leave}).
 */
public final class EventLoop {
    /** A thread that polled within this time polls again, and then sends at once all that others have posted meanwhile. */
    private static final long POLLING_NANOS = 50_000;

    /** This many work requests of a queue keep its peer busy, and its owner will poll for their records. */
    private static final int MANY_UNDER_WAY = 16;

    /** After this time the engine drives the card, should the poller not return. */
    private static final long WAIT_NANOS = 200_000;

    /** In place of a time: another thread holds the lock. */
    public static final long MET = Long.MIN_VALUE;

    private static final VarHandle POLLED = FieldHandle.of(MethodHandles.lookup(), "polledNanos", long.class);

    private final Card card;
    private final Inlet reader;
    private final Engine engine;
    private final LongSupplier clock;
    private final SpinLock lock = new SpinLock();
    private final StallDetector stallDetector = new StallDetector(); // guarded by the lock

    @SuppressWarnings("UnusedVariable") // through POLLED
    private long polledNanos = Long.MIN_VALUE / 2; // of the last poll; written by all pollers without order

    private long nextNanos = Long.MAX_VALUE; // when the card must be seen to again; guarded by the lock

    EventLoop(Card card, Inlet reader, Engine engine, LongSupplier clock) {
        this.card = card;
        this.reader = reader;
        this.engine = engine;
        this.clock = clock;
    }

    /**
     * Makes a card at a port.
     *
     * @param engine wakes for it when no other thread drives it
     * @param clock of the card
     * @param copies of device memory
     */
    public static EventLoop open(
            UdpPort port,
            CardListener listener,
            CardOptions options,
            Engine engine,
            LongSupplier clock,
            Stager copies) {
        Card card = new Card(
                port,
                to -> port.route(to.eidHigh(), to.eidLow(), to.udpPort(), to.secret(), to.takesFragments()),
                listener,
                options,
                LateMemory.of(copies));
        return new EventLoop(card, new PortInlet(port, card), engine, clock);
    }

    /** Takes packets that the caller receives itself, under the lock. */
    public PacketSink sink() {
        return new PacketSink() {
            @Override
            public long secretOf(Packet packet, Origin origin) {
                return card.secretOf(packet, origin);
            }

            @Override
            public void packet(Packet packet, Origin origin) {
                card.receive(packet, origin, stallDetector.isLate(), clock.getAsLong());
            }
        };
    }

    /** Where packets come in. */
    @FunctionalInterface
    interface Inlet {
        /** Passes a bounded number of packets to the card, without waiting; returns how many datagrams. Under the lock. */
        int receive(boolean isDelayed, long nowNanos);
    }

    /** Passes received packets of a port to the card. All packets of one read count as received at that time. */
    private static final class PortInlet implements Inlet, PacketSink {
        private final UdpPort port;
        private final Card card;
        private boolean isDelayed; // in the read in progress
        private long nowNanos; // of that read

        PortInlet(UdpPort port, Card card) {
            this.port = port;
            this.card = card;
        }

        @Override
        public int receive(boolean delayed, long now) {
            isDelayed = delayed;
            nowNanos = now;
            return port.receive(this);
        }

        @Override
        public long secretOf(Packet packet, Origin origin) {
            return card.secretOf(packet, origin);
        }

        @Override
        public void packet(Packet packet, Origin origin) {
            card.receive(packet, origin, isDelayed, nowNanos);
        }
    }

    /** The thread that drives the card when no other does. */
    public interface Engine {
        /**
         * The card has a deadline at that time: wakes the engine if it would sleep longer. Cheap if it would not. Any
         * thread.
         */
        void wakeBy(long nanos);

        /** Whether the engine leaves the card to polling threads. Any thread. */
        boolean rests();

        /** Other threads drive the card all the time: there is no need to look for a while. Under the lock. */
        void putOff(long nowNanos);

        /** A thread waits now for what only the engine may see: the engine rests no longer. Any thread. */
        void attend();
    }

    /** The card's commands, for the thread that has entered. */
    public CardCommands card() {
        return card;
    }

    public long nanos() {
        return clock.getAsLong();
    }

    /** Takes the card, waiting as long as another thread has it: for commands. What was left for later goes before. */
    public void enter() {
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

    /** Gives the card back, after a step where it has work. */
    public void leave() {
        try {
            if (card.hasWork()) {
                step();
            }
        } finally {
            release(nextNanos);
        }
    }

    /** Runs commands, and returns their result. It may allocate, so posts and polls do not use it. */
    public <T> T call(Function<CardCommands, T> commands) {
        enter();
        try {
            return commands.apply(card);
        } finally {
            leave();
        }
    }

    /** Runs commands without a result. */
    public void run(Consumer<CardCommands> commands) {
        enter();
        try {
            commands.accept(card);
        } finally {
            leave();
        }
    }

    /**
     * One turn, when no other thread has the card: packets in, packets out, timers. False when another has it.
     *
     * <p>While the engine rests, a mere acknowledgement waits for the caller's next turn, or its next post, and leaves in the
     * same datagram as the caller's answer. A few small requests wait for more of them. Should the caller not return, the
     * engine sends them.
     */
    public boolean tryTurn() {
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
            receiveBeforeTimers(now);
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

    /** Whether a thread polled a moment ago, and so will poll again, and none waits for an event. Any thread. */
    public boolean isPolled() {
        return clock.getAsLong() - (long) POLLED.getOpaque(this) < POLLING_NANOS && !card.isAnyArmed();
    }

    /** Whether something was posted that waits for the next turn. Any thread. */
    public boolean isAwaited() {
        return card.doorbells().areRinging();
    }

    /** Whether a thread waits for an event, so that the engine must not rest. Any thread. */
    public boolean isAnyArmed() {
        return card.isAnyArmed();
    }

    /** A completion queue was armed: the engine looks after the card. */
    public void attend() {
        engine.attend();
    }

    /**
     * One turn, when no other thread has the card; returns when the next one is due. For the engine, which does not wait for
     * the card: its holder drives it just now, and may have lost the very CPU that the engine would wait on.
     *
     * @param hasWatched whether it has waited for packets since its last turn
     * @return {@link #MET} when another thread has the card
     */
    public long tryTurnOfEngine(boolean hasWatched) {
        if (!lock.tryAcquire()) {
            return MET;
        }
        try {
            long now = clock.getAsLong();
            if (hasWatched) {
                stallDetector.watched(now);
            }
            receive(now);
            return step(clock.getAsLong());
        } finally {
            release(nextNanos);
        }
    }

    /**
     * A queue has posted, and published it in its ring: runs it at once, when no other thread has the card.
     *
     * @param earlier work requests of it that are in flight besides: then its turn may come with the next poll
     */
    public void posted(int queue, long earlier) {
        if (earlier > 0) {
            if (card.doorbells().isRinging(queue)) {
                return; // the thread that answers this bell takes this one along
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
        answerBells(); // the holder of the lock may have released it before it could hear the bell
    }

    /** A thread that polled a moment ago polls again; so does one with this many records to come, unless it awaits an event. */
    private boolean isPolledSoon(long underWay, long nowNanos) {
        return nowNanos - (long) POLLED.getOpaque(this) < POLLING_NANOS
                || underWay >= MANY_UNDER_WAY && !card.isAnyArmed();
    }

    private int receive(long nowNanos) {
        stallDetector.look(nowNanos);
        int datagrams = reader.receive(stallDetector.isLate(), nowNanos);
        if (datagrams == 0) {
            stallDetector.foundNothing();
        }
        return datagrams;
    }

    private long step() {
        long now = clock.getAsLong();
        receiveBeforeTimers(now);
        return step(now);
    }

    /** A timer may be due because this process was stalled; what it waits for may have arrived meanwhile (S12.3). */
    private void receiveBeforeTimers(long nowNanos) {
        if (nowNanos >= nextNanos) {
            receive(nowNanos);
        }
    }

    private long step(long nowNanos) {
        nextNanos = card.step(nowNanos);
        return nextNanos;
    }

    private void release(long next) {
        lock.release();
        answerBells();
        engine.wakeBy(next);
    }

    private void answerBells() {
        // full fence: a bell that we do not hear now is heard by the thread that rings it, which finds the lock free
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
