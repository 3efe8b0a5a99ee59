package io.urma4j.shm;

import io.urma4j.AsyncEvent;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.OrderType;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.shm.control.ControlPlane;
import io.urma4j.spi.ContextEvents;
import java.util.List;

/** What the queues of a context need of it: its identity, and its events. */
final class LocalContext {
    private static final String KIND = "shm";

    private final Eid eid;
    private final ControlPlane control;
    private final ContextEvents events;

    LocalContext(Eid eid, ControlPlane control, ContextEvents events) {
        this.eid = eid;
        this.control = control;
        this.events = events;
    }

    int uasid() {
        return control.uasid();
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

    JettyDescriptor describe(
            int id, JettyDescriptor.Kind kind, TransportMode mode, OrderType orderType, TokenPolicy policy) {
        return new JettyDescriptor(
                new JettyId(eid, uasid(), id),
                kind,
                control.incarnation(),
                mode,
                orderType.effective(mode),
                policy,
                List.of(new Endpoint(KIND, control.address(), id, 0, false)));
    }
}
