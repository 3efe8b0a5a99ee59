package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaException;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.PeerMessage.Core;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** One context with a clock of its own. Its neighbours are the test, which writes each datagram of theirs itself. */
final class LoneContext implements PeerEvents {
    static final long INCARNATION = 22;
    static final long MILLI = 1_000_000;
    static final long SECOND = 1000 * MILLI;
    static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    /** More than any test has; a context that never comes to rest fails by it, and does not hang. */
    private static final int MAX_RUNS = 10_000;

    record Sent(long atNanos, PortAddress to, ControlDatagram datagram) {}

    /** Another context. The lowest bit of its tag is 0, since it supports no secret. */
    record Neighbour(PortAddress at, long incarnation, long tag, long life) {
        static Neighbour ofHost(int host) {
            return new Neighbour(VirtualNet.address(host), 1000 + host, 2L * (1000 + host), 5);
        }

        Neighbour withTag(long otherTag) {
            return new Neighbour(at, incarnation, otherTag, life);
        }

        Neighbour withLife(long otherLife) {
            return new Neighbour(at, incarnation, tag, otherLife);
        }

        Neighbour withIncarnation(long other) {
            return new Neighbour(at, other, tag, life);
        }

        Neighbour atPort(int udpPort) {
            return new Neighbour(new PortAddress(at.eid(), udpPort), incarnation, tag, life);
        }

        Hello hello() {
            return new Hello(ControlCodec.MAJOR, 0, 0, 0, at.eid(), 1, incarnation, INCARNATION, "pid 1");
        }

        Greeting greeting(Hello hello) {
            return new Greeting(tag, life, new ConnectionEnd(1, 1, 1024), hello);
        }
    }

    final ControlPort port;
    final ControlPlane plane;
    final List<Sent> sent = new ArrayList<>();
    final Set<Peer> holders = new HashSet<>();
    final Set<Peer> granted = new HashSet<>();
    final Set<Peer> dead = new HashSet<>();
    final List<Peer> greeted = new ArrayList<>();
    final List<Long> requested = new ArrayList<>();
    final List<String> lost = new ArrayList<>();
    long now = 1000 * SECOND;

    LoneContext() {
        PortAddress self = VirtualNet.address(2);
        port = new ControlPort(self, this::sent, new byte[32]);
        plane = new ControlPlane(
                port, ControlPlane.hello(self, 2, INCARNATION, "pid 2", 4096), this, new Random(INCARNATION), now);
    }

    private void sent(PortAddress to, ByteBuffer datagram) {
        sent.add(new Sent(now, to, ControlDatagram.decode(datagram)));
    }

    /** Time passes, and each timer runs at its very nanosecond. */
    void pass(long nanos) {
        long end = now + nanos;
        int runs = 0;
        for (long delay = plane.run(now); delay <= end - now; delay = plane.run(now)) {
            now += delay;
            assertThat(++runs).as("runs of timers in " + nanos + " ns").isLessThan(MAX_RUNS);
        }
        now = end;
    }

    // ---- what neighbours send

    void hear(Neighbour from, Kind kind, long number, long tag, long floor, ByteBuffer body) {
        ControlDatagram datagram = new ControlDatagram(
                kind, from.at().udpPort(), number, INCARNATION, from.incarnation(), tag, floor, body);
        port.received(from.at().eid(), datagram.encode(), now);
    }

    /** A greeting with that cookie. */
    void hearGreeting(Neighbour from, long cookie, Hello hello) {
        hear(from, Kind.GREET, 77, cookie, 0, from.greeting(hello).encode());
    }

    /** A greeting that proves its address. */
    void greetedBy(Neighbour from) {
        hearGreeting(from, 0, from.hello());
        ControlDatagram challenge = last();
        assertThat(challenge.kind()).isEqualTo(Kind.CHALLENGE);
        hearGreeting(from, challenge.tag(), from.hello());
    }

    /** A neighbour that has greeted this context, and holds nothing yet. */
    Peer peer(Neighbour neighbour) {
        greetedBy(neighbour);
        assertThat(last().kind()).isEqualTo(Kind.WELCOME);
        return greeted.getLast();
    }

    /** The same, and it holds something. */
    Peer holder(Neighbour neighbour) {
        Peer peer = peer(neighbour);
        holders.add(peer);
        return peer;
    }

    void hearRequest(Neighbour from, Peer peer, long number, long floor) {
        hear(from, Kind.REQUEST, number, peer.ownTag, floor, MessageCodec.encode(new Core(new Unimport(number))));
    }

    void hearAnswer(Neighbour from, Peer peer, long number, PeerMessage answer) {
        hear(from, Kind.ANSWER, number, peer.ownTag, 0, MessageCodec.encode(answer));
    }

    // ---- what this context sends

    CompletableFuture<PeerMessage> ask(Peer peer, long withinNanos) {
        return plane.ask(peer, _ -> new Core(new Unimport(1)), now + withinNanos, now);
    }

    ControlDatagram last() {
        return sent.getLast().datagram();
    }

    List<Sent> sent(Kind kind) {
        return sent.stream().filter(one -> one.datagram().kind() == kind).toList();
    }

    List<Long> numbers(Kind kind) {
        return sent(kind).stream().map(one -> one.datagram().number()).toList();
    }

    /** The time between each datagram and the next, in milliseconds. */
    static List<Long> gapsMillis(List<Sent> datagrams) {
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < datagrams.size(); i++) {
            gaps.add((datagrams.get(i).atNanos() - datagrams.get(i - 1).atNanos()) / MILLI);
        }
        return gaps;
    }

    static UrmaException failureOf(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return (UrmaException) future.exceptionNow();
    }

    @Override
    public ConnectionEnd newHalf() {
        return new ConnectionEnd(9, 9, 1024);
    }

    @Override
    public void greeted(Peer peer) {
        greeted.add(peer);
    }

    @Override
    public void requested(Peer from, long number, PeerMessage request) {
        requested.add(number);
    }

    @Override
    public boolean holds(Peer peer) {
        return holders.contains(peer);
    }

    @Override
    public boolean hasGrants(Peer peer) {
        return granted.contains(peer);
    }

    @Override
    public boolean isDead(Peer peer) {
        return dead.contains(peer);
    }

    @Override
    public void lost(Peer peer, String why) {
        lost.add(why);
    }
}
