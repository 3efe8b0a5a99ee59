package io.urma4j.peer;

import java.util.concurrent.atomic.LongAdder;

/** Counts what a client's registrations do. Safe for any thread. */
final class ClientStats {
    final LongAdder allocated = new LongAdder();
    final LongAdder deallocated = new LongAdder();
    final LongAdder registeredPages = new LongAdder();
    final LongAdder deregisteredPages = new LongAdder();
    final LongAdder registeredBytes = new LongAdder();
    final LongAdder deregisteredBytes = new LongAdder();
    final LongAdder freeCallbacks = new LongAdder();
    final LongAdder unknownTickets = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder repins = new LongAdder();
    final LongAdder lateFences = new LongAdder();

    void pinned(PinnedPages pages) {
        registeredPages.add(pages.count());
        registeredBytes.add(pages.range().lengthBytes());
    }

    void put(PinnedPages pages) {
        deregisteredPages.add(pages.count());
        deregisteredBytes.add(pages.range().lengthBytes());
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
