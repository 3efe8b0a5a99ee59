package io.urma4j.shm.control;

import io.urma4j.UrmaStatus;
import io.urma4j.libc.Epoll;
import io.urma4j.libc.Errno;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.PeerCredentials;
import io.urma4j.libc.PidFd;
import io.urma4j.libc.SocketInbox;
import io.urma4j.libc.UnixSocket;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Answer;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Request;
import io.urma4j.spi.control.ControlMessage.Revoke;
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
 * <p>Input is not trusted: malformed messages end the connection, with the reason.
 */
final class Connection {
    private static final System.Logger LOG = System.getLogger(Connection.class.getName());
    private static final LimitedWarnings WARNINGS = new LimitedWarnings(LOG);

    /** When a socket ends, up to this many messages are drained here; the closer thread closes a socket with more. */
    private static final int MAX_DRAINED = 8;

    /** An honest peer sends few unexpected descriptors: those that cross with an attempt of ours. */
    private static final int MAX_UNTAKEN = 16;

    private static final String NO_DESCRIPTORS =
            "a message came with descriptors, and its receiver can open no more (ulimit -n)";

    private static final long PAUSE_NANOS = 10_000_000;

    /** Wakes the peer's engine: a message of one byte, which no {@link ControlMessage} has. */
    private static final int WAKE_BYTES = 1;

    /** A peer is cut off when this many messages wait for it. */
    private static final int MAX_PENDING = 4096;

    /** Each pending message with descriptors keeps duplicates of them open. */
    private static final int MAX_PENDING_DESCRIPTORS = 1024;

    /** Maximum messages per round, so that other peers get their share. */
    private static final int MESSAGES_PER_ROUND = 32;

    /** The receiver of messages. */
    interface Receiver {
        /** Receives a message; descriptors that the receiver does not remove from the list are closed after the call. */
        void received(Connection from, ControlMessage message, List<Fd> descriptors);

        /** Receives an answer of a peer without the descriptor that came with it. */
        default void receivedInPart(Connection from, Answer answer, String why) {
            from.end(why);
        }

        /** The peer closed, died, or sent a malformed message; the connection is already closed. Called once. */
        void ended(Connection connection, String why);
    }

    /** A message that waits for space in the socket, with its own duplicates of the descriptors. */
    private record PendingSend(ByteBuffer bytes, boolean isRevocation, List<Fd> descriptors) {
        void close() {
            descriptors.forEach(Fd::close);
        }
    }

    private final Engine engine;
    private final UnixSocket socket;
    private final PeerCredentials credentials;
    private final Engine.Watch watch;
    private final Deque<PendingSend> pending = new ArrayDeque<>();
    private Receiver receiver;
    private int pendingDescriptors;
    private int pendingRevocations;
    private int untaken; // descriptors that came and were not wanted
    private boolean isPeer;
    private boolean closed;

    /** Takes ownership of the socket, even if it fails. */
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

    /** Ends the greeting: from now on {@code next} receives messages, and either end may wake the other. */
    void handTo(Receiver next) {
        receiver = next;
        isPeer = true;
    }

    /**
     * Makes the peer's engine run a round soon. For any thread. Never waits: if the socket is full, the peer has messages
     * to read and does not sleep.
     */
    void wakePeer() {
        try {
            socket.signal();
        } catch (IllegalStateException e) {
            // closed meanwhile: the engine notifies the data plane that the peer is lost
        } catch (LibcException e) {
            engine.execute(() -> end("it cannot be woken: " + e.getMessage()));
        }
    }

    PeerCredentials credentials() {
        return credentials;
    }

    /**
     * The process at the other end, or empty if the kernel does not report it, or it has ended.
     *
     * @throws LibcException if this process can open no more descriptors, which says nothing about the other one
     */
    Optional<PidFd> pidFd() {
        try {
            Optional<PidFd> exact = socket.peerPidFd();
            if (exact.isPresent() || credentials.pid() <= 0) {
                return exact;
            }
            // a kernel before 6.5; if the pid belongs to another process by now, its existence proves nothing
            return Optional.of(PidFd.open(credentials.pid()));
        } catch (LibcException e) {
            return switch (e.errno()) {
                case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM -> throw e;
                default -> Optional.empty(); // it is gone already, which the socket will say too
            };
        }
    }

    /** Whether no process has the pid of the other end: then that has certainly ended. Its pid may be another process's by now. */
    boolean isProcessGone() {
        if (credentials.pid() <= 0) {
            return false; // of another PID namespace, where it has a pid that this one does not know
        }
        try (PidFd _ = PidFd.open(credentials.pid())) {
            return false;
        } catch (LibcException e) {
            return e.errno() == Errno.ESRCH;
        }
    }

    boolean isClosed() {
        return closed;
    }

    boolean hasPending() {
        return !pending.isEmpty();
    }

    /** Sends a message with duplicates of the descriptors, now or once the socket has space. No effect when closed. */
    void send(ControlMessage message, Fd... descriptors) {
        if (closed) {
            return;
        }
        ByteBuffer bytes = ControlCodec.encode(message);
        if (!pending.isEmpty() || !sentNow(bytes, descriptors)) {
            enqueue(bytes, message instanceof Revoke, descriptors);
        }
    }

    /** Refuses a request of the peer. */
    void refuse(Request request, UrmaStatus status, String why) {
        send(new Refused(request.request(), status, why));
    }

    /** Revocations are as many as the grants that the peer has; it need not have read them, when a context ends. */
    private void enqueue(ByteBuffer bytes, boolean isRevocation, Fd... descriptors) {
        int others = pending.size() - pendingRevocations;
        if ((others >= MAX_PENDING && !isRevocation)
                || pendingDescriptors + descriptors.length > MAX_PENDING_DESCRIPTORS) {
            end("it left " + pending.size() + " messages unread");
            return;
        }
        pending.add(new PendingSend(
                bytes, isRevocation, Stream.of(descriptors).map(Fd::duplicate).toList()));
        pendingRevocations += isRevocation ? 1 : 0;
        pendingDescriptors += descriptors.length;
        watch.modify(Epoll.IN | Epoll.OUT);
    }

    /** False if it must wait. */
    private boolean sentNow(ByteBuffer bytes, Fd... descriptors) {
        int result = socket.send(MemorySegment.ofBuffer(bytes), descriptors);
        // a peer that is gone may have left unread messages; the end follows them
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

    /** Reports an unreadable message to the peer: it may be of a later version, and people will look into its log. */
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
        WARNINGS.log(() -> this + " ends: it broke the protocol: " + why.getMessage());
        end("it broke the protocol: " + why.getMessage());
    }

    private void flush() {
        PendingSend next = pending.peek();
        while (next != null && sentNow(next.bytes(), next.descriptors().toArray(Fd[]::new))) {
            pendingDescriptors -= next.descriptors().size();
            pendingRevocations -= next.isRevocation() ? 1 : 0;
            pending.remove().close();
            next = pending.peek();
        }
        if (pending.isEmpty()) {
            watch.modify(Epoll.IN);
        }
    }

    /** Whether receiving is paused: this peer's descriptors are not closed as fast as it sends them. */
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
                received(ControlCodec.decode(inbox.message()), inbox);
                untaken += inbox.descriptors().size();
            }
        } finally {
            inbox.closeDescriptors();
            engine.giveBack(inbox);
        }
    }

    private void received(ControlMessage message, SocketInbox inbox) {
        // an honest peer sends one descriptor at a time, and so none has come; a hostile one fills what room there is
        boolean mayGoOn = isPeer && inbox.descriptors().isEmpty();
        if (!inbox.isIncomplete()) {
            receiver.received(this, message, inbox.descriptors());
        } else if (mayGoOn && message instanceof Request request) {
            refuse(request, UrmaStatus.ENOMEM, NO_DESCRIPTORS);
        } else if (mayGoOn && message instanceof Answer answer) {
            receiver.receivedInPart(this, answer, NO_DESCRIPTORS);
        } else {
            LOG.log(Level.WARNING, () -> this + " ends: " + NO_DESCRIPTORS);
            end(NO_DESCRIPTORS);
        }
    }

    /** Reads the remaining messages, so that none of the peer's messages before its end is lost. */
    void drain() {
        if (!closed) {
            ready(Epoll.IN);
        }
    }

    /** Ends the connection because of the peer: closes it, and notifies the receiver. */
    void end(String why) {
        if (!closed) {
            close();
            receiver.ended(this, why);
        }
    }

    /** Closes this end without notifying the receiver. Idempotent. */
    void close() {
        if (!closed) {
            closed = true;
            watch.end();
            pending.forEach(PendingSend::close);
            pending.clear();
            closeSocket();
        }
    }

    /** Unread messages go to the closer thread, since the last close of a peer's descriptor may block. */
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
