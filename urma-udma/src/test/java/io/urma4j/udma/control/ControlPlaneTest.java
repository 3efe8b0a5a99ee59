package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Eid;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.PeerMessage.Core;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The control protocol of the network, under a clock of its own. */
class ControlPlaneTest {
    private static final int FLOOR_AT = 48; // its lowest byte: docs of ControlDatagram
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();
    private static final int SEEDS = 200;
    private static final int INPUTS = Boolean.getBoolean("urma.full") ? 1_000_000 : 10_000;

    private static UrmaException failureOf(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        Throwable failure = future.exceptionNow();
        return (UrmaException) (failure instanceof UrmaException ? failure : failure.getCause());
    }

    @Test
    void whoGreetsIsKnownAfterTwoRoundTrips() {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        long start = net.now();

        var peer = a.connect(b);

        assertThat(net.runUntil(peer::isDone, MINUTE)).isTrue();
        assertThat(net.now() - start).isLessThanOrEqualTo(4 * 100_000);
        assertThat(b.greeted).singleElement().satisfies(back -> {
            assertThat(back.theirs()).isEqualTo(peer.join().own());
            assertThat(back.own()).isEqualTo(peer.join().theirs());
        });
    }

    /** S12.4, S1.5: what a lossy network does to requests: each is done once, and each ends. */
    @Test
    void eachRequestIsDoneOnceThroughLossDoublingAndReordering() {
        long base = Long.getLong("urma.seed", 42);
        for (long seed = base; seed < base + SEEDS; seed++) {
            var net = new VirtualNet(seed, 0.3, 0.2);
            Node a = net.node(1, 11);
            Node b = net.node(2, 22);
            List<CompletableFuture<PeerMessage>> answers = new ArrayList<>();
            for (long grant = 1; grant <= 100; grant++) {
                answers.add(a.unimport(b, grant));
                answers.add(b.unimport(a, grant));
            }

            boolean ended = net.runUntil(() -> answers.stream().allMatch(CompletableFuture::isDone), MINUTE);

            String which = "-Durma.seed=" + seed;
            assertThat(ended).as(which).isTrue();
            for (int i = 0; i < answers.size(); i++) {
                boolean odd = (i / 2 + 1 & 1) == 1;
                assertThat(answers.get(i).isCompletedExceptionally()).as(which).isEqualTo(!odd);
            }
            assertThat(a.served)
                    .as(which)
                    .hasSize(100)
                    .allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
            assertThat(b.served)
                    .as(which)
                    .hasSize(100)
                    .allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
            assertThat(a.greeted).as(which).hasSize(1);
            assertThat(b.greeted).as(which).hasSize(1);
        }
    }

    @Test
    void aContextCanGreetItself() {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);

        var answer = a.unimport(a, 5);

        assertThat(net.runUntil(answer::isDone, MINUTE)).isTrue();
        assertThat(answer).isCompleted();
        assertThat(a.greeted).hasSize(1);
    }

    /** S1.5, S12.5: a successor at the same address is another one, and that proves the death of the first. */
    @Test
    void anotherIncarnationProvesThatTheFirstIsGone() {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        var peer = a.connect(b);
        assertThat(net.runUntil(peer::isDone, MINUTE)).isTrue();
        net.cut(b);
        Node successor = net.node(2, 23);

        var answer = a.unimport(b, 1);
        assertThat(net.runUntil(answer::isDone, MINUTE)).isTrue();
        assertThat(failureOf(answer).status()).isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(a.lost).singleElement().asString().startsWith("another context has its address");

        var again = a.connect(successor, 22);
        assertThat(net.runUntil(again::isDone, MINUTE)).isTrue();
        assertThat(failureOf(again)).hasMessageContaining("gone");
    }

    /** S12.4: silence is no proof, but it ends in time. */
    @Test
    void aSilentPeerIsGivenUpUnproven() {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        assertThat(net.runUntil(a.connect(b)::isDone, MINUTE)).isTrue();
        net.cut(b);

        assertThat(net.runUntil(() -> !a.lost.isEmpty(), MINUTE)).isTrue();

        assertThat(a.lost).singleElement().asString().startsWith("it has not answered");
    }

    @Test
    void aLivingPeerIsNeverGivenUp() {
        var net = new VirtualNet(3, 0.3, 0.1);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        assertThat(net.runUntil(a.connect(b)::isDone, MINUTE)).isTrue();

        net.runUntil(() -> false, 30 * MINUTE);

        assertThat(a.lost).isEmpty();
        assertThat(b.lost).isEmpty();
    }

    @Test
    void goodbyeIsHeardThroughLoss() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            var net = new VirtualNet(seed, 0.3, 0.2);
            Node a = net.node(1, 11);
            Node b = net.node(2, 22);
            assertThat(net.runUntil(a.connect(b)::isDone, MINUTE)).isTrue();

            var said = a.plane().sayGoodbye("done", net.now() + MINUTE, net.now());

            assertThat(net.runUntil(said::isDone, MINUTE)).as("seed " + seed).isTrue();
            assertThat(b.lost).as("seed " + seed).singleElement().asString().startsWith("it said goodbye");
        }
    }

    @Test
    void nobodyAtTheAddressEndsAtTheDeadline() {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        net.cut(b);

        var peer = a.connect(b);

        assertThat(net.runUntil(peer::isDone, MINUTE)).isTrue();
        assertThat(failureOf(peer).status()).isEqualTo(UrmaStatus.ETIMEOUT);
    }

    /** Else half a peer would stay: known to the control plane, and without a connection. */
    @Test
    void aPeerWhoseEndOfTheConnectionCannotBeMadeIsNone() {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        b.hasNoRoom = true;
        var peer = a.connect(b);

        assertThatThrownBy(() -> net.runUntil(peer::isDone, MINUTE)).hasMessageContaining("no end can be made");
        assertThat(b.plane().peers()).isEmpty();

        b.hasNoRoom = false;
        assertThat(net.runUntil(peer::isDone, MINUTE)).isTrue();
        assertThat(peer).isCompleted();
        assertThat(b.plane().peers()).hasSize(1);
    }

    /** A forged source makes us keep nothing, and draws no more bytes than it costs. */
    @Test
    void aSpoofedGreetingLeavesNothingAndIsNotAmplified() {
        var net = new VirtualNet(1, 0, 0);
        Node b = net.node(2, 22);
        for (int i = 0; i < INPUTS; i++) {
            Eid victim = Eid.ofIpv4(0x0B00_0000 + i);
            PortAddress claimed = new PortAddress(victim, 4791);
            var hello = ControlPlane.hello(claimed, 1, i + 1, "pid 1", 4096);
            var wanted = new Hello(hello.major(), hello.minor(), 0, 0, victim, 1, i + 1, 22, "pid 1");
            ByteBuffer greeting = new ControlDatagram(
                            Kind.GREET,
                            4791,
                            i,
                            22,
                            i + 1,
                            i, // no cookie, or a guessed one
                            0,
                            new Greeting(8, 1, new ConnectionEnd(1, 1, 1024), wanted).encode())
                    .encode();
            int bytes = greeting.remaining();
            net.sentBytes.clear();
            net.heard.clear(); // a million of them would fill the heap

            b.port().received(victim, greeting, net.now());

            assertThat(net.sentBytes).allMatch(answer -> answer <= bytes).hasSize(1);
        }
        assertThat(b.greeted).isEmpty();
        assertThat(b.plane().peers()).isEmpty();
    }

    /** Programs of rdma_cm, such as rping, would ask again for 100 seconds (IBA volume 1, 12.6.7). */
    @Test
    void aConnectRequestOfRdmaCmIsRefusedAtOnce() {
        var net = new VirtualNet(1, 0, 0);
        Node node = net.node(1, 11);
        Eid linux = Eid.ofIpv4(0x0A4D_000B);
        ByteBuffer request = ByteBuffer.allocate(256)
                .putInt(0x01_07_02_03)
                .putLong(8, 0x1122_3344_5566_7788L)
                .putShort(16, (short) 0x10)
                .putInt(24, 0xCAFE_0001);

        node.port().received(linux, request.clear(), net.now());

        assertThat(net.heard).hasSize(1);
        ByteBuffer refusal = ByteBuffer.wrap(net.heard.getFirst().datagram());
        assertThat(net.heard.getFirst().to()).isEqualTo(new PortAddress(linux, 4791));
        assertThat(refusal.remaining()).isEqualTo(256);
        assertThat(refusal.getInt(0)).isEqualTo(0x01_07_02_03);
        assertThat(refusal.getLong(8)).isEqualTo(0x1122_3344_5566_7788L);
        assertThat(refusal.getShort(16)).isEqualTo((short) 0x12);
        assertThat(refusal.getInt(28)).isEqualTo(0xCAFE_0001);
        assertThat(refusal.getShort(34)).isEqualTo((short) 8);
        assertThat(node.port().malformed()).isZero();

        node.port().received(linux, refusal, net.now());

        assertThat(net.heard).as("a refusal is not answered").hasSize(1);
        assertThat(node.port().malformed()).isOne();
    }

    /** Cut, longer, or of another attribute: whoever forges gets nothing out of us. */
    @Test
    void whatIsNoConnectRequestIsNotAnswered() {
        var net = new VirtualNet(1, 0, 0);
        Node node = net.node(1, 11);
        Eid stranger = Eid.ofIpv4(0x0A4D_000B);
        for (int bytes : new int[] {0, 4, 17, 24, 255, 257, 1024}) {
            ByteBuffer cut = ByteBuffer.allocate(bytes);
            if (bytes >= 18) {
                cut.putInt(0, 0x01_07_02_03).putShort(16, (short) 0x10);
            }
            node.port().received(stranger, cut, net.now());
        }
        for (int attribute = 0; attribute < 0x20; attribute++) {
            if (attribute != 0x10) {
                node.port()
                        .received(
                                stranger,
                                ByteBuffer.allocate(256)
                                        .putInt(0, 0x01_07_02_03)
                                        .putShort(16, (short) attribute),
                                net.now());
            }
        }

        assertThat(net.heard).isEmpty();
    }

    /** Whatever arrives: it is counted, and the good peer goes on. */
    @Test
    void hostileDatagramsAreCountedAndHarmNobody() {
        long seed = Long.getLong("urma.seed", 7);
        System.out.println("hostile datagrams: -Durma.seed=" + seed);
        var random = new Random(seed);
        List<Kind> kinds = List.of(Kind.values());
        var net = new VirtualNet(seed, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        var peer = a.connect(b);
        assertThat(net.runUntil(peer::isDone, MINUTE)).isTrue();
        for (int i = 0; i < INPUTS; i++) {
            Kind kind = kinds.get(random.nextInt(kinds.size()));
            byte[] body = new byte[random.nextInt(64)];
            random.nextBytes(body);
            byte[] bytes = new byte[ControlDatagram.HEADER_BYTES + body.length];
            new ControlDatagram(
                            kind,
                            4791,
                            random.nextInt(5),
                            22,
                            11,
                            random.nextLong(),
                            random.nextInt(9),
                            ByteBuffer.wrap(body))
                    .encode()
                    .get(bytes, 0, bytes.length);
            for (int flips = random.nextInt(3); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            b.port()
                    .received(
                            VirtualNet.address(1).eid(),
                            ByteBuffer.wrap(bytes, 0, random.nextInt(bytes.length) + 1),
                            net.now());
        }

        var answer = a.unimport(b, 1);

        assertThat(net.runUntil(answer::isDone, MINUTE)).isTrue();
        assertThat(answer).isCompleted();
        assertThat(b.port().malformed() + b.port().stale()).isGreaterThan(INPUTS / 10 * 9L);
        assertThat(b.lost).isEmpty();
        assertThat(a.lost).isEmpty();
    }

    /** Whoever hears all and says it again, in any order, any number of times: nothing is done twice, nobody is lost. */
    @Test
    void whatWasSaidAndIsSaidAgainDoesNothing() {
        long seed = Long.getLong("urma.seed", 11);
        System.out.printf("%,d replayed datagrams: -Durma.seed=%d%n", INPUTS, seed);
        var random = new Random(seed);
        var net = new VirtualNet(seed, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        for (long grant = 1; grant <= 50; grant++) {
            var answer = a.unimport(b, grant);
            assertThat(net.runUntil(answer::isDone, MINUTE)).isTrue();
        }
        List<VirtualNet.Heard> heard = List.copyOf(net.heard);

        for (int i = 0; i < INPUTS; i++) {
            net.replay(heard.get(random.nextInt(heard.size())));
            if (i % 100 == 99) {
                net.runUntil(() -> false, 1_000_000);
                net.heard.clear();
                net.sentBytes.clear();
            }
        }

        var answer = a.unimport(b, 51);
        assertThat(net.runUntil(answer::isDone, MINUTE)).isTrue();
        assertThat(answer).isCompleted();
        assertThat(b.served)
                .hasSize(51)
                .allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
        assertThat(a.greeted).hasSize(1);
        assertThat(b.greeted).hasSize(1);
        assertThat(a.lost).isEmpty();
        assertThat(b.lost).isEmpty();
    }

    /** A request whose floor lies above its own number would make the home ignore the next requests of the honest peer. */
    @Test
    void aFloorAboveItsRequestIsRefused() {
        var net = new VirtualNet(5, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        var first = a.unimport(b, 1);
        assertThat(net.runUntil(first::isDone, MINUTE)).isTrue();
        VirtualNet.Heard request = net.heard.stream()
                .filter(heard -> heard.to().equals(b.port().self()))
                .toList()
                .getLast();
        byte[] changed = request.datagram().clone();
        changed[FLOOR_AT] = 60;
        long malformed = b.port().malformed();

        net.replay(new VirtualNet.Heard(request.source(), request.to(), changed));
        net.runUntil(() -> false, 1_000_000);

        assertThat(b.port().malformed()).isEqualTo(malformed + 1);
        var second = a.unimport(b, 3);
        assertThat(net.runUntil(second::isDone, MINUTE)).isTrue();
        assertThat(second).isCompleted();
        assertThat(a.lost).isEmpty();
    }

    /** Whoever reads the other's version first says what is wrong, and nobody waits. */
    @Test
    void aPeerOfAnotherVersionIsRefusedAtOnceWithTheReason() {
        var net = new VirtualNet(1, 0, 0);
        Node ours = net.node(1, 11);
        Node later = net.node(2, 22, 9);
        Node another = net.node(3, 33);
        long start = net.now();

        var refused = later.connect(ours);
        assertThat(net.runUntil(refused::isDone, MINUTE)).isTrue();
        var refusing = another.connect(later);
        assertThat(net.runUntil(refusing::isDone, MINUTE)).isTrue();

        assertThat(failureOf(refused).status()).isEqualTo(UrmaStatus.FAIL);
        assertThat(failureOf(refused))
                .hasMessageContaining(
                        "home at ::ffff:10.0.0.1 port 4791: speaks control protocol 1.1 and its caller 9.1");
        assertThat(failureOf(refusing).status()).isEqualTo(UrmaStatus.FAIL);
        assertThat(failureOf(refusing))
                .hasMessageContaining(
                        "home at ::ffff:10.0.0.2 port 4791: speaks control protocol 9.1 and its caller 1.1");
        assertThat(net.now() - start).isLessThan(Duration.ofSeconds(1).toNanos());
        assertThat(ours.greeted).isEmpty();
        assertThat(another.greeted).isEmpty();
    }

    /** A caller that asks with short timeouts uses up more numbers than the window of the home has. */
    @Test
    void aLineThatIsCutForSecondsCostsNoPeer() {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        var peer = a.connect(b);
        assertThat(net.runUntil(peer::isDone, MINUTE)).isTrue();
        net.cut(b);
        long deadline = net.now() + Duration.ofSeconds(2).toNanos();
        List<CompletableFuture<PeerMessage>> unanswered = new ArrayList<>();
        for (int i = 0; i < 2 * ControlPlane.WINDOW; i++) {
            unanswered.add(a.plane().ask(peer.join(), _ -> new Core(new Unimport(1)), deadline, net.now()));
        }
        assertThat(net.runUntil(() -> unanswered.stream().allMatch(CompletableFuture::isDone), MINUTE))
                .isTrue();
        net.restore(b);

        var answer = a.unimport(b, 1);

        assertThat(net.runUntil(answer::isDone, Duration.ofSeconds(1).toNanos()))
                .as("answered at once")
                .isTrue();
        assertThat(answer).isCompleted();
        net.runUntil(() -> false, MINUTE);
        assertThat(a.lost).isEmpty();
        assertThat(b.lost).isEmpty();
    }

    /** S12.3: an hour is gone at once, and nobody had a chance to say anything. */
    @Test
    void aClockThatLeapsLosesNoLivingPeer() {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        assertThat(net.runUntil(a.connect(b)::isDone, MINUTE)).isTrue();

        net.leap(60 * MINUTE);
        net.runUntil(() -> false, MINUTE);

        assertThat(a.lost).isEmpty();
        assertThat(b.lost).isEmpty();
        var answer = a.unimport(b, 1);
        assertThat(net.runUntil(answer::isDone, MINUTE)).isTrue();
        assertThat(answer).isCompleted();
    }
}
