package io.urma4j.shm;

import io.urma4j.AsyncEvent;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroupConfig;
import io.urma4j.OrderType;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.ring.Answer;
import io.urma4j.spi.ProviderJettyGroup;
import io.urma4j.spi.ProviderSendQueue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Jetties that receive under one number. The home selects the member that receives a message. */
final class ShmJettyGroup implements ProviderJettyGroup {
    private static final int HINTS = 256; // they come as 8 bits

    private final ShmContext context;
    private final int id;
    private final JettyGroupConfig config;
    private final AtomicInteger turns = new AtomicInteger();
    private volatile Inbound[] members = {}; // replaced as a whole

    ShmJettyGroup(ShmContext context, int id, JettyGroupConfig config) {
        this.context = context;
        this.id = id;
        this.config = config;
    }

    /** The receiver of a message that begins now; null if there is no member. */
    @Nullable
    Inbound choose(Peer peer, int sourceId, int hint) {
        Inbound[] all = members;
        if (all.length == 0) {
            return null;
        }
        if (config.choice() == JettyGroupConfig.Choice.HASH_HINT) {
            return all[hint * all.length / HINTS];
        }
        int first = Math.floorMod(turns.getAndIncrement(), all.length);
        for (int i = 0; i < all.length; i++) {
            Inbound next = all[(first + i) % all.length];
            if (next.admission(peer, sourceId) == Answer.TAKEN
                    && next.receives().seemsReady()) {
                return next;
            }
        }
        return all[first];
    }

    @Override
    public int id() {
        return id;
    }

    JettyGroupConfig config() {
        return config;
    }

    @Override
    public JettyDescriptor descriptor() {
        return context.describe(id, JettyDescriptor.Kind.GROUP, TransportMode.RM, OrderType.DEF, config.policy());
    }

    @Override
    public synchronized void add(ProviderSendQueue jetty) {
        Inbound member = context.inbound(jetty.id());
        assert member != null : "an open Jetty receives";
        List<Inbound> more = new ArrayList<>(Arrays.asList(members));
        more.add(member);
        members = more.toArray(Inbound[]::new);
    }

    @Override
    public synchronized void remove(ProviderSendQueue jetty) {
        members =
                Arrays.stream(members).filter(member -> member.jetty() != jetty).toArray(Inbound[]::new);
    }

    /** A Jetty has gone to ERROR: if no other member works, raises the event. */
    void memberFailed(ShmSendQueue failed) {
        Inbound[] all = members;
        boolean mine = Arrays.stream(all).anyMatch(member -> member.jetty() == failed);
        if (mine && Arrays.stream(all).allMatch(ShmJettyGroup::isInError)) {
            context.raise(AsyncEvent.Type.JETTY_GRP_ERR, this, "its last working member, " + failed + ", failed");
        }
    }

    private static boolean isInError(Inbound member) {
        return member.jetty() != null && member.jetty().state() == QueueState.ERROR;
    }

    @Override
    public void close() {
        context.forget(this);
    }

    @Override
    public String toString() {
        return "Jetty group " + context.uasid() + "/" + id;
    }
}
