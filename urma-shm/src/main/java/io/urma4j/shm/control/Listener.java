package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Epoll;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.UnixSocket;
import io.urma4j.spi.control.Compatibility;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.support.Timers;
import java.lang.System.Logger.Level;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the connections of other contexts, and checks their greetings. Callers are bounded in number and time until they
 * have greeted. The engine's thread.
 */
final class Listener {
    private static final System.Logger LOG = System.getLogger(Listener.class.getName());
    private static final LimitedWarnings WARNINGS = new LimitedWarnings(LOG);

    private static final int BACKLOG = 128;
    private static final int ACCEPTS_PER_ROUND = 16;
    private static final long ACCEPT_PAUSE_NANOS = 100_000_000;

    /** Maximum connections without a greeting; a peer that greets at once is never among the oldest of them. */
    static final int MAX_STRANGERS = 256;

    private final Engine engine;
    private final Hello self;
    private final long greetingNanos;
    private final BiConsumer<Connection, Hello> greeted;
    private final UnixSocket socket;
    private final Engine.Watch watch;
    private final SequencedSet<Connection> callers = new LinkedHashSet<>(); // those that have not greeted us yet
    private boolean closed;
    private boolean acceptFailed;

    /**
     * Starts to listen.
     *
     * @param self the greeting of this context
     * @param greetingNanos timeout for the greetings of others
     * @param greeted takes connections with valid greetings
     */
    Listener(Engine engine, Dir sockets, Hello self, long greetingNanos, BiConsumer<Connection, Hello> greeted) {
        this.engine = engine;
        this.self = self;
        this.greetingNanos = greetingNanos;
        this.greeted = greeted;
        this.socket = listen(sockets, self.address());
        this.watch = engine.watch(socket.fd(), Epoll.IN, ready -> acceptSome());
    }

    private static UnixSocket listen(Dir sockets, String address) {
        try {
            return UnixSocket.listen(sockets, address, BACKLOG);
        } catch (LibcException e) {
            throw RuntimeDirectory.noRoom(sockets, e);
        }
    }

    private void acceptSome() {
        try {
            for (int i = 0; i < ACCEPTS_PER_ROUND; i++) {
                if (engine.closer().isBehind()) {
                    pauseAccepting(); // each caller could bring more descriptors
                    return;
                }
                Optional<UnixSocket> caller = socket.accept();
                if (caller.isEmpty()) {
                    return;
                }
                accept(caller.get());
            }
        } catch (LibcException e) {
            if (!acceptFailed) {
                acceptFailed = true; // once: with no descriptors left, each round would say so
                LOG.log(Level.WARNING, () -> engine + " cannot accept peers at the moment: " + e.getMessage());
            }
            pauseAccepting();
        }
    }

    private void pauseAccepting() {
        watch.modify(0);
        engine.after(ACCEPT_PAUSE_NANOS, () -> {
            if (!closed) {
                watch.modify(Epoll.IN);
            }
        });
    }

    private void accept(UnixSocket caller) {
        try {
            UnknownPeers.checkUser(caller.peerCredentials());
        } catch (UrmaException e) {
            WARNINGS.log(() -> engine + " refused a connection: " + e.getMessage());
            caller.close();
            return;
        }
        if (callers.size() >= MAX_STRANGERS) {
            callers.getFirst().end("limit of " + MAX_STRANGERS + " unidentified connections reached");
        }
        Greeting greeting = new Greeting();
        Connection connection = new Connection(engine, caller, greeting);
        callers.add(connection);
        greeting.timeout = engine.after(greetingNanos, () -> connection.end("it did not greet in time"));
    }

    /** Waits for the greeting of a connecting peer. */
    private final class Greeting implements Connection.Receiver {
        private Timers.@Nullable Timer timeout;

        private void isStrangerNoMore(Connection connection) {
            callers.remove(connection);
            if (timeout != null) {
                timeout.cancel(); // or it would keep the connection in memory until then
            }
        }

        @Override
        public void received(Connection from, ControlMessage message, List<Fd> descriptors) {
            isStrangerNoMore(from);
            if (!(message instanceof Hello hello)) {
                from.close();
                return;
            }
            Optional<String> objection = Compatibility.objection(self, hello);
            if (objection.isPresent()) {
                refuse(from, UrmaStatus.FAIL, objection.get());
            } else if (!UnknownPeers.saysWhoItIs(hello)) {
                refuse(from, UrmaStatus.ENOPERM, "refused a greeting without a valid identity");
            } else if (hello.wanted() != self.incarnation()) {
                refuse(from, UrmaStatus.ETIMEOUT, "the home is gone: another context has its address"); // S1.5
            } else {
                greeted.accept(from, hello);
            }
        }

        @Override
        public void ended(Connection connection, String why) {
            isStrangerNoMore(connection);
        }
    }

    /** Refuses a greeting, and closes its connection. */
    void refuse(Connection from, UrmaStatus status, String reason) {
        LOG.log(Level.DEBUG, () -> engine + " refused " + from + ": " + reason);
        from.send(new Refused(0, status, reason));
        from.close();
    }

    /** Accepts no more connections, and closes those without a greeting. Idempotent. */
    void close() {
        closed = true;
        watch.end();
        socket.close();
        List.copyOf(callers).forEach(Connection::close);
    }
}
