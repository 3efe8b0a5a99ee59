package io.urma4j.socket.peering;

import io.urma4j.Eid;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import io.urma4j.internal.ApiAccess;
import io.urma4j.socket.ring.RingConnection;
import io.urma4j.socket.ring.RingReader;
import io.urma4j.socket.ring.RingWriter;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Two processes that a network connects. Each writes rings in its own memory, and its {@link Link} takes what is new to the other, whose
 * device tells of it.
 */
final class NetworkPairing extends Pairing {
    private final RemoteMemory theirs;
    private final ArenaLayout theirLayout;
    private final Offers offers;
    private final Link link;
    private final Notices notices;
    private final AtomicReferenceArray<@Nullable RingConnection> connections; // by the slot of this process

    /**
     * Of two memories with rings of the same size; owns both from now on.
     *
     * @param timeout of each access to the other's offers
     */
    NetworkPairing(
            UrmaContext context,
            Arena own,
            RemoteMemory theirs,
            ArenaLayout theirLayout,
            LinkPump pump,
            Duration timeout) {
        super(own);
        this.theirs = theirs;
        this.theirLayout = theirLayout;
        this.offers = new RemoteOffers(theirs, ArenaLayout.offersAt(), timeout);
        this.notices = own.notices();
        this.connections = new AtomicReferenceArray<>(own.layout().rings());
        this.link = new Link(
                context, theirs.segment(), theirLayout, own.segment(), own.layout(), pump, this::loseConnections);
        if (!ApiAccess.api().watch(own.segment(), this::noticed)) {
            link.close();
            throw new IllegalArgumentException(own + " is written by a device that does not tell of it");
        }
    }

    /** The other process has stored something. On the thread that drives the device. */
    private void noticed() {
        notices.take(this::arrived);
    }

    private void arrived(int slot) {
        RingConnection connection = slot >= 0 && slot < connections.length() ? connections.get(slot) : null;
        if (connection != null) {
            connection.arrived();
        }
    }

    @Override
    void loseIfGone() {
        if (isGone()) {
            loseConnections();
        }
    }

    private void loseConnections() {
        for (int slot = 0; slot < connections.length(); slot++) {
            RingConnection connection = connections.get(slot);
            if (connection != null) {
                connection.lost();
            }
        }
    }

    @Override
    boolean isGone() {
        return segment().isRevoked() || link.hasFailed();
    }

    private RemoteSegment segment() {
        return theirs.segment();
    }

    @Override
    public boolean sharesMemory() {
        return false;
    }

    @Override
    Offers offers() {
        return offers;
    }

    @Override
    boolean hasRing(int slot) {
        return theirLayout.hasRing(slot);
    }

    /** Its device has proven the address, so another host can offer nothing for this one. */
    @Override
    boolean mayBeAt(InetAddress address) {
        return segment().descriptor().eid().equals(Eid.of(address));
    }

    @Override
    OwnRing open(int slot) {
        return new Ring(new Wire(link, slot, own().ring(slot), own().copy(slot)));
    }

    private final class Ring extends OwnRing {
        private final Wire wire;

        Ring(Wire wire) {
            super(wire.slot(), new RingReader(wire.ring(), wire));
            this.wire = wire;
        }

        @Override
        boolean isInUse() {
            return wire.hasPeer() || !link.isSettled(wire);
        }

        @Override
        RingConnection connect(SocketChannel tcp, int theirSlot, long theirProof) {
            wire.meet(theirSlot);
            var writer = new RingWriter(wire.copy(), wire);
            var connection =
                    new RingConnection(tcp, reader(), writer, theirProof, NetworkPairing.this, this::leave, wire);
            connections.set(slot(), connection);
            if (isGone()) { // a loss before the set has not found it
                connection.lost();
            }
            return connection;
        }

        private void leave() {
            connections.set(slot(), null);
            retire(this);
        }
    }

    @Override
    public void close() {
        link.close();
        RemoteSegment segment = segment();
        theirs.close();
        segment.close();
        own().close();
    }

    @Override
    public String toString() {
        return own() + " beside " + theirs;
    }
}
