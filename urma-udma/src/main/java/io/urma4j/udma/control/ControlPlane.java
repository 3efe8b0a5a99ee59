package io.urma4j.udma.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.Compatibility;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PeerMessage.Ping;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The peers of one context, and the requests to and from them. For one thread; the time is an argument, and futures
 * complete on that thread.
 *
 * <p>This class has the peers that greet, and their requests. Homes that the context greets are the part of
 * {@link OutgoingGreetings}, requests to peers that of {@link Requests}, silent peers that of {@link Liveness}. Each request
 * is executed once: the context keeps its answers until the requester acknowledges them, at most {@link #WINDOW}.
 */
public final class ControlPlane {
    /** Maximum unanswered requests, per peer and direction. */
    static final int WINDOW = 64;

    /** The features of this version, of the core and of the network; those of long packets depend on the port. */
    private static final long FEATURES = ControlCodec.FEATURES | PacketSecret.FEATURE | LongPackets.FRAGMENTS;

    private final ControlPort port;
    private final Hello self;
    private final PeerEvents events;
    private final RandomGenerator random;
    private final ControlClock clock;
    private final ContextSender sender;
    private final PeerTable peers;
    private final OutgoingGreetings greetings;
    private final Requests requests;
    private final Liveness liveness;
    private long lives;
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
        this.clock = new ControlClock(nowNanos);
        this.sender = new ContextSender(port, self.incarnation());
        this.peers = new PeerTable(peer -> peer.holds(events));
        this.greetings = new OutgoingGreetings(clock, sender, self);
        this.requests = new Requests(clock, sender, peers, events);
        this.liveness = new Liveness(clock, peers, events, requests);
        port.add(this);
    }

    /** The greeting of this version, of a port with that path MTU. */
    public static Hello hello(PortAddress at, int uasid, long incarnation, String process, int mtuBytes) {
        long features = FEATURES | LongPackets.features(mtuBytes);
        return new Hello(ControlCodec.MAJOR, ControlCodec.MINOR, features, 0, at.eid(), uasid, incarnation, 0, process);
    }

    long incarnation() {
        return self.incarnation();
    }

    public Collection<Peer> peers() {
        return peers.all();
    }

    int timers() {
        return clock.timers();
    }

    // ---- time

    /** Runs expired timers; returns the delay to the next deadline, {@code Long.MAX_VALUE} for none. */
    public long run(long nowNanos) {
        return clock.run(nowNanos);
    }

    // ---- outgoing greetings

    private long newTag() {
        long tag;
        do {
            tag = PacketSecret.tag(random.nextLong(), self.features());
        } while (tag == 0 || peers.byTag(tag) != null);
        return tag;
    }

    /** The peer at that address, greeted if necessary. The future fails with ETIMEOUT if it does not answer, or is gone. */
    public CompletableFuture<Peer> connect(PortAddress address, long incarnation, long deadlineNanos, long nowNanos) {
        clock.set(nowNanos);
        PeerTable.Id id = new PeerTable.Id(address, incarnation);
        Peer known = peers.get(id);
        if (known != null
                && !known.hasEvictedUs
                && (clock.now() - known.heardNanos < Liveness.QUIET_NANOS / 2 || known.holds(events))) {
            return CompletableFuture.completedFuture(known);
        }
        if (known != null) {
            drop(known, "it was silent, and may have evicted this context"); // nothing hangs on it: we greet anew
        }
        if (closing) {
            return CompletableFuture.failedFuture(closed());
        }
        OutgoingGreetings.Attempt attempt = greetings.get(id);
        if (attempt == null) {
            attempt = greetings.greet(id, random.nextLong(), newTag(), ++lives, events.newHalf(), deadlineNanos);
        }
        return attempt.result(deadlineNanos);
    }

    private UrmaException closed() {
        return new UrmaException(UrmaStatus.EINVAL, "context " + self.uasid(), "is closed");
    }

    // ---- datagrams

    void received(PortAddress from, ControlDatagram datagram, long nowNanos) throws ControlFormatException {
        clock.set(nowNanos);
        switch (datagram.kind()) {
            case CHALLENGE -> greetings.challenged(from, datagram);
            case WELCOME -> welcomed(from, datagram);
            case UNKNOWN -> unknown(from, datagram);
            case REQUEST -> requested(from, datagram);
            case ANSWER -> answered(from, datagram);
            case GREET, ECHO -> throw new IllegalStateException(datagram.kind() + " is the port's affair");
            case ECHOED -> port.countStale(); // no context asks for it
        }
    }

    private void welcomed(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        Greeting theirs = Greeting.decode(datagram.body());
        OutgoingGreetings.Attempt ours = greetings.welcomed(from, datagram, theirs);
        if (ours != null) {
            ours.succeed(begin(from, theirs, ours.tag, ours.life, ours.half));
        }
    }

    private void unknown(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        if (greetings.refused(from, datagram)) {
            return;
        }
        Peer peer = peers.get(new PeerTable.Id(from, datagram.from()));
        if (peer != null && peer.peerTag == datagram.tag()) {
            peer.hasEvictedUs = !events.holds(peer);
            if (datagram.floor() == 0) {
                lose(peer, "another context has its address, or it no longer knows this one");
            } else if (!liveness.staysUnknown(peer)) {
                drop(peer, "it no longer knows this context");
            }
        } else {
            port.countStale();
        }
    }

    /** A greeting has arrived from a proven address. */
    void greeted(PortAddress from, ControlDatagram datagram, Greeting theirs, long nowNanos) {
        clock.set(nowNanos);
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
        Refused refused = refusal(from, theirs);
        if (refused != null) {
            port.unknown(from, datagram, new Core(refused));
            return;
        }
        if (known != null) {
            drop(known, "it evicted this context, and greets again");
        }
        welcome(greetedPeer(id, theirs), datagram);
    }

    private @Nullable Refused refusal(PortAddress from, Greeting theirs) {
        Optional<String> objection = Compatibility.objection(self, theirs.hello());
        if (objection.isPresent()) {
            return new Refused(0, UrmaStatus.FAIL, objection.get());
        }
        if (closing) {
            return new Refused(0, UrmaStatus.ENOPERM, "the context is being closed");
        }
        return hasRoomFor(from) ? null : new Refused(0, UrmaStatus.ENOPERM, "the home has too many peers");
    }

    private boolean hasRoomFor(PortAddress address) {
        for (Peer next = peers.givesWayTo(address); next != null; next = peers.givesWayTo(address)) {
            drop(next, "evicted: it held nothing, and a new peer needed its place");
        }
        return peers.hasRoomFor(address);
    }

    private Peer greetedPeer(PeerTable.Id id, Greeting theirs) {
        OutgoingGreetings.Attempt ours = greetings.get(id); // both greet at once: then the tag that we sent is the one
        if (ours == null) {
            return begin(id.address(), theirs, newTag(), ++lives, events.newHalf());
        }
        Peer peer = begin(id.address(), theirs, ours.tag, ours.life, ours.half);
        ours.succeed(peer);
        return peer;
    }

    private Peer begin(PortAddress from, Greeting theirs, long ownTag, long ownLife, ConnectionEnd half) {
        Peer peer = new Peer(from, theirs, self.features(), ownTag, ownLife, half, clock.now());
        events.greeted(peer); // first: one whose end cannot be made is no peer
        peers.add(peer);
        liveness.watch(peer);
        return peer;
    }

    private void welcome(Peer peer, ControlDatagram greeting) {
        peers.heard(peer, clock.now());
        Greeting own = new Greeting(peer.ownTag, peer.ownLife, peer.own(), self.to(peer.incarnation()));
        sender.send(PeerTable.Id.of(peer), Kind.WELCOME, greeting.number(), peer.peerTag, 0, own.encode());
    }

    /** The peer with that tag and address; null if there is none. */
    private @Nullable Peer senderOf(PortAddress from, ControlDatagram datagram) {
        Peer peer = peers.byTag(datagram.tag());
        if (peer == null || !peer.address().equals(from) || peer.incarnation() != datagram.from()) {
            port.countStale();
            return null;
        }
        peers.heard(peer, clock.now());
        return peer;
    }

    // ---- requests of peers

    private void requested(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        Peer peer = senderOf(from, datagram);
        if (peer == null) {
            // a peer that this context greets may know it already, if its WELCOME was lost: it will repeat that
            if (greetings.get(new PeerTable.Id(from, datagram.from())) == null) {
                port.unknownTag(from, datagram);
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
        if (peer.answers.containsKey(number)) {
            repeat(peer, number);
            return;
        }
        peer.answers.put(number, null);
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
            lose(peer, "it said goodbye: " + goodbye.reason());
        } else {
            events.requested(peer, number, request);
        }
    }

    /** Whether a peer still waits for the answer to a request. */
    public boolean isAwaited(Peer peer, long number) {
        return !peer.isLost() && peer.answers.containsKey(number);
    }

    /** Answers a request of a peer, once. */
    public void answer(Peer to, long number, PeerMessage message) {
        if (!isAwaited(to, number)) {
            return;
        }
        to.answers.put(number, MessageCodec.encode(message));
        repeat(to, number);
    }

    private void repeat(Peer to, long number) {
        ByteBuffer body = to.answers.get(number);
        if (body != null) {
            sender.send(to, Kind.ANSWER, number, body);
        }
    }

    // ---- requests to peers

    /**
     * Sends a request to a peer. The future fails with the status of a refusal, or with ETIMEOUT.
     *
     * @param request creates it from its number
     */
    public CompletableFuture<PeerMessage> ask(
            Peer peer, LongFunction<PeerMessage> request, long deadlineNanos, long nowNanos) {
        clock.set(nowNanos);
        return requests.ask(peer, request, deadlineNanos);
    }

    /**
     * The same for a request by which the peer gives something.
     *
     * @param unclaimed takes an answer that comes after the deadline: what it gives belongs to no caller
     */
    public CompletableFuture<PeerMessage> obtain(
            Peer peer,
            LongFunction<PeerMessage> request,
            long deadlineNanos,
            long nowNanos,
            Consumer<PeerMessage> unclaimed) {
        clock.set(nowNanos);
        return requests.ask(peer, request, deadlineNanos, unclaimed);
    }

    private void answered(PortAddress from, ControlDatagram datagram) throws ControlFormatException {
        Peer peer = senderOf(from, datagram);
        if (peer != null) {
            requests.answered(peer, datagram);
        }
    }

    // ---- life and death

    /** Checks whether a peer is still alive: there is reason to doubt it. */
    public void doubt(Peer peer, long nowNanos) {
        clock.set(nowNanos);
        liveness.doubt(peer);
    }

    /** A peer is gone: ends what it has here. */
    public void lose(Peer peer, String why) {
        requests.lose(peer, why);
    }

    /** Drops a peer that may live on, and greet again. */
    void drop(Peer peer, String why) {
        requests.drop(peer, why);
    }

    /**
     * Accepts no new peers, cancels outgoing greetings, and says goodbye to all; the future completes once all have
     * acknowledged it, or at the deadline.
     */
    public CompletableFuture<Void> sayGoodbye(String reason, long deadlineNanos, long nowNanos) {
        clock.set(nowNanos);
        closing = true;
        greetings.cancelAll(this::closed);
        CompletableFuture<?>[] all = peers.all().stream()
                .map(peer -> requests.ask(peer, _ -> new Core(new Goodbye(reason)), deadlineNanos)
                        .handle((_, _) -> peer))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(all);
    }

    /** Closes; later datagrams to this context are answered with UNKNOWN. */
    public void close() {
        closing = true;
        port.remove(this);
        peers.all().forEach(peer -> lose(peer, "this context is closed"));
        greetings.cancelAll(this::closed);
    }
}
