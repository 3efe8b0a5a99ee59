package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroupConfig;
import io.urma4j.OrderType;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.spi.ProviderJettyGroup;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.udma.device.Card;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Jetties that receive under one number. Which of them takes a message is decided by the card. */
final class UdmaJettyGroup implements ProviderJettyGroup {
    private final Queues queues;
    private final UdmaContext context;
    private final int id;
    private final JettyGroupConfig config;
    private final Crank crank;
    private final int handle;
    private final int number;
    private final List<UdmaSendQueue> members = new CopyOnWriteArrayList<>();

    UdmaJettyGroup(Queues queues, int id, JettyGroupConfig config) {
        this.queues = queues;
        this.context = queues.context();
        this.id = id;
        this.config = config;
        this.crank = context.crank();
        crank.enter();
        try {
            this.handle = create(crank.card());
            this.number = crank.card().groupNumber(handle);
        } finally {
            crank.leave();
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

    private int create(Card card) {
        boolean byHint = config.choice() == JettyGroupConfig.Choice.HASH_HINT;
        int made = id < Card.FIRST_NUMBER ? 0 : card.createGroup(id, byHint);
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
        crank.enter();
        try {
            crank.card().addMember(handle, ((UdmaSendQueue) jetty).handle());
            members.add((UdmaSendQueue) jetty);
        } finally {
            crank.leave();
        }
    }

    @Override
    public void remove(ProviderSendQueue jetty) {
        crank.enter();
        try {
            crank.card().removeMember(handle, ((UdmaSendQueue) jetty).handle());
            members.remove(jetty);
        } finally {
            crank.leave();
        }
    }

    /** A Jetty has gone to ERROR: when the group has no other member left that works, it is told. */
    void memberFailed(UdmaSendQueue failed) {
        if (members.contains(failed) && members.stream().allMatch(member -> member.state() == QueueState.ERROR)) {
            context.raise(AsyncEvent.Type.JETTY_GRP_ERR, this, "its last member that worked, " + failed + ", failed");
        }
    }

    @Override
    public void close() {
        context.withdraw(number);
        crank.enter();
        try {
            crank.card().destroyGroup(handle);
        } finally {
            crank.leave();
        }
        queues.forget(this);
    }

    @Override
    public String toString() {
        return "Jetty group " + context.uasid() + "/" + id;
    }
}
