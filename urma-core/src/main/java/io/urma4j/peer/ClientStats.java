package io.urma4j.peer;

import java.util.concurrent.atomic.LongAdder;

/** Counts what a client's registrations do. Safe for any thread. */
final class ClientStats {
    private final LongAdder allocated = new LongAdder();
    private final LongAdder deallocated = new LongAdder();
    private final LongAdder registeredPages = new LongAdder();
    private final LongAdder deregisteredPages = new LongAdder();
    private final LongAdder registeredBytes = new LongAdder();
    private final LongAdder deregisteredBytes = new LongAdder();
    private final LongAdder freeCallbacks = new LongAdder();
    private final LongAdder unknownTickets = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder repins = new LongAdder();
    private final LongAdder lateFences = new LongAdder();

    void allocated() {
        allocated.increment();
    }

    void deallocated() {
        deallocated.increment();
    }

    void pinned(PinnedPages pages) {
        registeredPages.add(pages.count());
        registeredBytes.add(pages.range().lengthBytes());
    }

    void put(PinnedPages pages) {
        deregisteredPages.add(pages.count());
        deregisteredBytes.add(pages.range().lengthBytes());
    }

    void freeCallback() {
        freeCallbacks.increment();
    }

    void unknownTicket() {
        unknownTickets.increment();
    }

    void failure() {
        failures.increment();
    }

    void repinned() {
        repins.increment();
    }

    void lateFence() {
        lateFences.increment();
    }

    PeerCounters read() {
        return new PeerCounters(
                allocated.sum(),
                deallocated.sum(),
                registeredPages.sum(),
                deregisteredPages.sum(),
                registeredBytes.sum(),
                deregisteredBytes.sum(),
                freeCallbacks.sum(),
                unknownTickets.sum(),
                failures.sum(),
                repins.sum(),
                lateFences.sum());
    }
}
