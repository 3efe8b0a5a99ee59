package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.PeerMessage.Core;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Many contexts that greet and want nothing, beside those that hold something and those that come anew. */
class CrowdTest {
    private static final int GREETINGS = Boolean.getBoolean("urma.full") ? 1_000_000 : 40_000;
    private static final int ADDRESSES = 64;
    private static final int PORTS = 100;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long HOME = 7;

    private final Map<PortAddress, ControlPort> ports = new HashMap<>();
    private final Queue<Runnable> flying = new ArrayDeque<>();
    private final End home = new End(address(0x0A00_0001, 4791), HOME);
    private long now = 1_000_000_000_000L;
    private long welcomed;
    private long refused;

    private static PortAddress address(int ipv4, int port) {
        return new PortAddress(Eid.ofIpv4(ipv4), port);
    }

    /** A context that lets everybody hold something who asks for it. */
    private final class End implements PeerEvents {
        private final ControlPort port;
        private final ControlPlane plane;
        private final PortAddress at;
        private final Set<Peer> holders = new HashSet<>();
        private int lost;
        private int looks;

        End(PortAddress at, long incarnation) {
            this.at = at;
            port = new ControlPort(at, (to, bytes) -> send(at.eid(), to, bytes), new byte[32]);
            plane = new ControlPlane(
                    port, ControlPlane.hello(at, 1, incarnation, "pid 1", 4096), this, new Random(incarnation), now);
            ports.put(at, port);
        }

        @Override
        public ConnectionEnd newHalf() {
            return new ConnectionEnd(1, 1, 1024);
        }

        @Override
        public void greeted(Peer peer) {}

        @Override
        public void requested(Peer from, long number, PeerMessage request) {
            holders.add(from);
            plane.answer(from, number, new Core(new Done(number)));
        }

        @Override
        public boolean holds(Peer peer) {
            looks++;
            return holders.contains(peer);
        }

        @Override
        public void lost(Peer peer, String why) {
            lost++;
            if (!why.startsWith("it has not answered")) {
                assertThat(holders).as("holders are not dropped: " + why).doesNotContain(peer);
            } else {
                holders.remove(peer);
            }
        }

        /** Greets the home, and asks for something. */
        CompletableFuture<PeerMessage> ask() {
            return plane.connect(home.at, HOME, now + 10 * SECOND, now)
                    .thenCompose(peer -> plane.ask(peer, _ -> new Core(new Unimport(1)), now + 10 * SECOND, now));
        }
    }

    private void send(Eid source, PortAddress to, ByteBuffer datagram) {
        ControlPort port = ports.get(to);
        if (port != null) {
            flying.add(() -> port.received(source, datagram, now));
        } else {
            ControlDatagram answer = ControlDatagram.decode(datagram);
            if (answer != null && answer.kind() == Kind.CHALLENGE) {
                greet(to, answer.to(), answer.tag());
            } else if (answer != null) {
                welcomed += answer.kind() == Kind.WELCOME ? 1 : 0;
                refused += answer.kind() == Kind.UNKNOWN ? 1 : 0;
            }
        }
    }

    private void greet(PortAddress from, long incarnation, long cookie) {
        Greeting greeting = new Greeting(
                PacketSecret.tag(incarnation, 0),
                1,
                new ConnectionEnd(1, 1, 1024),
                new Hello(1, 0, 0, 0, from.eid(), 1, incarnation, HOME, "pid 1"));
        ByteBuffer datagram = new ControlDatagram(
                        Kind.GREET, from.udpPort(), incarnation, HOME, incarnation, cookie, 0, greeting.encode())
                .encode();
        flying.add(() -> home.port.received(from.eid(), datagram, now));
    }

    private void deliver() {
        for (Runnable next = flying.poll(); next != null; next = flying.poll()) {
            next.run();
        }
    }

    private void pass(long nanos) {
        for (long end = now + nanos; now < end; now += SECOND / 100) {
            home.plane.run(now);
            deliver();
        }
    }

    private void greetFrom(int greeting) {
        greet(address(0x0A01_0000 + greeting % ADDRESSES, 1024 + greeting / ADDRESSES % PORTS), 1000L + greeting, 0);
        deliver();
    }

    @Test
    void aMillionGreetingsTakeNoRoomAndKeepNobodyOut() {
        End old = new End(address(0x0A02_0001, 4791), 8);
        var first = old.ask();
        deliver();
        assertThat(first).isCompleted();

        int most = 0;
        for (int i = 0; i < GREETINGS; i++) {
            greetFrom(i);
            most = Math.max(most, home.plane.peers().size());
            if (i % 4000 == 3999) {
                End newcomer = new End(address(0x0A03_0000 + i, 4791), 1_000_000_000L + i);
                var served = newcomer.ask();
                deliver();
                assertThat(served).as("a newcomer after %d greetings", i).isCompleted();
                pass(SECOND / 100);
            }
        }

        System.out.printf(
                "CrowdTest: %d greetings, %d welcomed, %d refused, at most %d peers at a time%n",
                GREETINGS, welcomed, refused, most);
        int holders = home.holders.size();
        assertThat(holders).isEqualTo(1 + GREETINGS / 4000);
        assertThat(most).isLessThanOrEqualTo(PeerTable.MAX_IDLE + holders);
        assertThat(home.lost).isPositive();

        pass(3 * Liveness.QUIET_NANOS);
        assertThat(home.plane.peers())
                .as("whoever holds nothing and is silent is gone")
                .hasSize(holders);
    }

    @Test
    void oneNetworkTakesItsShareAlone() {
        for (int i = 0; i < 10 * PeerTable.MAX_IDLE_OF_A_NETWORK; i++) {
            greet(address(0x0A01_0000, 1024 + i), 1000L + i, 0);
            deliver();
            assertThat(home.plane.peers().size()).isLessThanOrEqualTo(PeerTable.MAX_IDLE_OF_A_NETWORK);
        }
        assertThat(welcomed).isEqualTo(10 * PeerTable.MAX_IDLE_OF_A_NETWORK);
    }

    /** The addresses of an IPv6 subnet are one sender's. */
    @Test
    void anIpv6SubnetIsOneNetwork() {
        for (int i = 0; i < 2 * PeerTable.MAX_IDLE_OF_A_NETWORK; i++) {
            greet(new PortAddress(new Eid(0x2001_0DB8L << 32, i), 4791), 1000L + i, 0);
            deliver();
        }
        assertThat(home.plane.peers()).hasSize(PeerTable.MAX_IDLE_OF_A_NETWORK);
    }

    @Test
    void aPortFullOfHoldersTakesNoMore() {
        PortAddress port = address(0x0A02_0001, 4791);
        for (int i = 0; i < PeerTable.MAX_PEERS_OF_A_PORT; i++) {
            greet(port, 1000L + i, 0);
            deliver();
            home.holders.addAll(home.plane.peers());
        }
        assertThat(refused).isZero();

        greet(port, 999, 0);
        deliver();

        assertThat(refused).isEqualTo(1);
        assertThat(home.plane.peers()).hasSize(PeerTable.MAX_PEERS_OF_A_PORT);
    }

    /** It greets early and asks late: in between both may have dropped the other, and neither notices. */
    @Test
    void whoWasDroppedGreetsAnewUnnoticed() {
        End early = new End(address(0x0A02_0001, 4791), 8);
        var greeted = early.plane.connect(home.at, HOME, now + SECOND, now);
        deliver();
        assertThat(greeted).isCompleted();
        pass(3 * Liveness.QUIET_NANOS);
        assertThat(home.plane.peers()).isEmpty();

        var served = early.ask();
        deliver();

        assertThat(served).isCompleted();
    }

    /** It imported a queue, say, and its process was killed: its place is another's after a while. */
    @Test
    void aHolderThatDiedKeepsNoPlace() {
        End old = new End(address(0x0A02_0001, 4791), 8);
        var served = old.ask();
        deliver();
        assertThat(served).isCompleted();
        ports.remove(old.at);

        pass(60 * SECOND);

        assertThat(home.plane.peers()).as("peers of which one is dead").isEmpty();
    }

    @Test
    void aFloodLeavesOneTimer() {
        for (int i = 0; i < 20 * PeerTable.MAX_IDLE; i++) {
            greetFrom(i);
        }

        assertThat(home.plane.peers()).hasSize(PeerTable.MAX_IDLE);
        assertThat(home.plane.timers())
                .as("timers after %d greetings at once", 20 * PeerTable.MAX_IDLE)
                .isEqualTo(1);
    }

    /** It has greeted, and what it asks for has not come yet: a second is long in a flood. */
    @Test
    void aFloodEvictsItsOwnPeersAndNoNewcomerOfAnotherNetwork() {
        End newcomer = new End(address(0x0A02_0001, 4791), 8);
        var greeted = newcomer.plane.connect(home.at, HOME, now + SECOND, now);
        deliver();
        assertThat(greeted).isCompleted();

        for (int i = 0; i < 20 * PeerTable.MAX_IDLE; i++) {
            greetFrom(i);
        }

        assertThat(home.plane.peers()).anyMatch(peer -> peer.address().equals(newcomer.at));
        var served = newcomer.ask();
        deliver();
        assertThat(served).isCompleted();
    }

    /** Peers of other networks stand before the one that gives way. */
    @Test
    void theOneThatGivesWayIsFoundWithoutAskingAllOthers() {
        for (int i = 0; i < PeerTable.MAX_IDLE - PeerTable.MAX_IDLE_OF_A_NETWORK; i++) {
            greetFrom(i);
        }
        for (int i = 0; i < PeerTable.MAX_IDLE_OF_A_NETWORK; i++) {
            greet(address(0x0A02_0001, 1024 + i), 500_000L + i, 0);
            deliver();
        }
        int before = home.looks;

        greet(address(0x0A02_0001, 999), 999_999L, 0);
        deliver();

        assertThat(home.lost).isEqualTo(1);
        assertThat(home.looks - before).as("peers looked at for one greeting").isLessThan(8);
    }

    /** An hour in which this process was stopped. */
    @Test
    void aClockThatLeapsDropsNoHolder() {
        End old = new End(address(0x0A02_0001, 4791), 8);
        var served = old.ask();
        deliver();
        greetFrom(1);
        now += 3600 * SECOND;
        pass(Liveness.QUIET_NANOS);

        assertThat(served).isCompleted();
        assertThat(home.plane.peers()).hasSize(1);
    }

    @Test
    void aClockThatStepsBackDropsNoHolderAndLocksOutNoNewcomer() {
        End old = new End(address(0x0A02_0001, 4791), 8);
        var served = old.ask();
        deliver();
        greetFrom(1);
        now -= 3600 * SECOND;
        pass(2 * Liveness.QUIET_NANOS);

        assertThat(served).isCompleted();
        assertThat(home.plane.peers()).anyMatch(peer -> peer.address().equals(old.at));
        End newcomer = new End(address(0x0A02_0002, 4791), 9);
        var later = newcomer.ask();
        deliver();
        assertThat(later).isCompleted();
    }
}
