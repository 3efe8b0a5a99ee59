package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroupConfig;
import io.urma4j.OrderType;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.spi.ProviderJettyGroup;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.udma.engine.EventLoop;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Jetties that receive under one number. The card selects the member that receives a message. */
final class UdmaJettyGroup implements ProviderJettyGroup {
    private final Queues queues;
    private final LocalContext local;
    private final int id;
    private final JettyGroupConfig config;
    private final EventLoop eventLoop;
    private final int handle;
    private final int number;
    private final List<UdmaSendQueue> members = new CopyOnWriteArrayList<>();

    UdmaJettyGroup(Queues queues, int id, JettyGroupConfig config) {
        this.queues = queues;
        this.local = queues.local();
        this.id = id;
        this.config = config;
        this.eventLoop = local.eventLoop();
        boolean byHint = config.choice() == JettyGroupConfig.Choice.HASH_HINT;
        this.handle = eventLoop.call(card -> Queues.create(id, wanted -> card.createGroup(wanted, byHint)));
        this.number = eventLoop.call(card -> card.groupNumber(handle));
        queues.announce(
                number,
                new Importable(
                        JettyDescriptor.Kind.GROUP,
                        TransportMode.RM,
                        OrderType.DEF.effective(TransportMode.RM),
                        config.policy(),
                        config.token(),
                        0,
                        null));
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public JettyDescriptor descriptor() {
        return local.describe(
                id, JettyDescriptor.Kind.GROUP, TransportMode.RM, OrderType.DEF, config.policy(), number, -1);
    }

    @Override
    public void add(ProviderSendQueue jetty) {
        eventLoop.run(card -> {
            card.addMember(handle, ((UdmaSendQueue) jetty).handle());
            members.add((UdmaSendQueue) jetty);
        });
    }

    @Override
    public void remove(ProviderSendQueue jetty) {
        eventLoop.run(card -> {
            card.removeMember(handle, ((UdmaSendQueue) jetty).handle());
            members.remove(jetty);
        });
    }

    /** A Jetty has gone to ERROR: if no other member works, raises the event. */
    void memberFailed(UdmaSendQueue failed) {
        if (members.contains(failed) && members.stream().allMatch(member -> member.state() == QueueState.ERROR)) {
            local.raise(AsyncEvent.Type.JETTY_GRP_ERR, this, "its last working member, " + failed + ", failed");
        }
    }

    @Override
    public void close() {
        queues.withdraw(number);
        eventLoop.run(card -> card.destroyGroup(handle));
        queues.forget(this);
    }

    @Override
    public String toString() {
        return "Jetty group " + local.uasid() + "/" + id;
    }
}
