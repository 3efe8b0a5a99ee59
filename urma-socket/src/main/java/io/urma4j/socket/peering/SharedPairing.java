package io.urma4j.socket.peering;

import io.urma4j.socket.ring.RingConnection;
import io.urma4j.socket.ring.RingReader;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;

/** Two processes of one host, each of which has mapped the other's memory. */
final class SharedPairing extends Pairing {
    private final RemoteArena theirs;

    SharedPairing(Arena own, RemoteArena theirs) {
        super(own);
        this.theirs = theirs;
    }

    @Override
    boolean isGone() {
        return theirs.isGone();
    }

    @Override
    Offers offers() {
        return theirs.offers();
    }

    @Override
    boolean hasRing(int slot) {
        return theirs.hasRing(slot);
    }

    @Override
    boolean mayBeAt(InetAddress address) {
        return true; // of this host, as its proof over TCP will show
    }

    @Override
    OwnRing open(int slot) {
        return new Ring(slot);
    }

    private final class Ring extends OwnRing {
        Ring(int slot) {
            super(slot, new RingReader(own().ring(slot)));
        }

        @Override
        boolean isInUse() {
            return reader().hasWriter();
        }

        @Override
        RingConnection connect(SocketChannel tcp, int theirSlot, long theirProof) {
            var connection = new RingConnection(
                    tcp, reader(), theirs.writer(theirSlot), theirProof, SharedPairing.this, () -> retire(this));
            connection.readyAt(own().readyPlace(slot()), theirs.readyPlace(theirSlot));
            return connection;
        }
    }

    @Override
    public void close() {
        theirs.close();
        own().close();
    }

    @Override
    public String toString() {
        return "shared memory of " + own() + " and " + theirs;
    }
}
