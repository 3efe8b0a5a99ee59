package io.urma4j.peer;

/**
 * What a client's registrations have counted: the seven numbers that Linux shows below {@code /sys/kernel/mm/memory_peers},
 * and ours. Pages are counted before their table is cleared, so that both sums agree once nothing is registered.
 *
 * @param allocated registrations
 * @param deallocated registrations
 * @param registeredPages pinned, also for a second time after a move
 * @param deregisteredPages put
 * @param registeredBytes of pinned pages
 * @param deregisteredBytes of put pages
 * @param freeCallbacks invalidations that found a registration
 * @param unknownTickets invalidations that found none
 * @param failures of the client: exceptions, wrong tables, calls without an answer
 * @param repins of pages that had moved
 * @param lateFences invalidations that had to abort copies
 */
public record PeerCounters(
        long allocated,
        long deallocated,
        long registeredPages,
        long deregisteredPages,
        long registeredBytes,
        long deregisteredBytes,
        long freeCallbacks,
        long unknownTickets,
        long failures,
        long repins,
        long lateFences) {}
