package io.urma4j.shm.control;

import io.urma4j.UrmaStatus;
import io.urma4j.libc.Epoll;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.PeerCredentials;
import io.urma4j.libc.PidFd;
import io.urma4j.libc.SocketInbox;
import io.urma4j.libc.UnixSocket;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Refused;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
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

    /** A socket that ends is emptied here of so many messages; the closer closes one that has more. */
    private static final int MAX_DRAINED = 8;

    /** An honest peer sends few descriptors that are not taken: what crosses with an attempt of ours. */
    private static final int MAX_UNTAKEN = 16;

    private static final long PAUSE_NANOS = 10_000_000;

    /** The peer's engine is asked to do a round: a message of one byte, which no {@link ControlMessage} has. */
    private static final int WAKE_BYTES = 1;

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
    private final Deque<PendingSend> pending = new ArrayDeque<>();
    private Receiver receiver;
    private int pendingDescriptors;
    private int untaken; // descriptors that came and were not wanted
    private boolean isPeer;
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

    /** The greetings are over: from now on {@code next} hears what comes in, and either end may wake the other. */
    void handTo(Receiver next) {
        receiver = next;
        isPeer = true;
    }

    /**
     * Has the peer's engine do a round soon. For any thread. Never waits: where the socket is full, the peer has messages
     * to read and does not sleep.
     */
    void wakePeer() {
        try {
            socket.signal();
        } catch (IllegalStateException e) {
            // closed meanwhile: the engine tells the data plane that the peer is lost
        } catch (LibcException e) {
            engine.execute(() -> end("it cannot be woken: " + e.getMessage()));
        }
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
            end("it left " + pending.size() + " messages unread");
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
            if ((events & ~Epoll.OUT) != 0 && !pauses(events)) {
                receiveSome();
            }
        } catch (ControlFormatException e) {
            explain(e);
            broken(e);
        } catch (LibcException e) {
            broken(e);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, () -> this + " ends: a message failed", e);
            end("handling its message failed: " + e.getMessage());
        }
    }

    /** Tells a peer what could not be read: it may be of a later version, and its log is where people will look. */
    private void explain(ControlFormatException unreadable) {
        if (isPeer && pending.isEmpty()) {
            try {
                sentNow(ControlCodec.encode(new Refused(0, UrmaStatus.FAIL, String.valueOf(unreadable.getMessage()))));
            } catch (LibcException e) {
                LOG.log(Level.DEBUG, () -> this + " cannot be notified of its end: " + e.getMessage());
            }
        }
    }

    private void broken(Exception why) {
        COMPLAINTS.log(() -> this + " ends: it broke the protocol: " + why.getMessage());
        end("it broke the protocol: " + why.getMessage());
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

    /** Whether nothing is received for now: this peer's descriptors are not closed as fast as it sends them. */
    private boolean pauses(int events) {
        if (!engine.closer().isBehind() || (isPeer && untaken <= MAX_UNTAKEN)) {
            return false;
        }
        if ((events & (Epoll.HUP | Epoll.ERR)) != 0) {
            end("its connection ended");
        } else {
            watch.modify(pending.isEmpty() ? 0 : Epoll.OUT);
            engine.after(PAUSE_NANOS, this::goOn);
        }
        return true;
    }

    private void goOn() {
        if (!closed) {
            watch.modify(pending.isEmpty() ? Epoll.IN : Epoll.IN | Epoll.OUT);
        }
    }

    private void receiveSome() throws ControlFormatException {
        SocketInbox inbox = engine.takeInbox(); // what a message does may have another connection receive
        try {
            for (int i = 0; i < MESSAGES_PER_ROUND && !closed; i++) {
                int length = socket.receive(inbox);
                if (length == UnixSocket.WOULD_BLOCK) {
                    return;
                }
                if (length == UnixSocket.PEER_GONE) {
                    end("its connection ended");
                    return;
                }
                if (length == WAKE_BYTES && isPeer && inbox.descriptors().isEmpty()) {
                    continue; // the round that it asks for is this one
                }
                receiver.received(this, ControlCodec.decode(inbox.message()), inbox.descriptors());
                untaken += inbox.descriptors().size();
            }
        } finally {
            inbox.closeDescriptors();
            engine.giveBack(inbox);
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
            closeSocket();
        }
    }

    /** What the peer left unread goes to the closer: the last close of a descriptor of a peer may wait. */
    private void closeSocket() {
        try {
            if (!socket.drain(engine.inboxForDraining(), MAX_DRAINED)) {
                socket.fd().closeBy(engine.closer());
            }
        } finally {
            socket.close();
        }
    }

    @Override
    public String toString() {
        return "connection with pid " + credentials.pid() + " on " + engine;
    }
}
