package io.urma4j.udma.driver;

import io.urma4j.Eid;
import io.urma4j.udma.driver.UnknownPeerMail.Letter;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Control datagrams that arrived with the peers' packets, and wait for the engine. Each costs as much as some dozens of
 * packets, and most draw an answer. So a few are handled between two steps of the card, and together they take a bounded
 * share of one CPU: an attack in a peer's name leaves the rest to data packets. Datagrams without space are dropped, and
 * their senders retransmit them.
 */
final class PeerMail implements EngineThread.Turn {
    private static final int MAX_WAITING = 1024;

    /** Datagrams handled between two steps of the card. */
    private static final int AT_ONCE = 8;

    /** They may take one part in this many of the time. Less would slow down a home that many peers import from at once. */
    private static final int SHARE = 2;

    private final EngineThread engine;
    private final Reader reader;
    private final Queue<Letter> letters = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final TimeCredit credit = new TimeCredit(SHARE);

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
        if (isFirst && !credit.isSpent()) { // else the engine runs when there is credit again
            engine.submit(() -> {}); // a task, so that it neither sleeps nor rests
        }
    }

    @Override
    public long run(long nowNanos) {
        if (waiting.get() == 0 && !credit.isSpent()) {
            return Long.MAX_VALUE;
        }
        long start = engine.nanos();
        if (credit.accrue(start)) {
            seeToSome();
            credit.charge(engine.nanos() - start);
        }
        return waiting.get() == 0 && !credit.isSpent() ? Long.MAX_VALUE : credit.delayNanos();
    }

    private void seeToSome() {
        Letter letter = letters.poll();
        for (int i = 0; letter != null; i++) {
            Letter seen = letter;
            waiting.decrementAndGet();
            engine.guarded(() -> reader.received(seen.source(), seen.datagram(), engine.nanos()));
            letter = i + 1 < AT_ONCE ? letters.poll() : null;
        }
    }
}
