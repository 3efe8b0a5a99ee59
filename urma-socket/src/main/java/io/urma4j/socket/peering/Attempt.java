package io.urma4j.socket.peering;

import io.urma4j.UrmaException;
import io.urma4j.socket.FallbackReason;
import io.urma4j.socket.ring.RingConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An offer of rings to the listener of an address, made before the TCP connection. Once TCP is connected, {@link #decide} tells
 * what becomes of it. One thread at a time.
 */
public final class Attempt {
    private static final System.Logger LOG = System.getLogger(Attempt.class.getName());
    private static final long UNTIL_PENDING_NANOS = 100_000;
    private static final long PAUSE_NANOS = 50_000;
    private static final int SPINS = 200;
    private static final long YIELDING_NANOS =
            80_000; // a thread that sleeps in accept needs less, and a park takes more

    private final Client client;
    private final Client.Open route;
    private final InetSocketAddress remote;
    private final OwnRing ring;
    private final int index;
    private final long proof;
    private final long waitNanos;

    private FallbackReason reason = FallbackReason.NOT_TAKEN;
    private boolean isOver;

    private Attempt(
            Client client,
            Client.Open route,
            InetSocketAddress remote,
            OwnRing ring,
            int index,
            long proof,
            long waitNanos) {
        this.client = client;
        this.route = route;
        this.remote = remote;
        this.ring = ring;
        this.index = index;
        this.proof = proof;
        this.waitNanos = waitNanos;
    }

    /**
     * Offers this ring of the route; null if too many ports of near numbers have offers, with the ring free again. {@code local}
     * is bound already.
     */
    static @Nullable Attempt begin(
            Client client,
            Client.Open route,
            OwnRing ring,
            InetSocketAddress local,
            InetSocketAddress remote,
            long proof,
            long waitNanos) {
        Pairing pairing = route.host().pairing();
        int index = pairing.own().offers().make(local, remote, proof, ring.slot());
        if (index < 0) {
            pairing.free(ring);
            return null;
        }
        return new Attempt(client, route, remote, ring, index, proof, waitNanos);
    }

    /**
     * Waits for the server's decision, at most the time of the settings, and then takes the offer back.
     *
     * @return the connection, or null if it is TCP
     */
    public @Nullable RingConnection decide(SocketChannel tcp) throws IOException {
        OfferTable.State state = await();
        if (state == OfferTable.State.OFFERED) {
            state = offers().withdraw(index) ? OfferTable.State.REFUSED : offers().state(index);
            if (state == OfferTable.State.REFUSED) {
                client.leaveAlone(remote);
            }
        } else if (state == OfferTable.State.REFUSED && offers().reason(index) == OfferTable.NO_MEMORY) {
            reason = FallbackReason.MEMORY;
        }
        return state == OfferTable.State.TAKEN ? taken(tcp) : refused();
    }

    private OfferTable offers() {
        return route.host().pairing().own().offers();
    }

    private OfferTable.State await() {
        long began = System.nanoTime();
        boolean told = false;
        OfferTable.State state = offers().state(index);
        for (int spins = 0; state == OfferTable.State.OFFERED; spins++) {
            long waited = System.nanoTime() - began;
            if (waited > waitNanos || route.host().pairing().isGone()) {
                return state;
            }
            if (!told && waited > UNTIL_PENDING_NANOS) {
                told = true;
                tellPending();
            }
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else if (waited < YIELDING_NANOS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            state = offers().state(index);
        }
        return state;
    }

    /** The application does not accept just now; its process does it, so that this one need not wait for the application. */
    private void tellPending() {
        byte[] pending = new Greeting.Pending(route.listing().number()).toBytes();
        Thread.ofVirtual().name("urma-socket-pending").start(() -> {
            try {
                route.host().peer().send(pending);
            } catch (UrmaException | IllegalStateException e) {
                LOG.log(System.Logger.Level.DEBUG, () -> remote + " does not hear that a connection waits: " + e);
            }
        });
    }

    private RingConnection taken(SocketChannel tcp) throws IOException {
        Pairing pairing = route.host().pairing();
        int theirSlot = offers().serversRing(index);
        long theirProof = offers().serversProof(index);
        isOver = true;
        offers().free(index);
        if (!pairing.hasRing(theirSlot)) {
            pairing.retire(ring);
            tcp.close(); // the server believes that this connection has rings
            throw new IOException(
                    "The server of " + remote + " took an offer by ring " + theirSlot + ", which it has not");
        }
        return pairing.connection(tcp, ring, theirSlot, proof, theirProof);
    }

    private @Nullable RingConnection refused() {
        isOver = true;
        offers().free(index);
        route.host().pairing().free(ring);
        return null;
    }

    /** Why {@link #decide} returned null. */
    public FallbackReason reason() {
        return reason;
    }

    /** TCP did not connect. A server that has taken the offer all the same keeps its ring until it sees TCP end. */
    public void cancel() {
        if (isOver) {
            return;
        }
        isOver = true;
        try {
            takeBack();
        } catch (IllegalStateException e) {
            LOG.log(System.Logger.Level.DEBUG, () -> "the memory of " + this + " is closed, and the offer with it");
        }
    }

    private void takeBack() {
        if (offers().withdraw(index) || offers().state(index) == OfferTable.State.REFUSED) {
            var _ = refused();
        } else {
            offers().free(index);
            route.host().pairing().retire(ring);
        }
    }

    @Override
    public String toString() {
        return "offer " + index + " to " + remote;
    }
}
