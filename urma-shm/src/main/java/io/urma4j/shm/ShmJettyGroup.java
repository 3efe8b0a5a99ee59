package io.urma4j.shm;

import io.urma4j.AsyncEvent;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroupConfig;
import io.urma4j.OrderType;
import io.urma4j.TransportMode;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.ring.Answer;
import io.urma4j.spi.ProviderJettyGroup;
import io.urma4j.spi.ProviderSendQueue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Jetties that receive under one number. The home selects the member that receives a message. */
final class ShmJettyGroup implements ProviderJettyGroup {
    private static final int HINTS = 256; // they come as 8 bits

    private final LocalContext context;
    private final Receivers receivers;
    private final int id;
    private final JettyGroupConfig config;
    private final Consumer<ShmJettyGroup> onClose;
    private final AtomicInteger turns = new AtomicInteger();
    private volatile Inbound[] members = {}; // replaced as a whole

    /** An empty group; {@code onClose} is called at its end. */
    ShmJettyGroup(
            LocalContext context,
            Receivers receivers,
            int id,
            JettyGroupConfig config,
            Consumer<ShmJettyGroup> onClose) {
        this.context = context;
        this.receivers = receivers;
        this.onClose = onClose;
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
        Inbound member = receivers.get(jetty.id());
        assert member != null : "an open Jetty receives";
        List<Inbound> more = new ArrayList<>(Arrays.asList(members));
        more.add(member);
        members = more.toArray(Inbound[]::new);
    }

    @Override
    public synchronized void remove(ProviderSendQueue jetty) {
        members = Arrays.stream(members)
                .filter(member -> member.id() != jetty.id())
                .toArray(Inbound[]::new);
    }

    /** A Jetty has gone to ERROR: if no other member works, raises the event. */
    void memberFailed(Object failed, int failedId) {
        Inbound[] all = members;
        boolean mine = Arrays.stream(all).anyMatch(member -> member.id() == failedId);
        if (mine && Arrays.stream(all).allMatch(Inbound::isInError)) {
            context.raise(AsyncEvent.Type.JETTY_GRP_ERR, this, "its last working member, " + failed + ", failed");
        }
    }

    @Override
    public void close() {
        onClose.accept(this);
    }

    @Override
    public String toString() {
        return "Jetty group " + context.uasid() + "/" + id;
    }
}
