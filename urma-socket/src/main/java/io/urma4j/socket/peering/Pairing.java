package io.urma4j.socket.peering;

import io.urma4j.socket.ring.PeerProcess;
import io.urma4j.socket.ring.RingConnection;
import io.urma4j.socket.ring.RingReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/** The memories of this process and one other, for connections in one direction: one process connects, the other accepts. */
record Pairing(Arena own, RemoteArena theirs, AtomicBoolean late) implements PeerProcess, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Pairing.class.getName());

    Pairing(Arena own, RemoteArena theirs) {
        this(own, theirs, new AtomicBoolean());
    }

    @Override
    public boolean hasEnded() {
        return isGone();
    }

    @Override
    public boolean isPrompt() {
        return !late.get();
    }

    /** Its later connections have to do without a wait, or it could stall a selecting thread again and again. */
    @Override
    public void wasLate() {
        late.set(true);
    }

    /** Whether the other process has ended. */
    boolean isGone() {
        return theirs.isGone();
    }

    /** Whether also no connection of it is left. */
    boolean isGoneAndUnused() {
        return isGone() && own.isUnusedAfterPeer();
    }

    /**
     * A connection that both have agreed on. Sends this end's proof, for which a new TCP connection always has room, and expects the
     * other's, which may come later.
     *
     * @param slot of the ring that this process reads
     * @param theirSlot of the ring that the other reads
     */
    RingConnection connection(
            SocketChannel tcp, int slot, RingReader reader, int theirSlot, long ownProof, long theirProof)
            throws IOException {
        var connection = new RingConnection(
                tcp, reader, theirs.writer(theirSlot), theirProof, this, () -> own.retire(slot, reader));
        connection.readyAt(own.readyPlace(slot), theirs.readyPlace(theirSlot));
        ByteBuffer proof = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try {
            int sent = tcp.write(proof.putLong(ownProof).flip());
            if (sent != Long.BYTES) {
                throw new IllegalStateException("a new TCP connection took " + sent + " of " + Long.BYTES + " bytes");
            }
            connection.expectProof();
        } catch (ClosedChannelException e) {
            connection.close();
            throw e;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, () -> "the peer has reset the connection, as its user will see: " + e);
        }
        return connection;
    }

    @Override
    public void close() {
        theirs.close();
        own.close();
    }
}
