package io.urma4j.udma.driver;

import io.urma4j.Eid;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Control datagrams that arrived with the peers' packets, and wait for the engine. Each costs as much as some dozens of
 * packets, and most draw an answer. So a few are handled between two steps of the card, and together they take a bounded
 * share of one CPU: an attack in a peer's name leaves the rest to data packets. Datagrams without space are dropped, and
 * their senders retransmit them.
 *
 * <p>The time is a credit, like that of {@link UnknownPeers}.
 */
final class PeerMail implements EngineThread.Turn {
    private static final int MAX_WAITING = 1024;

    /** Datagrams handled between two steps of the card. */
    private static final int AT_ONCE = 8;

    /** They may take one part in this many of the time. Less would slow down a home that many peers import from at once. */
    private static final int SHARE = 2;

    private static final long MAX_CREDIT_NANOS = 10_000_000;

    /** Waiting time once the credit is used up. */
    private static final long MIN_CREDIT_NANOS = 100_000;

    /** Maximum charge for one batch: longer ones were interrupted, or ran through code for the first time. */
    private static final long MAX_COST_NANOS = 1_000_000;

    private final EngineThread engine;
    private final Reader reader;
    private final Queue<Letter> letters = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean isSpent; // the engine runs when there is credit again: no wake-up is needed
    private long creditNanos = MAX_CREDIT_NANOS;
    private long creditedAtNanos;

    private record Letter(Eid source, ByteBuffer datagram) {}

    /** Takes a control datagram and executes its request. On the engine's thread. */
    @FunctionalInterface
    interface Reader {
        void received(Eid source, ByteBuffer datagram, long nowNanos);
    }

    PeerMail(EngineThread engine, Reader reader) {
        this.engine = engine;
        this.reader = reader;
    }

    /** Whether the queue is full. Any thread. */
    boolean isFull() {
        return waiting.get() >= MAX_WAITING;
    }

    /** Any thread. */
    void take(Eid source, ByteBuffer datagram) {
        boolean isFirst = waiting.getAndIncrement() == 0; // else the engine comes anyway
        letters.add(new Letter(source, datagram));
        if (isFirst && !isSpent) {
            engine.submit(() -> {}); // a task, so that it neither sleeps nor rests
        }
    }

    @Override
    public long run(long nowNanos) {
        if (waiting.get() == 0 && !isSpent) {
            return Long.MAX_VALUE;
        }
        long start = engine.nanos();
        creditNanos = Math.min(creditNanos + (start - creditedAtNanos) / SHARE, MAX_CREDIT_NANOS);
        creditedAtNanos = start;
        if (isSpent && creditNanos < MIN_CREDIT_NANOS) {
            return (MIN_CREDIT_NANOS - creditNanos) * SHARE;
        }
        isSpent = false;
        seeToSome();
        creditNanos -= Math.min(engine.nanos() - start, MAX_COST_NANOS);
        isSpent = creditNanos <= 0;
        if (isSpent) {
            return (MIN_CREDIT_NANOS - creditNanos) * SHARE;
        }
        return waiting.get() == 0 ? Long.MAX_VALUE : 0;
    }

    private void seeToSome() {
        Letter letter = letters.poll();
        for (int i = 0; letter != null; i++) {
            Letter seen = letter;
            waiting.decrementAndGet();
            engine.guarded(() -> reader.received(seen.source, seen.datagram, engine.nanos()));
            letter = i + 1 < AT_ONCE ? letters.poll() : null;
        }
    }
}
