package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroupConfig;
import io.urma4j.OrderType;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.spi.ProviderJettyGroup;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.engine.EventLoop;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Jetties that receive under one number. The card selects the member that receives a message. */
final class UdmaJettyGroup implements ProviderJettyGroup {
    private final Queues queues;
    private final UdmaContext context;
    private final int id;
    private final JettyGroupConfig config;
    private final EventLoop eventLoop;
    private final int handle;
    private final int number;
    private final List<UdmaSendQueue> members = new CopyOnWriteArrayList<>();

    UdmaJettyGroup(Queues queues, int id, JettyGroupConfig config) {
        this.queues = queues;
        this.context = queues.context();
        this.id = id;
        this.config = config;
        this.eventLoop = context.eventLoop();
        eventLoop.enter();
        try {
            this.handle = create(eventLoop.card());
            this.number = eventLoop.card().groupNumber(handle);
        } finally {
            eventLoop.leave();
        }
        context.announce(
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

    private int create(CardCommands card) {
        boolean byHint = config.choice() == JettyGroupConfig.Choice.HASH_HINT;
        int made = id < CardCommands.FIRST_NUMBER ? 0 : card.createGroup(id, byHint);
        return made != 0 ? made : card.createGroup(0, byHint);
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public JettyDescriptor descriptor() {
        return context.describe(
                id, JettyDescriptor.Kind.GROUP, TransportMode.RM, OrderType.DEF, config.policy(), number, -1);
    }

    @Override
    public void add(ProviderSendQueue jetty) {
        eventLoop.enter();
        try {
            eventLoop.card().addMember(handle, ((UdmaSendQueue) jetty).handle());
            members.add((UdmaSendQueue) jetty);
        } finally {
            eventLoop.leave();
        }
    }

    @Override
    public void remove(ProviderSendQueue jetty) {
        eventLoop.enter();
        try {
            eventLoop.card().removeMember(handle, ((UdmaSendQueue) jetty).handle());
            members.remove(jetty);
        } finally {
            eventLoop.leave();
        }
    }

    /** A Jetty has gone to ERROR: if no other member works, raises the event. */
    void memberFailed(UdmaSendQueue failed) {
        if (members.contains(failed) && members.stream().allMatch(member -> member.state() == QueueState.ERROR)) {
            context.raise(AsyncEvent.Type.JETTY_GRP_ERR, this, "its last working member, " + failed + ", failed");
        }
    }

    @Override
    public void close() {
        context.withdraw(number);
        eventLoop.enter();
        try {
            eventLoop.card().destroyGroup(handle);
        } finally {
            eventLoop.leave();
        }
        queues.forget(this);
    }

    @Override
    public String toString() {
        return "Jetty group " + context.uasid() + "/" + id;
    }
}
