package io.urma4j.udma.device;

import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.NoticeStats;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Traffic;
import io.urma4j.udma.transport.Traffic.Event;
import org.jspecify.annotations.Nullable;

/** The connections of a card, by their handles; the registry has them by their numbers. */
final class ConnectionTable {
    private final CardConnection.Parts parts;
    private final Registry registry;
    private final Handles<CardConnection> links = new Handles<>();
    private NoticeStats noticesOfEnded = new NoticeStats(0, 0);

    ConnectionTable(CardConnection.Parts parts, Registry registry) {
        this.parts = parts;
        this.registry = registry;
    }

    /** Opens a connection under a number that was taken: of one queue, or shared if that is null. */
    CardConnection open(int number, @Nullable SendQueue only, CardConnectionConfig config, Route route, long nowNanos) {
        int tag = only == null ? 0 : only.config().tag();
        CardConnection link = new CardConnection(links.next(), number, only, tag, config, route, parts, nowNanos);
        links.add(link);
        registry.link(number, link);
        return link;
    }

    /** Ends it: its handle is free, and its number unless that is its queue's. */
    void end(CardConnection link) {
        link.close();
        parts.schedule().connections.remove(link);
        noticesOfEnded = plus(noticesOfEnded, link.connection().traffic());
        links.remove(link.handle());
        if (link.isShared()) {
            registry.give(link.number());
        } else {
            registry.link(link.number(), null);
        }
    }

    CardConnection get(int handle) {
        return links.get(handle);
    }

    @Nullable
    CardConnection find(int handle) {
        return links.find(handle);
    }

    /** The queue is closed. */
    void forget(SendQueue queue) {
        links.forEach(link -> link.forget(queue));
    }

    /** CNPs of all connections, those included that have ended. */
    NoticeStats notices() {
        NoticeStats all = noticesOfEnded;
        for (CardConnection link : links) {
            all = plus(all, link.connection().traffic());
        }
        return all;
    }

    private static NoticeStats plus(NoticeStats notices, Traffic traffic) {
        return new NoticeStats(
                notices.sent() + traffic.count(Event.CNP_SENT), notices.handled() + traffic.count(Event.CNP_RECEIVED));
    }
}
