package io.urma4j.udma.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.Compatibility;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.support.Timers;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PeerMessage.Ping;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The peers of one context, and the requests to and from them. For one thread; the time is an argument, and futures
 * complete on that thread.
 *
 * <p>A request is retransmitted until its answer arrives or its deadline has passed. The peer executes each request once:
 * it keeps its answers until the requester acknowledges them, at most {@link #WINDOW}.
 */
public final class ControlPlane {
    /** Maximum unanswered requests, per peer and direction. */
    static final int WINDOW = 64;

    static final long FIRST_PAUSE_NANOS = 30_000_000;

    /**
     * How often a greeting, or a request to a peer that holds nothing, is retransmitted before the interval grows: under
     * attack the home drops most packets of unknown peers.
     */
    private static final int QUICK_TRIES = 20;

    private static final long LONGEST_PAUSE_NANOS = 1_000_000_000;

    /** A peer that is silent for this time is pinged, or dropped if it holds nothing. */
    static final long QUIET_NANOS = 4_000_000_000L;

    /** A peer that does not answer for this time is lost. */
    private static final long SILENCE_NANOS = 10_000_000_000L;

    /** The features of this version, of the core and of the network. */
    private static final long FEATURES = ControlCodec.FEATURES | PacketSecret.FEATURE;

    private static final String DEAD = "its process is dead";

    private final ControlPort port;
    private final Hello self;
    private final PeerEvents events;
    private final RandomGenerator random;
    private final Timers timers = new Timers();
    private final PeerTable peers = new PeerTable(this::holds);
    private final Map<PeerTable.Id, Attempt> attempts = new HashMap<>();
    private Timers.@Nullable Timer idleTimer; // when to look at peers that hold nothing
    private long lives;
    private long now;
    private boolean closing;

    /**
     * Opens the control plane of a context.
     *
     * @param self the greeting of this context; {@code wanted} is filled in
     */
    public ControlPlane(ControlPort port, Hello self, PeerEvents events, RandomGenerator random, long nowNanos) {
        this.port = port;
        this.self = self;
        this.events = events;
        this.random = random;
        this.now = nowNanos;
        port.add(this);
    }

    /** The greeting of this version. */
    public static Hello hello(PortAddress at, int uasid, long incarnation, String process) {
        return new Hello(ControlCodec.MAJOR, ControlCodec.MINOR, FEATURES, 0, at.eid(), uasid, incarnation, 0, process);
    }

    long incarnation() {
        return self.incarnation();
    }

    public Collection<Peer> peers() {
        return peers.all();
    }

    int timers() {
        return timers.size();
    }

    // ---- time

    /** Runs expired timers; returns the delay to the next deadline, {@code Long.MAX_VALUE} for none. */
    public long run(long nowNanos) {
        now = nowNanos;
        timers.fire(nowNanos);
        return timers.delayNanos(nowNanos);
    }

    // ---- outgoing greetings

    /** An outgoing greeting. */
    private final class Attempt {
        private final PeerTable.Id id;
        private final long number = random.nextLong();
        private final long tag = newTag();
        private final long life = ++lives;
        private final ConnectionEnd half;
        private final long deadlineNanos;
        private final CompletableFuture<Peer> result = new CompletableFuture<>();
        private long cookie;
        private long pauseNanos = FIRST_PAUSE_NANOS;
        private int tries;
        private Timers.@Nullable Timer timer;

        Attempt(PeerTable.Id id, ConnectionEnd half, long deadlineNanos) {
            this.id = id;
            this.half = half;
            this.deadlineNanos = deadlineNanos;
        }

        void send() {
            port.send(
                    id.address(),
                    new ControlDatagram(
                            Kind.GREET,
                            port.self().udpPort(),
                            number,
                            id.incarnation(),
                            self.incarnation(),
                            cookie,
                            0,
                            greeting(tag, life, half, id.incarnation()).encode()));
            cancelTimer();
            timer = timers.at(earlier(now + pauseNanos, deadlineNanos), this::again);
        }

        private void again() {
            if (deadlineNanos - now <= 0) {
                fail(new UrmaException(UrmaStatus.ETIMEOUT, "home at " + id.address(), "does not answer"));
            } else {
                tries++;
                pauseNanos = tries < QUICK_TRIES ? FIRST_PAUSE_NANOS : longer(pauseNanos);
                send();
            }
        }

        void challenged(long newCookie) {
            if (cookie != newCookie) {
                cookie = newCookie;
                send();
            }
        }

        private void cancelTimer() {
            if (timer != null) {
                timer.cancel();
            }
        }

        void succeed(Peer peer) {
            cancelTimer();
            attempts.remove(id);
            result.complete(peer);
        }

        void fail(UrmaException why) {
            cancelTimer();
            attempts.remove(id);
            events.discard(half);
            result.completeExceptionally(why);
        }
    }

    private static long longer(long pauseNanos) {
        return Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }

    private long newTag() {
        long tag;
        do {
            tag = PacketSecret.tag(random.nextLong(), self.features());
        } while (tag == 0 || peers.byTag(tag) != null);
        return tag;
    }

    private Greeting greeting(long tag, long life, ConnectionEnd half, long wanted) {
        return new Greeting(tag, life, half, self.to(wanted));
    }

    /** The peer at that address, greeted if necessary. The future fails with ETIMEOUT if it does not answer, or is gone. */
    public CompletableFuture<Peer> connect(PortAddress address, long incarnation, long deadlineNanos, long nowNanos) {
        now = nowNanos;
        PeerTable.Id id = new PeerTable.Id(address, incarnation);
        Peer known = peers.get(id);
        if (known != null && (now - known.heardNanos < QUIET_NANOS / 2 || holds(known))) {
            return CompletableFuture.completedFuture(known);
        }
        if (known != null) {
            lose(known, "it was silent, and may have evicted this context", true); // nothing hangs on it: we greet anew
        }
        if (closing) {
            return CompletableFuture.failedFuture(closed());
        }
        Attempt attempt = attempts.get(id);
        if (attempt == null) {
            attempt = new Attempt(id, events.newHalf(), deadlineNanos);
            attempts.put(id, attempt);
            attempt.send();
        }
        return attempt.result;
    }

    private UrmaException closed() {
        return new UrmaException(UrmaStatus.EINVAL, "context " + self.uasid(), "is closed");
    }

    // ---- datagrams

    void received(PortAddress from, ControlDatagram datagram, long nowNanos) throws ControlFormatException {
        now = nowNanos;
        switch (datagram.kind()) {
            case CHALLENGE -> {
                Attempt attempt = attemptOf(from, datagram);
                if (attempt != null) {
                    attempt.challenged(datagram.tag());
                }
            }
            case WELCOME -> welcomed(from, datagram);
            case UNKNOWN -> unknown(from, datagram);
            case REQUEST -> requested(from, datagram);
            case ANSWER -> answered(from, datagram);
            case GREET, ECHO -> throw new IllegalStateException(datagram.kind() + " is the port's affair");
            case ECHOED -> port.countStale(); // no context asks for it
        }
    }

    private @Nullable Attempt attemptOf(PortAddress from, ControlDatagram datagram) {
        Attempt attempt = attempts.get(new PeerTable.Id(from, datagram.from()));
        if (attempt == null || attempt.number != datagram.number()) {
            port.countStale();
            return null;
        }
        return attempt;
    }

    private void welcomed(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        Greeting theirs = Greeting.decode(datagram.body());
        Attempt attempt = attemptOf(from, datagram);
        if (attempt == null || datagram.tag() != attempt.tag) {
            return;
        }
        Optional<String> objection = Compatibility.objection(theirs.hello(), self);
        if (objection.isPresent()) {
            attempt.fail(new UrmaException(UrmaStatus.FAIL, "home at " + from, objection.get()));
            return;
        }
        if (theirs.hello().incarnation() != attempt.id.incarnation()) {
            attempt.fail(new UrmaException(
                    UrmaStatus.ENOPERM, "home at " + from, "has another incarnation than its descriptor"));
            return;
        }
        Peer peer = begin(from, theirs, attempt.tag, attempt.life, attempt.half);
        attempt.succeed(peer);
    }

    private void unknown(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        PeerTable.Id id = new PeerTable.Id(from, datagram.from());
        Attempt attempt = attempts.get(id);
        Peer peer = peers.get(id);
        if (attempt != null && attempt.number == datagram.number()) {
            attempt.fail(refusal(from, datagram));
        } else if (peer != null && peer.peerTag == datagram.tag()) {
            peer.hasEvictedUs = !events.holds(peer);
            lose(peer, "another context has its address, or it no longer knows this one", true);
        } else {
            port.countStale();
        }
    }

    private static UrmaException refusal(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        if (datagram.body().hasRemaining() && MessageCodec.decode(datagram.body()) instanceof Core(Refused refused)) {
            return new UrmaException(refused.status(), "home at " + from, refused.reason());
        }
        return new UrmaException(
                UrmaStatus.ETIMEOUT, "home at " + from, "the home is gone: another answers at its address"); // S1.5
    }

    /** A greeting has arrived from a proven address. */
    void greeted(PortAddress from, ControlDatagram datagram, Greeting theirs, long nowNanos) {
        now = nowNanos;
        PeerTable.Id id = new PeerTable.Id(from, datagram.from());
        Peer known = peers.get(id);
        if (known != null && known.peerTag == theirs.tag()) {
            welcome(known, datagram);
            return;
        }
        if (known != null && theirs.life() <= known.peerLife) {
            port.countStale();
            return;
        }
        Optional<Refused> refused = refusal(from, theirs);
        if (refused.isPresent()) {
            port.unknown(from, datagram, Optional.of(new Core(refused.get())));
            return;
        }
        if (known != null) {
            lose(known, "it evicted this context, and greets again", true);
        }
        welcome(greetedPeer(id, theirs), datagram);
    }

    private Optional<Refused> refusal(PortAddress from, Greeting theirs) {
        Optional<String> objection = Compatibility.objection(self, theirs.hello());
        if (objection.isPresent()) {
            return Optional.of(new Refused(0, UrmaStatus.FAIL, objection.get()));
        }
        if (closing) {
            return Optional.of(new Refused(0, UrmaStatus.ENOPERM, "the context is being closed"));
        }
        return hasRoomFor(from)
                ? Optional.empty()
                : Optional.of(new Refused(0, UrmaStatus.ENOPERM, "the home has too many peers"));
    }

    private boolean hasRoomFor(PortAddress address) {
        for (Peer next = peers.givesWayTo(address); next != null; next = peers.givesWayTo(address)) {
            lose(next, "evicted: it held nothing, and a new peer needed its place", true);
        }
        return peers.hasRoomFor(address);
    }

    /** Whether the peer holds anything, or has pending requests: it is not dropped then. */
    private boolean holds(Peer peer) {
        return !peer.pending.isEmpty() || events.holds(peer);
    }

    private Peer greetedPeer(PeerTable.Id id, Greeting theirs) {
        Attempt ours = attempts.get(id); // both greet at once: then the tag that we sent is the one
        if (ours == null) {
            return begin(id.address(), theirs, newTag(), ++lives, events.newHalf());
        }
        Peer peer = begin(id.address(), theirs, ours.tag, ours.life, ours.half);
        ours.succeed(peer);
        return peer;
    }

    private Peer begin(PortAddress from, Greeting theirs, long ownTag, long ownLife, ConnectionEnd half) {
        Peer peer = new Peer(from, theirs, self.features(), ownTag, ownLife, half, now);
        events.greeted(peer); // first: one whose end cannot be made is no peer
        peers.add(peer);
        watch(peer);
        return peer;
    }

    private void welcome(Peer peer, ControlDatagram greeting) {
        peers.heard(peer, now);
        port.send(
                peer.address(),
                new ControlDatagram(
                        Kind.WELCOME,
                        port.self().udpPort(),
                        greeting.number(),
                        peer.incarnation(),
                        self.incarnation(),
                        peer.peerTag,
                        0,
                        greeting(peer.ownTag, peer.ownLife, peer.own(), peer.incarnation())
                                .encode()));
    }

    /** The peer with that tag and address; null if there is none. */
    private @Nullable Peer sender(PortAddress from, ControlDatagram datagram) {
        Peer peer = peers.byTag(datagram.tag());
        if (peer == null || !peer.address().equals(from) || peer.incarnation() != datagram.from()) {
            port.countStale();
            return null;
        }
        peers.heard(peer, now);
        return peer;
    }

    // ---- requests of peers

    private void requested(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        Peer peer = sender(from, datagram);
        if (peer == null) {
            // a peer that this context greets may know it already, if its WELCOME was lost: it will repeat that
            if (!attempts.containsKey(new PeerTable.Id(from, datagram.from()))) {
                port.unknown(from, datagram);
            }
            return;
        }
        long number = datagram.number();
        if (datagram.floor() > number) { // a request itself is unanswered; else later ones would lie below the floor
            throw new ControlFormatException("request " + number + " lies below its floor " + datagram.floor());
        }
        peer.raiseFloor(datagram.floor());
        if (!peer.mayAsk(number)) {
            port.countStale();
            return;
        }
        Peer.Given given = peer.answers.get(number);
        if (given != null) {
            repeat(peer, number, given);
            return;
        }
        peer.answers.put(number, new Peer.Given(null));
        try {
            serve(peer, number, MessageCodec.decode(datagram.body()));
        } catch (ControlFormatException e) { // of a later version, perhaps: it should not have to wait to find out
            answer(peer, number, new Core(new Refused(number, UrmaStatus.FAIL, String.valueOf(e.getMessage()))));
            throw e;
        }
    }

    private void serve(Peer peer, long number, PeerMessage request) {
        if (request instanceof Ping) {
            answer(peer, number, new Ping());
        } else if (request instanceof Core(Goodbye goodbye)) {
            answer(peer, number, new Ping());
            lose(peer, "it said goodbye: " + goodbye.reason(), true);
        } else {
            events.requested(peer, number, request);
        }
    }

    /** Answers a request of a peer, once. */
    public void answer(Peer to, long number, PeerMessage message) {
        if (to.isLost() || !to.answers.containsKey(number)) {
            return; // it waits no more
        }
        Peer.Given given = new Peer.Given(MessageCodec.encode(message));
        to.answers.put(number, given);
        repeat(to, number, given);
    }

    private void repeat(Peer to, long number, Peer.Given given) {
        if (given.body() != null) {
            send(to, Kind.ANSWER, number, given.body());
        }
    }

    private void send(Peer to, Kind kind, long number, ByteBuffer body) {
        long floor = to.pending.isEmpty() ? to.lastNumber + 1 : to.pending.firstKey();
        port.send(
                to.address(),
                new ControlDatagram(
                        kind,
                        port.self().udpPort(),
                        number,
                        to.incarnation(),
                        self.incarnation(),
                        to.peerTag,
                        floor,
                        body));
    }

    // ---- requests to peers

    /**
     * Sends a request to a peer. The future fails with the status of a refusal, or with ETIMEOUT.
     *
     * @param request creates it from its number
     */
    public CompletableFuture<PeerMessage> ask(
            Peer peer, LongFunction<PeerMessage> request, long deadlineNanos, long nowNanos) {
        now = nowNanos;
        if (peer.isLost()) {
            return CompletableFuture.failedFuture(gone(peer, String.valueOf(peer.whyLost())));
        }
        long number = ++peer.lastNumber;
        PeerMessage message = request.apply(number);
        Pending asked = new Pending(
                number, nameOf(message), MessageCodec.encode(message), deadlineNanos, new CompletableFuture<>());
        if (peer.pending.isEmpty() || number - peer.pending.firstKey() < WINDOW) {
            begin(peer, asked);
        } else {
            peer.waiting.add(asked);
        }
        return asked.answer;
    }

    private static String nameOf(PeerMessage message) {
        return message instanceof Core core
                ? core.message().getClass().getSimpleName()
                : message.getClass().getSimpleName();
    }

    private void begin(Peer peer, Pending asked) {
        peer.pending.put(asked.number, asked);
        send(peer, asked);
    }

    private void send(Peer peer, Pending asked) {
        send(peer, Kind.REQUEST, asked.number, asked.body);
        asked.timer = timers.at(earlier(now + asked.pauseNanos, asked.deadlineNanos), () -> again(peer, asked));
    }

    private void again(Peer peer, Pending asked) {
        if (asked.deadlineNanos - now > 0) {
            asked.tries++;
            boolean isStranger = asked.tries < QUICK_TRIES && !events.holds(peer); // there we are one as well
            asked.pauseNanos = isStranger ? FIRST_PAUSE_NANOS : longer(asked.pauseNanos);
            if (events.isDead(peer)) {
                lose(peer, DEAD, true);
            } else {
                send(peer, asked);
            }
        } else {
            end(peer, asked);
            asked.answer.completeExceptionally(
                    new UrmaException(UrmaStatus.ETIMEOUT, peer, "did not answer " + asked.what + " in time"));
        }
    }

    private void end(Peer peer, Pending asked) {
        asked.cancelTimer();
        peer.pending.remove(asked.number);
        while (!peer.waiting.isEmpty()
                && (peer.pending.isEmpty() || peer.waiting.getFirst().number - peer.pending.firstKey() < WINDOW)) {
            begin(peer, peer.waiting.removeFirst());
        }
    }

    private void answered(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        Peer peer = sender(from, datagram);
        Pending asked = peer == null ? null : peer.pending.get(datagram.number());
        if (peer == null || asked == null) {
            port.countStale();
            return;
        }
        end(peer, asked);
        PeerMessage answer;
        try {
            answer = MessageCodec.decode(datagram.body());
        } catch (ControlFormatException e) {
            asked.answer.completeExceptionally(new UrmaException(
                    UrmaStatus.FAIL,
                    peer,
                    "answered " + asked.what + " with an unreadable message: " + e.getMessage(),
                    e));
            throw e;
        }
        if (answer instanceof Core(Refused refused)) {
            UrmaStatus status = refused.status() == UrmaStatus.SUCCESS ? UrmaStatus.FAIL : refused.status();
            asked.answer.completeExceptionally(new UrmaException(status, peer, refused.reason()));
        } else {
            asked.answer.complete(answer);
        }
    }

    // ---- life and death

    /** Schedules a check of a peer for the time when it may have been silent for too long; it was just heard or checked. */
    private void watch(Peer peer) {
        peer.cancelLook();
        if (holds(peer)) {
            peers.isHolder(peer);
            peer.look = timers.at(peer.heardNanos + QUIET_NANOS, () -> look(peer));
        } else {
            peers.isIdle(peer);
            watchIdle();
        }
    }

    private void look(Peer peer) {
        if (now - peer.heardNanos >= QUIET_NANOS && holds(peer)) {
            ping(peer);
        } else {
            watch(peer);
        }
    }

    /** One timer for all peers that hold nothing: an attack leaves no more timers than the table has places. */
    private void watchIdle() {
        Peer first = peers.longestIdle();
        if (first != null && idleTimer == null) {
            idleTimer = timers.at(first.heardNanos + QUIET_NANOS, this::lookAtIdle);
        }
    }

    private void lookAtIdle() {
        idleTimer = null;
        for (Peer peer = peers.longestIdle();
                peer != null && now - peer.heardNanos >= QUIET_NANOS;
                peer = peers.longestIdle()) {
            if (holds(peer)) {
                peers.isHolder(peer);
                ping(peer);
            } else {
                lose(peer, "it was silent, and held nothing", true);
            }
        }
        watchIdle();
    }

    /** Checks whether a peer is still alive: there is reason to doubt it. */
    public void doubt(Peer peer, long nowNanos) {
        now = nowNanos;
        if (!peer.isLost() && events.isDead(peer)) {
            lose(peer, DEAD, true);
        } else if (!peer.isLost()) {
            ping(peer);
        }
    }

    private void ping(Peer peer) {
        if (peer.pinging) {
            return;
        }
        peer.pinging = true;
        var _ = ask(peer, _ -> new Ping(), now + SILENCE_NANOS, now).whenComplete((_, failure) -> {
            peer.pinging = false;
            if (failure == null) {
                watch(peer);
            } else if (!peer.isLost()) {
                lose(peer, "it has not answered for " + SILENCE_NANOS / 1_000_000_000L + " s", false);
            }
        });
    }

    /** Drops a peer. */
    public void lose(Peer peer, String why, boolean proven) {
        if (peer.isLost()) {
            return;
        }
        peer.markLost(why);
        peer.cancelLook();
        peers.remove(peer);
        peer.answers.clear();
        List<Pending> unanswered = List.copyOf(peer.pending.values());
        List<Pending> unasked = List.copyOf(peer.waiting);
        peer.pending.clear();
        peer.waiting.clear();
        events.lost(peer, why, proven);
        unanswered.forEach(asked -> {
            asked.cancelTimer();
            asked.answer.completeExceptionally(gone(peer, why));
        });
        unasked.forEach(asked -> asked.answer.completeExceptionally(gone(peer, why)));
    }

    private static UrmaException gone(Peer peer, String why) {
        return new UrmaException(UrmaStatus.ETIMEOUT, peer, "the home is gone: " + why);
    }

    /**
     * Accepts no new peers, cancels outgoing greetings, and says goodbye to all; the future completes once all have
     * acknowledged it, or at the deadline.
     */
    public CompletableFuture<Void> sayGoodbye(String reason, long deadlineNanos, long nowNanos) {
        now = nowNanos;
        closing = true;
        List.copyOf(attempts.values()).forEach(attempt -> attempt.fail(closed()));
        CompletableFuture<?>[] all = peers.all().stream()
                .map(peer -> ask(peer, _ -> new Core(new Goodbye(reason)), deadlineNanos, nowNanos)
                        .handle((_, _) -> peer))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(all);
    }

    /** Closes; later datagrams to this context are answered with UNKNOWN. */
    public void close() {
        closing = true;
        port.remove(this);
        peers.all().forEach(peer -> lose(peer, "this context is closed", true));
        List.copyOf(attempts.values()).forEach(attempt -> attempt.fail(closed()));
    }
}
