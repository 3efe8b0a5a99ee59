package io.urma4j.socket.ring;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The doorbell of a connection whose bytes come over a network. The device of this process places them, and {@link #arrived} tells of
 * them. So TCP carries the peer's proof and its own end alone, at which a thread that waits looks from time to time.
 */
final class ArrivalDoorbell extends Doorbell {
    private static final long LOOK_NANOS = 20_000_000;

    private final PeerProcess peer;
    private final TcpEnd end;

    ArrivalDoorbell(
            SocketChannel tcp, Closeable connection, RingReader reader, TcpEnd end, long peersProof, PeerProcess peer) {
        super(tcp, connection, reader, end, peersProof);
        this.peer = peer;
        this.end = end;
    }

    @Override
    void listen(@Nullable InputStream stream, int timeoutMillis, boolean forRoom) throws IOException {
        if (!isProven()) {
            super.listen(stream, timeoutMillis, forRoom); // for the proof, which comes over TCP
            return;
        }
        long limitNanos = timeoutMillis == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        try {
            if (awaitHeard(Math.min(limitNanos, LOOK_NANOS))) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ClosedByInterruptException closed = closedByInterrupt();
            closed.initCause(e);
            throw closed;
        }
        checkOpen();
        look();
        if (peer.hasEnded()) {
            end.lost();
        }
    }

    /** A thread that waits does so without TCP, whose end is still of interest. */
    @Override
    void goDeaf() {}

    /** TCP is to reset a peer that writes all the same, as a kernel does after both directions were shut down. */
    @Override
    void endInput() throws IOException {
        if (isProven()) {
            super.goDeaf();
        }
    }
}
