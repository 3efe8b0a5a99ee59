package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.OrderType;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.support.RefusalEvents;
import io.urma4j.udma.RoceEndpoint;
import io.urma4j.udma.control.Peer;
import io.urma4j.udma.engine.EventLoop;
import java.util.ArrayList;
import java.util.List;

/** What the parts of a context need of it: its identity, its device, and its events. Any thread. */
final class LocalContext {
    /** READs and atomics that an RC Jetty keeps resources for if its peer is foreign. */
    static final int FOREIGN_READS = 16;

    private final Adapter adapter;
    private final HostDirectory.Place place;
    private final ContextEvents events;
    private final RefusalEvents refusals;

    LocalContext(Adapter adapter, HostDirectory.Place place, ContextEvents events) {
        this.adapter = adapter;
        this.place = place;
        this.events = events;
        this.refusals = new RefusalEvents(events, adapter.nanos());
    }

    Adapter adapter() {
        return adapter;
    }

    EventLoop eventLoop() {
        return adapter.eventLoop();
    }

    /** Its address. */
    HostDirectory.Place place() {
        return place;
    }

    int uasid() {
        return place.uasid();
    }

    void raise(AsyncEvent.Type type, Object source, String detail) {
        raise(new AsyncEvent(type, source, detail));
    }

    void raise(AsyncEvent event) {
        events.raise(event);
    }

    /** A message of the queue found its receiver not ready. */
    void receiverNotReady(Object queue, Object target) {
        events.receiverNotReady(queue, target);
    }

    /** The engine's thread. */
    void importRefused(String what, Peer from) {
        refusals.refused(what, from, adapter.nanos());
    }

    /**
     * What peers need to send to a queue, except the token.
     *
     * @param id as applications see it
     * @param number of its QP
     * @param firstPsn of an RC Jetty's requests; -1 for all others
     */
    JettyDescriptor describe(
            int id,
            JettyDescriptor.Kind kind,
            TransportMode mode,
            OrderType orderType,
            TokenPolicy policy,
            int number,
            int firstPsn) {
        List<Endpoint> endpoints = new ArrayList<>(2);
        endpoints.add(new UdmaEndpoint(adapter.address(), number, 0).toEndpoint());
        boolean isKnownToOthers = mode != TransportMode.RM && kind == JettyDescriptor.Kind.JETTY;
        if (isKnownToOthers && adapter.address().udpPort() == RoceEndpoint.UDP_PORT) {
            // for a peer that is not urma4j
            endpoints.add(new RoceEndpoint(
                            adapter.eid(),
                            number,
                            Math.max(firstPsn, 0),
                            adapter.port().roceMtuBytes(),
                            mode == TransportMode.RC ? FOREIGN_READS : 0)
                    .toEndpoint());
        }
        return new JettyDescriptor(
                new JettyId(adapter.eid(), uasid(), id),
                kind,
                place.incarnation(),
                mode,
                orderType.effective(mode),
                policy,
                endpoints);
    }

    @Override
    public String toString() {
        return "udma context " + uasid();
    }
}
