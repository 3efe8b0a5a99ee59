package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tickets of the current registrations. Numbers follow each other and wrap; one in use is passed over. Any thread. */
final class Tickets {
    private final int limit;
    private final Map<Integer, PeerRegion> regions = new HashMap<>(); // guarded by this
    private int next; // guarded by this

    /** @param limit of concurrent registrations */
    Tickets(int limit, int first) {
        this.limit = limit;
        this.next = first;
    }

    /** Gives a region its ticket; ENOMEM at the limit. */
    synchronized Ticket add(PeerRegion region) {
        if (regions.size() >= limit) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM,
                    region,
                    "limit of " + limit + " concurrent registrations of peer memory reached");
        }
        while (regions.containsKey(next)) {
            next++;
        }
        Ticket ticket = new Ticket(next++);
        regions.put(ticket.number(), region);
        return ticket;
    }

    synchronized void remove(Ticket ticket) {
        regions.remove(ticket.number());
    }

    synchronized @Nullable PeerRegion find(Ticket ticket) {
        return regions.get(ticket.number());
    }
}
