package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Management;
import io.urma4j.udma.wire.Packet;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What both ends of a greeting agree on, whatever the network does to it. */
class PacketSecretTest {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final int INPUTS = Boolean.getBoolean("urma.full") ? 1_000_000 : 20_000;
    private static final int SEEDS = 200;

    private static void assertAgreed(Node a, Node b, String which) {
        Peer of = a.plane().peers().iterator().next();
        Peer back = b.plane().peers().iterator().next();
        assertThat(of.secret()).as(which).isEqualTo(back.secret()).isNotEqualTo(IpHeaders.NO_SECRET);
    }

    @Test
    void bothEndsDeriveTheSameAndNoTwoGreetingsDo() {
        Set<Long> secrets = new HashSet<>();
        Random random = new Random(3);
        for (int i = 0; i < 1000; i++) {
            long one = random.nextLong();
            long other = random.nextLong();
            assertThat(PacketSecret.of(one, other)).isEqualTo(PacketSecret.of(other, one));
            secrets.add(PacketSecret.of(one, other));
            secrets.add(PacketSecret.of(one, other + 1));
        }

        assertThat(secrets).hasSize(2000);
    }

    @Test
    void aContextAgreesWithItself() {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);

        assertThat(net.runUntil(a.connect(a)::isDone, MINUTE)).isTrue();

        assertAgreed(a, a, "itself");
    }

    /** Both at once, or one of them, through loss, doubling and delay; and once more after one has lost the other. */
    @Test
    void bothEndsHaveTheSameSecretThroughLossAndGreetingsAtOnce() {
        long base = Long.getLong("urma.seed", 77);
        for (long seed = base; seed < base + SEEDS; seed++) {
            String which = "-Durma.seed=" + seed;
            var net = new VirtualNet(seed, 0.3, 0.2);
            Node a = net.node(1, 11);
            Node b = net.node(2, 22);
            var there = a.connect(b);
            var back = seed % 2 == 0 ? b.connect(a) : there;
            assertThat(net.runUntil(() -> there.isDone() && back.isDone(), MINUTE))
                    .as(which)
                    .isTrue();
            net.runUntil(() -> false, SECOND); // what is on its way still is over
            assertAgreed(a, b, which);
            long before = a.plane().peers().iterator().next().secret();

            a.plane().lose(a.plane().peers().iterator().next(), "for the test");
            assertThat(net.runUntil(a.connect(b)::isDone, MINUTE)).as(which).isTrue();
            net.runUntil(() -> false, SECOND);

            assertAgreed(a, b, which);
            assertThat(a.plane().peers().iterator().next().secret()).as(which).isNotEqualTo(before);
        }
    }

    /** An older version, or another that knows of no secrets, is served with the ICRC of RoCE, at both ends. */
    @Test
    void withoutTheFeatureAtOneEndThereIsNoSecretAtEither() {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node old = net.nodeWithFeatures(2, 22, 3);

        assertThat(net.runUntil(a.connect(old)::isDone, MINUTE)).isTrue();

        assertThat(a.plane().peers()).allMatch(peer -> peer.secret() == IpHeaders.NO_SECRET);
        assertThat(old.plane().peers()).hasSize(1).allMatch(peer -> peer.secret() == IpHeaders.NO_SECRET);
    }

    /** Changed in any byte, cut, said again, in any order: there is the same secret at both ends, or no peer. */
    @Test
    void whateverBecomesOfGreetingsBothEndsAgreeOrDoNotKnowEachOther() {
        long seed = Long.getLong("urma.seed", 13);
        System.out.printf("%,d hostile greetings: -Durma.seed=%d%n", INPUTS, seed);
        var random = new Random(seed);
        int agreed = 0;
        for (int round = 0; round < INPUTS / 100; round++) {
            var net = new VirtualNet(seed + round, 0.1, 0.1);
            Node a = net.node(1, 11);
            Node b = net.node(2, 22);
            var peer = a.connect(b);
            var back = random.nextBoolean() ? b.connect(a) : peer;
            for (int i = 0; i < 100; i++) {
                if (!net.heard.isEmpty()) {
                    VirtualNet.Heard one = net.heard.get(random.nextInt(net.heard.size()));
                    net.replay(mutated(one, random));
                }
                net.runUntil(() -> false, 2_000_000);
            }
            assertThat(net.runUntil(() -> peer.isDone() && back.isDone(), MINUTE))
                    .isTrue();
            net.runUntil(() -> false, MINUTE); // whoever knows a peer that does not know it has found out

            String which = "-Durma.seed=" + seed + ", round " + round;
            var ofA = a.plane().peers();
            var ofB = b.plane().peers();
            assertThat(ofA.size()).as(which).isEqualTo(ofB.size()).isLessThanOrEqualTo(1);
            if (!ofA.isEmpty()) {
                assertAgreed(a, b, which);
                agreed++;
            }
        }
        assertThat(agreed).isGreaterThan(INPUTS / 100 / 2);
    }

    private static VirtualNet.Heard mutated(VirtualNet.Heard one, Random random) {
        byte[] bytes = one.datagram().clone();
        for (int flips = random.nextInt(3); flips > 0; flips--) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length;
        return new VirtualNet.Heard(one.source(), one.to(), java.util.Arrays.copyOf(bytes, length));
    }

    // ---- who has heard the greeting

    private static void hear(HeardSecrets heard, VirtualNet.Heard one) throws UnknownHostException {
        Packet packet = Packet.allocate();
        Management.put(packet, 0, ByteBuffer.wrap(one.datagram()));
        packet.end(one.datagram().length, IpHeaders.ipv4(1, 2, 3, 4), new Icrc());
        heard.hear(address(one.source()), address(one.to().eid()), packet);
    }

    private static InetAddress address(io.urma4j.Eid eid) throws UnknownHostException {
        return InetAddress.getByAddress(
                ByteBuffer.allocate(4).putInt((int) eid.low()).array());
    }

    @Test
    void whoHasHeardTheGreetingKnowsTheSecret() throws Exception {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        assertThat(net.runUntil(a.connect(b)::isDone, MINUTE)).isTrue();
        HeardSecrets heard = new HeardSecrets();

        for (VirtualNet.Heard one : net.heard) {
            hear(heard, one);
        }

        long secret = a.plane().peers().iterator().next().secret();
        assertThat(heard.between(
                        address(VirtualNet.address(1).eid()),
                        address(VirtualNet.address(2).eid())))
                .isEqualTo(List.of(secret));
        assertThat(heard.between(
                        address(VirtualNet.address(1).eid()),
                        address(VirtualNet.address(3).eid())))
                .isEmpty();
    }

    /** A capture that began late: each datagram carries the tag of its receiver. */
    @Test
    void whoHasHeardALaterRequestAndItsAnswerKnowsItToo() throws Exception {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        assertThat(net.runUntil(a.connect(b)::isDone, MINUTE)).isTrue();
        net.heard.clear();
        assertThat(net.runUntil(a.unimport(b, 1)::isDone, MINUTE)).isTrue();
        HeardSecrets heard = new HeardSecrets();

        for (VirtualNet.Heard one : net.heard) {
            assertThat(ControlDatagram.decode(ByteBuffer.wrap(one.datagram())))
                    .isNotNull()
                    .extracting(ControlDatagram::kind)
                    .isIn(Kind.REQUEST, Kind.ANSWER);
            hear(heard, one);
        }

        assertThat(heard.between(
                        address(VirtualNet.address(1).eid()),
                        address(VirtualNet.address(2).eid())))
                .contains(a.plane().peers().iterator().next().secret());
    }

    /** A capture has packets of all kinds, also damaged ones: each must leave what was learned before. */
    @Test
    void packetsThatRevealNothingLeaveTheSecretsAsTheyAre() throws Exception {
        var net = new VirtualNet(1, 0, 0);
        Node a = net.node(1, 11);
        Node b = net.node(2, 22);
        assertThat(net.runUntil(a.connect(b)::isDone, MINUTE)).isTrue();
        HeardSecrets heard = new HeardSecrets();
        for (VirtualNet.Heard one : net.heard) {
            hear(heard, one);
        }
        List<Long> before = heard.between(
                address(VirtualNet.address(1).eid()),
                address(VirtualNet.address(2).eid()));
        VirtualNet.Heard greeting = net.heard.getFirst();
        byte[] noDatagram = new byte[8];
        byte[] noGreeting = greeting.datagram().clone();
        java.util.Arrays.fill(noGreeting, ControlDatagram.HEADER_BYTES, noGreeting.length, (byte) 0);

        hear(heard, new VirtualNet.Heard(greeting.source(), greeting.to(), noDatagram));
        hear(heard, new VirtualNet.Heard(greeting.source(), greeting.to(), noGreeting));

        assertThat(heard.between(
                        address(VirtualNet.address(1).eid()),
                        address(VirtualNet.address(2).eid())))
                .hasSize(1)
                .isEqualTo(before);
    }
}
