package io.urma4j.socket.ring;

import java.io.IOException;
import java.net.SocketException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How the TCP connection beside two rings has ended, and what of it the program has seen. A read or a write reports a reset once.
 * The thread that reads from TCP sets it, under the lock of {@link Doorbell}, but for {@link #followPeer}; any thread may ask.
 */
final class TcpEnd {
    /** How long after a reset the end of the peer's process may be seen. */
    private static final long END_OF_PROCESS_NANOS = 100_000_000;

    private static final long POLL_NANOS = 500_000;

    private final RingReader reader;
    private final PeerProcess peer;
    private volatile boolean ended;
    private volatile @Nullable IOException failure;
    private volatile boolean isResetTaken; // by a write, so that a read sees an end
    private boolean isEndOfProcess; // and no reset; published by the failure
    private volatile boolean isFailureTold;

    TcpEnd(RingReader reader, PeerProcess peer) {
        this.reader = reader;
        this.peer = peer;
    }

    /** TCP has ended as each connection does. Bytes that a network still carried are lost, if the peer has said no end in the ring. */
    void ended() {
        if (peer.sharesMemory() || reader.hasEnded() || reader.isAborted()) {
            ended = true;
        } else {
            failure = new IOException("Connection reset");
        }
    }

    /** The network does not reach the peer's process any more, which counts as an end of TCP if that has not come. */
    void lost() {
        if (!isOver()) {
            ended();
        }
    }

    /** Where TCP tells nothing any more, the peer's process tells its own end, and the ring a reset or a close. Any thread. */
    void followPeer() {
        if (peer.hasEnded() || reader.isAborted() || !reader.hasWriter()) {
            ended = true;
        }
    }

    /** TCP has failed; {@code proven} is whether the peer had proven that it has the rings. */
    void failed(IOException problem, boolean proven) {
        isEndOfProcess = isEndOfProcess(problem, proven);
        failure = problem;
    }

    /** What came over TCP is not of a peer that has the rings. */
    void refused(IOException reason) {
        failure = reason;
    }

    /**
     * Whether a reset is the end of the peer's process: the kernel resets TCP if that has not read a doorbell. The end of TCP may
     * be seen a moment before that of the process.
     */
    private boolean isEndOfProcess(IOException problem, boolean proven) {
        boolean mayBe = peer.sharesMemory()
                && String.valueOf(problem.getMessage()).contains("Connection reset")
                && proven
                && !reader.isAborted()
                && !reader.hasEnded();
        long began = System.nanoTime();
        while (mayBe && !peer.hasEnded()) {
            LockSupport.parkNanos(POLL_NANOS);
            mayBe = System.nanoTime() - began < END_OF_PROCESS_NANOS;
        }
        return mayBe;
    }

    /** Whether TCP has ended or failed, so that no byte of it will come. */
    boolean isOver() {
        return ended || failure != null;
    }

    /** Whether TCP was reset, or the peer proved nothing. */
    boolean hasFailed() {
        return failure != null;
    }

    /** A write tells that the peer has reset the connection; what reads afterwards sees an end. */
    void tellReset() {
        isResetTaken = true;
    }

    /** Whether TCP was reset, and nothing has told it; this does. */
    boolean takeFailure() {
        if (failure == null || isFailureTold) {
            return false;
        }
        ended = true;
        isResetTaken = true;
        failure = null;
        return true;
    }

    /** A read that has seen a reset is followed by no other result, also where it asks for nothing. */
    void refuseAgain() throws IOException {
        if (isFailureTold && failure != null) {
            throw new SocketException("Connection reset");
        }
    }

    /** What a read sees of a connection that is over; {@code proven} as above. */
    int tell(boolean proven) throws IOException {
        if (failure == null && !isResetTaken && proven && reader.isAborted()) {
            failure = new IOException("Connection reset"); // TCP has ended, after the JDK closed it for an interrupt
        }
        IOException reason = failure;
        if (reason != null && !isEndOfProcess) {
            isFailureTold = true;
            throw new SocketException(reason.getMessage());
        }
        return -1;
    }

    @Override
    public String toString() {
        IOException reason = failure;
        return reason != null ? String.valueOf(reason.getMessage()) : ended ? "TCP has ended" : "TCP is open";
    }
}
