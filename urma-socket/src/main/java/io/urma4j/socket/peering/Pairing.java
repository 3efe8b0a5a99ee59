package io.urma4j.socket.peering;

import io.urma4j.socket.ring.PeerProcess;
import io.urma4j.socket.ring.RingConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The memories of this process and one other, for connections in one direction: one process connects, the other accepts. */
abstract class Pairing implements PeerProcess, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Pairing.class.getName());

    private final Arena own;
    private final AtomicBoolean late = new AtomicBoolean();

    Pairing(Arena own) {
        this.own = own;
    }

    /** The memory of this process. */
    final Arena own() {
        return own;
    }

    /** Whether the other process has ended, or is not reached any more. */
    abstract boolean isGone();

    /** Ends the connections if it is gone, where TCP does not. */
    void loseIfGone() {}

    /** The offers of the other process. */
    abstract Offers offers();

    /** Whether the other process has a ring of this number. */
    abstract boolean hasRing(int slot);

    /** Whether the other process can be at this end of a TCP connection. */
    abstract boolean mayBeAt(InetAddress address);

    abstract OwnRing open(int slot);

    @Override
    public final boolean hasEnded() {
        return isGone();
    }

    @Override
    public final boolean isPrompt() {
        return !late.get();
    }

    /** Its later connections have to do without a wait, or it could stall a selecting thread again and again. */
    @Override
    public final void wasLate() {
        late.set(true);
    }

    /** Whether also no connection of it is left. */
    final boolean isGoneAndUnused() {
        return isGone() && own.isUnusedAfterPeer();
    }

    /** A new ring that this process reads, which the other may write from now on; null if there is no memory for it. */
    final @Nullable OwnRing open() {
        int slot = own.take();
        if (slot == Slots.NONE) {
            return null;
        }
        try {
            return open(slot);
        } catch (Throwable e) { // also an error, as of memory
            own.free(slot);
            throw e;
        }
    }

    /** No process ever used the ring. */
    final void free(OwnRing ring) {
        own.free(ring.slot());
    }

    /** This process does not use the ring any more. */
    final void retire(OwnRing ring) {
        own.retire(ring.slot(), ring::isInUse);
    }

    /**
     * A connection that both have agreed on. Sends this end's proof, for which a new TCP connection always has room, and expects the
     * other's, which may come later. A failure retires the ring.
     *
     * @param theirSlot of the ring that the other reads
     */
    final RingConnection connection(SocketChannel tcp, OwnRing ring, int theirSlot, long ownProof, long theirProof)
            throws IOException {
        RingConnection connection = connect(tcp, ring, theirSlot, theirProof);
        // an interrupt would close this connection, and is for the next call that waits
        boolean wasInterrupted = Thread.interrupted();
        try {
            prove(connection, tcp, ownProof);
        } catch (Throwable e) { // another thread has closed TCP, or an error, as of memory
            connection.close();
            throw e;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return connection;
    }

    private RingConnection connect(SocketChannel tcp, OwnRing ring, int theirSlot, long theirProof) {
        try {
            return ring.connect(tcp, theirSlot, theirProof);
        } catch (Throwable e) { // also an error, as of memory
            retire(ring);
            throw e;
        }
    }

    private static void prove(RingConnection connection, SocketChannel tcp, long ownProof)
            throws ClosedChannelException {
        ByteBuffer proof = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try {
            int sent = tcp.write(proof.putLong(ownProof).flip());
            if (sent != Long.BYTES) {
                throw new IllegalStateException("a new TCP connection took " + sent + " of " + Long.BYTES + " bytes");
            }
            connection.expectProof();
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, () -> "the peer has reset the connection, as its user will see: " + e);
        }
    }

    @Override
    public abstract void close();
}
