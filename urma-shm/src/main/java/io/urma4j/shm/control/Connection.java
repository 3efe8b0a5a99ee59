package io.urma4j.shm.control;

import io.urma4j.libc.Epoll;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.PeerCredentials;
import io.urma4j.libc.PidFd;
import io.urma4j.libc.UnixSocket;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A socket to one peer: whole messages with descriptors, in order. Owned by the engine's thread.
 *
 * <p>Nothing that comes in is believed: whatever is no message ends the connection, with the reason.
 */
final class Connection {
    private static final System.Logger LOG = System.getLogger(Connection.class.getName());
    private static final Complaints COMPLAINTS = new Complaints(LOG);

    /** The most descriptors that any message carries. */
    private static final int MAX_DESCRIPTORS = 2;

    /** A peer that does not read is given up when so many messages wait for it. */
    private static final int MAX_PENDING = 4096;

    /** Each message that waits with descriptors keeps duplicates of them open. */
    private static final int MAX_PENDING_DESCRIPTORS = 1024;

    /** So many messages a round, then it is the turn of others. */
    private static final int MESSAGES_PER_ROUND = 32;

    /** Who hears what comes in. */
    interface Receiver {
        /** A message came; descriptors that the receiver does not take out of the list are closed after the call. */
        void received(Connection from, ControlMessage message, List<Fd> descriptors);

        /** The peer closed, died, or spoke nonsense; the connection is closed already. Once. */
        void ended(Connection connection, String why);
    }

    private final Engine engine;
    private final UnixSocket socket;
    private final PeerCredentials credentials;
    private final Engine.Watch watch;
    private final ByteBuffer buffer = ByteBuffer.allocate(ControlCodec.MAX_MESSAGE_BYTES);
    private final Deque<PendingSend> pending = new ArrayDeque<>();
    private Receiver receiver;
    private int pendingDescriptors;
    private boolean closed;

    /** Takes over the socket, also when it fails. */
    Connection(Engine engine, UnixSocket socket, Receiver receiver) {
        this.engine = engine;
        this.socket = socket;
        this.receiver = receiver;
        try {
            this.credentials = socket.peerCredentials();
            this.watch = engine.watch(socket.fd(), Epoll.IN, this::ready);
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** From now on {@code next} hears what comes in. */
    void handTo(Receiver next) {
        receiver = next;
    }

    PeerCredentials credentials() {
        return credentials;
    }

    /** The process at the other end, or empty where the kernel cannot tell. */
    Optional<PidFd> pidFd() {
        try {
            Optional<PidFd> exact = socket.peerPidFd();
            if (exact.isPresent() || credentials.pid() <= 0) {
                return exact;
            }
            // a kernel before 6.5; should the number mean another process by now, its life proves nothing
            return Optional.of(PidFd.open(credentials.pid()));
        } catch (LibcException e) {
            return Optional.empty(); // it is gone already, which the socket will say too
        }
    }

    boolean isClosed() {
        return closed;
    }

    boolean hasPending() {
        return !pending.isEmpty();
    }

    /** Sends a message with duplicates of the descriptors, now or as soon as there is room. Silent when closed. */
    void send(ControlMessage message, Fd... descriptors) {
        if (closed) {
            return;
        }
        ByteBuffer bytes = ControlCodec.encode(message);
        if (!pending.isEmpty() || !sentNow(bytes, descriptors)) {
            enqueue(bytes, descriptors);
        }
    }

    private void enqueue(ByteBuffer bytes, Fd... descriptors) {
        if (closed) {
            return;
        }
        pendingDescriptors += descriptors.length;
        if (pending.size() == MAX_PENDING || pendingDescriptors > MAX_PENDING_DESCRIPTORS) {
            end("it has not read its last " + pending.size() + " messages");
            return;
        }
        pending.add(
                new PendingSend(bytes, Stream.of(descriptors).map(Fd::duplicate).toList()));
        watch.modify(Epoll.IN | Epoll.OUT);
    }

    /** False when it must wait. */
    private boolean sentNow(ByteBuffer bytes, Fd... descriptors) {
        int result = socket.send(MemorySegment.ofBuffer(bytes), descriptors);
        // a peer that is gone may have left messages that we have not read; the end comes behind them
        return result != UnixSocket.WOULD_BLOCK;
    }

    private void ready(int events) {
        try {
            if ((events & Epoll.OUT) != 0) {
                flush();
            }
            if ((events & ~Epoll.OUT) != 0) {
                receiveSome();
            }
        } catch (ControlFormatException | LibcException e) {
            COMPLAINTS.log(() -> this + " ends, it broke the protocol: " + e.getMessage());
            end("it broke the protocol: " + e.getMessage());
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, () -> this + " ends, a message could not be handled", e);
            end("a message of it could not be handled: " + e.getMessage());
        }
    }

    private void flush() {
        PendingSend next = pending.peek();
        while (next != null && sentNow(next.bytes(), next.descriptors().toArray(Fd[]::new))) {
            pendingDescriptors -= next.descriptors().size();
            pending.remove().close();
            next = pending.peek();
        }
        if (pending.isEmpty()) {
            watch.modify(Epoll.IN);
        }
    }

    private void receiveSome() throws ControlFormatException {
        for (int i = 0; i < MESSAGES_PER_ROUND && !closed; i++) {
            List<Fd> descriptors = new ArrayList<>(MAX_DESCRIPTORS);
            int length = socket.receive(MemorySegment.ofBuffer(buffer.clear()), descriptors, MAX_DESCRIPTORS);
            if (length == UnixSocket.WOULD_BLOCK) {
                return;
            }
            if (length == UnixSocket.PEER_GONE) {
                end("its connection ended");
                return;
            }
            try {
                receiver.received(this, ControlCodec.decode(buffer.limit(length)), descriptors);
            } finally {
                descriptors.forEach(Fd::close);
            }
        }
    }

    /** Reads what is left, so that nothing that the peer said before its end is lost. */
    void drain() {
        if (!closed) {
            ready(Epoll.IN);
        }
    }

    /** Ends it because of the peer: closes, and tells the receiver. */
    void end(String why) {
        if (!closed) {
            close();
            receiver.ended(this, why);
        }
    }

    /** Closes our end without a word to the receiver. Idempotent. */
    void close() {
        if (!closed) {
            closed = true;
            watch.end();
            pending.forEach(PendingSend::close);
            pending.clear();
            socket.close();
        }
    }

    @Override
    public String toString() {
        return "connection with pid " + credentials.pid() + " on " + engine;
    }
}
