package io.urma4j.shm.control;

import io.urma4j.Eid;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Errno;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.UnixSocket;
import io.urma4j.shm.memory.Failures;
import io.urma4j.spi.control.Compatibility;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Answer;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Notice;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Request;
import io.urma4j.spi.support.SharedResult;
import io.urma4j.spi.support.Timers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The connected peers: how they are found, greeted, and lost. Owned by the engine's thread.
 *
 * <p>A connection begins with a {@link Hello} in each direction, and belongs to a {@link Peer} after that. The peer is lost
 * with the first of its connections, when its process ends, or when it says goodbye. It is <em>proven</em> dead by the
 * goodbye, by the end of its process, or by its lock in the runtime directory. A failed connection alone proves nothing,
 * since the memory may still be mapped.
 */
final class Peers {
    private static final long CONNECT_RETRY_NANOS = 2_000_000;

    /** Timeout for the greeting of a connecting peer; tests may set a shorter one. */
    static final long GREETING_NANOS = 30_000_000_000L;

    private final Engine engine;
    private final RuntimeDirectory directory;
    private final Hello self;
    private final long greetingNanos;
    private final PeerLimits limits;
    private final Serving serving;
    private final PeerWatch watch;
    private final LostPeers lost;
    private final Listener listener;
    private final Map<PeerId, Peer> living = new LinkedHashMap<>(); // in the order of their greetings
    private final Map<PeerId, OutgoingGreeting> connecting = new HashMap<>();
    private final List<Connection> unknownPeers = new ArrayList<>(); // those that we greeted, and wait for
    private boolean closed;

    /**
     * Starts to listen.
     *
     * @param self the greeting of this context
     * @param greetingNanos timeout for the greetings of others
     */
    Peers(
            Engine engine,
            RuntimeDirectory directory,
            Hello self,
            long greetingNanos,
            PeerLimits limits,
            Serving serving) {
        this.engine = engine;
        this.directory = directory;
        this.self = self;
        this.greetingNanos = greetingNanos;
        this.limits = limits;
        this.serving = serving;
        this.watch = new PeerWatch(engine, directory, this::identified, this::processEnded);
        this.lost = new LostPeers(engine, watch, serving);
        this.listener = new Listener(engine, directory.sockets(), self, greetingNanos, this::greeted);
    }

    Collection<Peer> living() {
        return List.copyOf(living.values());
    }

    /** Name of this context's socket. */
    String address() {
        return self.address();
    }

    // ---- to others

    /** The connected peer; the future fails with ETIMEOUT if it is gone, or does not greet in time. */
    CompletableFuture<Peer> connect(PeerId id, long deadlineNanos) {
        Peer peer = living.get(id);
        if (peer != null && peer.outgoing != null) {
            return CompletableFuture.completedFuture(peer);
        }
        if (!PeerId.isAddress(id.address())) {
            return CompletableFuture.failedFuture(new UrmaException(
                    UrmaStatus.EINVAL, "address '" + id.address() + "'", "is no address of shared memory"));
        }
        OutgoingGreeting attempt = connecting.get(id);
        if (attempt == null) {
            attempt = new OutgoingGreeting(id);
            connecting.put(id, attempt);
            attempt.start();
        } else {
            attempt.prolong();
        }
        return attempt.peer.await(
                engine::at,
                deadlineNanos,
                () -> new UrmaException(
                        UrmaStatus.ETIMEOUT, "home " + id.address(), "did not answer our greeting in time"));
    }

    /** An attempt, from connecting to the peer's greeting. Callers share it, and each has its own deadline. */
    private final class OutgoingGreeting implements Connection.Receiver {
        private final PeerId id;
        private final SharedResult<Peer> peer = new SharedResult<>();
        private long deadlineNanos = System.nanoTime() + greetingNanos;
        private @Nullable Connection connection;
        private Timers.@Nullable Timer timeout;

        OutgoingGreeting(PeerId id) {
            this.id = id;
        }

        /** One more caller joins, for which the peer has as much time as for the first. */
        void prolong() {
            deadlineNanos = System.nanoTime() + greetingNanos;
            Connection to = connection;
            if (to != null) {
                limit(to);
            }
        }

        private void limit(Connection to) {
            cancelTimeout();
            timeout = engine.at(deadlineNanos, () -> to.end("it did not greet in time"));
        }

        private void cancelTimeout() {
            if (timeout != null) {
                timeout.cancel();
            }
        }

        void start() {
            try {
                begin(UnixSocket.connect(directory.sockets(), id.address()));
            } catch (LibcException e) {
                switch (e.errno()) {
                    case Errno.EAGAIN -> retry();
                    case Errno.ENOENT ->
                        fail(gone("no socket of that address is in " + directory
                                + "; it is gone, or its namespace has another directory under that name: "
                                + RuntimeDirectory.mountOf(directory.sockets().path())));
                    case Errno.ECONNREFUSED -> fail(gone("no process listens at its socket"));
                    default -> fail(Failures.of("home " + id.address(), "cannot be reached", e));
                }
            }
        }

        /** The peer's queue of pending connections is full. */
        private void retry() {
            if (deadlineNanos - System.nanoTime() > 0 && !closed) {
                engine.after(CONNECT_RETRY_NANOS, this::start);
            } else {
                fail(gone("its queue of pending connections is full"));
            }
        }

        private void begin(UnixSocket socket) {
            try {
                UnknownPeers.checkUser(socket.peerCredentials());
            } catch (UrmaException e) {
                socket.close();
                fail(e);
                return;
            }
            Connection to = new Connection(engine, socket, this);
            unknownPeers.add(to);
            connection = to;
            limit(to);
            to.send(greeting(id.incarnation()));
        }

        @Override
        public void received(Connection from, ControlMessage message, List<Fd> descriptors) {
            unknownPeers.remove(from);
            switch (message) {
                case Hello hello -> greetedBack(from, hello);
                case Refused refused ->
                    end(from, new UrmaException(refused.status(), "home " + id.address(), refused.reason()));
                default -> end(from, gone("its first message is no greeting"));
            }
        }

        private void greetedBack(Connection from, Hello hello) {
            Optional<String> objection = Compatibility.objection(hello, self);
            if (objection.isPresent()) {
                end(from, new UrmaException(UrmaStatus.FAIL, "home " + id.address(), objection.get()));
            } else if (hello.address().equals(id.address()) && hello.incarnation() == id.incarnation()) {
                accept(from, hello);
            } else {
                end(from, gone("another context has its address"));
            }
        }

        private void accept(Connection from, Hello hello) {
            Peer known = UnknownPeers.saysWhoItIs(hello) ? peerOf(id, hello, from) : null;
            if (known == null || known.outgoing != null) {
                String why = "does not identify itself, or another process has used its name";
                end(from, new UrmaException(UrmaStatus.ENOPERM, "home " + id.address(), why));
                return;
            }
            cancelTimeout();
            known.outgoing = from;
            from.handTo(new Traffic(known));
            connecting.remove(id);
            peer.complete(known);
        }

        private void end(Connection from, UrmaException why) {
            from.close();
            fail(why);
        }

        @Override
        public void ended(Connection ended, String why) {
            unknownPeers.remove(ended);
            fail(gone(why));
        }

        private UrmaException gone(String why) {
            return Requests.gone("home " + id.address(), why);
        }

        private void fail(UrmaException why) {
            cancelTimeout();
            connecting.remove(id);
            peer.fail(why);
        }
    }

    private Hello greeting(long wanted) {
        return self.to(wanted);
    }

    /** The lock of its UASID has named it. */
    private void identified(Peer peer) {
        serving.identified(peer);
        lost.cameAgain(peer);
    }

    /** The connected peer of that id, created if necessary; null if another process has that id. */
    private @Nullable Peer peerOf(PeerId id, Hello hello, Connection connection) {
        int pid = connection.credentials().pid();
        Peer known = living.get(id);
        if (known != null) {
            return known.pid() == pid ? known : null;
        }
        if (!hasRoomFor(pid)) {
            return null;
        }
        Peer peer = new Peer(id, hello.eid(), hello.uasid(), pid, hello.features());
        living.put(id, peer);
        watch.begin(peer, connection);
        return peer;
    }

    private boolean hasRoomFor(int pid) {
        if (pid != 0 && contextsOf(pid) >= limits.ofAProcess()) {
            return false;
        }
        return living.size() + lost.all().size() < limits.all() || hasEvicted();
    }

    /** Evicts the oldest peer that holds nothing, nor may come to use a window; false if there is none. */
    private boolean hasEvicted() {
        Optional<Peer> idle = living.values().stream()
                .filter(peer -> peer.holdsNothing() && !serving.hasWindows(peer))
                .findFirst();
        idle.ifPresent(peer -> lose(peer, "evicted: it held nothing, and a new peer needed its place", false));
        return idle.isPresent();
    }

    private long contextsOf(int pid) {
        return Stream.concat(living.values().stream(), lost.all().stream())
                .filter(peer -> peer.pid() == pid)
                .count();
    }

    // ---- from others

    private void greeted(Connection from, Hello hello) {
        PeerId id = new PeerId(hello.address(), hello.incarnation());
        Peer known = living.get(id);
        if (known != null && known.incoming != null) {
            known.incoming.drain(); // it may have ended without our having looked
        }
        Peer peer = peerOf(id, hello, from);
        if (peer == null || peer.incoming != null) {
            listener.refuse(
                    from,
                    UrmaStatus.ENOPERM,
                    "another process has greeted under that name, or the process has too many contexts");
            return;
        }
        peer.incoming = from;
        from.handTo(new Traffic(peer));
        from.send(greeting(0));
    }

    // ---- while they live

    /** Handles messages of a peer after its greeting. */
    private final class Traffic implements Connection.Receiver {
        private final Peer peer;

        Traffic(Peer peer) {
            this.peer = peer;
        }

        @Override
        public void received(Connection from, ControlMessage message, List<Fd> descriptors) {
            boolean asksUs = from == peer.incoming;
            switch (message) {
                case Goodbye goodbye -> lose(peer, "it said goodbye: " + goodbye.reason(), true);
                case Request request when asksUs -> serving.requested(peer, from, request, descriptors);
                case Refused refused
                when refused.request() == 0 -> from.end("it could not read our message: " + refused.reason());
                case Answer answer when !asksUs -> serving.answered(peer, from, answer, descriptors);
                case Hello again -> from.end("it greeted twice");
                case Notice notice -> serving.noticed(peer, from, notice);
                default -> from.end("it sent a request or an answer on the wrong connection");
            }
        }

        @Override
        public void receivedInPart(Connection from, Answer answer, String why) {
            if (from == peer.incoming) {
                from.end("it sent an answer on the wrong connection");
            } else {
                serving.answeredInPart(peer, from, answer, why);
            }
        }

        @Override
        public void ended(Connection connection, String why) {
            Connection other = connection == peer.incoming ? peer.outgoing : peer.incoming;
            if (other != null) {
                other.drain(); // its goodbye may lie there
            }
            lose(peer, why, false);
        }
    }

    // ---- their end

    private void processEnded(Peer peer) {
        peer.connections().forEach(Connection::drain); // its messages before its end come first
        lose(peer, "its process has ended", false);
        peer.stopWatching();
        lost.prove(peer);
    }

    /** Drops a peer. */
    void lose(Peer peer, String why, boolean saidGoodbye) {
        if (peer.isLost()) {
            return;
        }
        peer.markLost();
        living.remove(peer.id(), peer);
        peer.connections().forEach(Connection::close);
        serving.lost(peer, why);
        // a peer without grants, imports and windows needs no proof, and waiting for its end would cost a descriptor
        boolean isProven = saidGoodbye || peer.hasExited();
        if (isProven || !(peer.mattered || serving.hasWindows(peer))) {
            peer.stopWatching();
            serving.judged(peer, why, true);
            if (isProven) {
                serving.proven(peer);
            } else {
                serving.dropped(peer);
            }
        } else {
            lost.add(peer, why);
        }
    }

    // ---- our end

    /** Accepts no new connections, says goodbye to all peers, and drops those still greeting. */
    void sayGoodbye(String reason) {
        stopConnecting();
        for (Peer peer : living()) {
            for (Connection connection : peer.connections()) {
                connection.send(new Goodbye(reason));
            }
        }
        UrmaException why = new UrmaException(UrmaStatus.EINVAL, engine, "is closed");
        List.copyOf(connecting.values()).forEach(attempt -> attempt.peer.fail(why));
    }

    private void stopConnecting() {
        closed = true;
        listener.close();
        List.copyOf(unknownPeers).forEach(Connection::close);
    }

    /** Whether a message of this context has not left yet. */
    boolean hasPending() {
        return living.values().stream()
                .flatMap(peer -> peer.connections().stream())
                .anyMatch(Connection::hasPending);
    }

    void closeAll() {
        stopConnecting();
        for (Peer peer : living()) {
            peer.connections().forEach(Connection::close);
            peer.stopWatching();
        }
        living.clear();
        lost.close();
    }

    /** The greeting of this version. */
    static Hello hello(Eid eid, int uasid, PeerId id) {
        return new Hello(
                ControlCodec.MAJOR,
                ControlCodec.MINOR,
                ControlCodec.FEATURES,
                0,
                eid,
                uasid,
                id.incarnation(),
                0,
                id.address());
    }
}
