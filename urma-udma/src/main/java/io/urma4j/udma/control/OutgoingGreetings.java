package io.urma4j.udma.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.Compatibility;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.support.SharedResult;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.PeerMessage.Core;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The homes that a context greets. A greeting is retransmitted until the home welcomes or refuses it, or its deadline has
 * passed. For one thread.
 */
final class OutgoingGreetings {
    private final ControlClock clock;
    private final ContextSender sender;
    private final Hello self;
    private final Map<PeerTable.Id, Attempt> attempts = new HashMap<>();

    OutgoingGreetings(ControlClock clock, ContextSender sender, Hello self) {
        this.clock = clock;
        this.sender = sender;
        this.self = self;
    }

    /** An outgoing greeting. */
    final class Attempt {
        final long tag;
        final long life;
        final ConnectionEnd half;
        private final SharedResult<Peer> result = new SharedResult<>();
        private final PeerTable.Id id;
        private final long number;
        private final Retransmission retransmission;
        private long cookie;

        private Attempt(PeerTable.Id id, long number, long tag, long life, ConnectionEnd half, long deadlineNanos) {
            this.id = id;
            this.number = number;
            this.tag = tag;
            this.life = life;
            this.half = half;
            this.retransmission = new Retransmission(clock, deadlineNanos);
        }

        private void send() {
            Greeting greeting = new Greeting(tag, life, half, self.to(id.incarnation()));
            sender.send(id, Kind.GREET, number, cookie, 0, greeting.encode());
            retransmission.sent(this::again);
        }

        /** The home as a peer; fails with ETIMEOUT at the deadline of this caller. Others may wait longer. */
        CompletableFuture<Peer> result(long deadlineNanos) {
            retransmission.extend(deadlineNanos, this::again);
            return result.await(clock::at, deadlineNanos, this::late);
        }

        private UrmaException late() {
            return new UrmaException(UrmaStatus.ETIMEOUT, "home at " + id.address(), "does not answer");
        }

        private void again() {
            if (retransmission.isOver()) {
                fail(late());
            } else {
                retransmission.next(true);
                send();
            }
        }

        void succeed(Peer peer) {
            retransmission.cancel();
            attempts.remove(id);
            result.complete(peer);
        }

        private void fail(UrmaException why) {
            retransmission.cancel();
            attempts.remove(id);
            result.fail(why);
        }
    }

    /** The greeting of that home which is in progress; null for none. */
    @Nullable
    Attempt get(PeerTable.Id id) {
        return attempts.get(id);
    }

    /** Greets a home: number and tag are random, the life is larger than all before. */
    Attempt greet(PeerTable.Id id, long number, long tag, long life, ConnectionEnd half, long deadlineNanos) {
        Attempt attempt = new Attempt(id, number, tag, life, half, deadlineNanos);
        attempts.put(id, attempt);
        attempt.send();
        return attempt;
    }

    void cancelAll(Supplier<UrmaException> why) {
        List.copyOf(attempts.values()).forEach(attempt -> attempt.fail(why.get()));
    }

    // ---- answers of homes

    private @Nullable Attempt answered(PortAddress from, ControlDatagram datagram) {
        Attempt attempt = attempts.get(new PeerTable.Id(from, datagram.from()));
        return attempt == null || attempt.number != datagram.number() ? null : attempt;
    }

    /** A home requests a proof of address. */
    void challenged(PortAddress from, ControlDatagram datagram) {
        Attempt attempt = answered(from, datagram);
        if (attempt == null) {
            sender.port().countStale();
        } else if (attempt.cookie != datagram.tag()) {
            attempt.cookie = datagram.tag();
            attempt.retransmission.cancel();
            attempt.send();
        }
    }

    /** A home has welcomed this context: the greeting that succeeds if the home becomes a peer; null for none. */
    @Nullable
    Attempt welcomed(PortAddress from, ControlDatagram datagram, Greeting theirs) {
        Attempt attempt = answered(from, datagram);
        if (attempt == null) {
            sender.port().countStale();
            return null;
        }
        if (datagram.tag() != attempt.tag) {
            return null;
        }
        Optional<String> objection = Compatibility.objection(theirs.hello(), self);
        if (objection.isPresent()) {
            attempt.fail(new UrmaException(UrmaStatus.FAIL, "home at " + from, objection.get()));
            return null;
        }
        if (theirs.hello().incarnation() != attempt.id.incarnation()) {
            attempt.fail(new UrmaException(
                    UrmaStatus.ENOPERM, "home at " + from, "has another incarnation than its descriptor"));
            return null;
        }
        return attempt;
    }

    /** A home does not know the context that this one greets, or refuses the greeting; false if it means no greeting. */
    boolean refused(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        Attempt attempt = answered(from, datagram);
        if (attempt == null) {
            return false;
        }
        attempt.fail(refusal(from, datagram));
        return true;
    }

    private static UrmaException refusal(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        if (datagram.body().hasRemaining() && MessageCodec.decode(datagram.body()) instanceof Core(Refused refused)) {
            return new UrmaException(refused.status(), "home at " + from, refused.reason());
        }
        return new UrmaException(
                UrmaStatus.ETIMEOUT, "home at " + from, "the home is gone: another answers at its address"); // S1.5
    }
}
