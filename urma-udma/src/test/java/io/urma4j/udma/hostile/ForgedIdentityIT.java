package io.urma4j.udma.hostile;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jetty;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteMemory;
import io.urma4j.TransportMode;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.tck.Patience;
import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Rdeth;
import io.urma4j.udma.wire.Reth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process of another user of this host forges packets of a connection of ours, with the number of the connection and PSNs
 * inside its window: from the address that both ends of the connection have, and from a port of its own. Two programs at one
 * address, as on any host, and a third that has nothing to do with them.
 */
@Timeout(300)
class ForgedIdentityIT {
    private static final int SECONDS = 6;
    private static final int PSNS = 1 << 24;
    private static final int STEP = 1000; // a READ covers as many, and any other packet is near enough to be kept
    private static final int READ_PACKETS = 400;
    private static final int MTU_BYTES = 4096;
    private static final Duration SETUP_LIMIT = Duration.ofSeconds(100);
    private static final Pattern PORT = Pattern.compile("on port (\\d+)");

    @TempDir
    private Path folder;

    private final String address = "127." + (64 + ThreadLocalRandom.current().nextInt(64)) + ".9.1";
    private Urma homeUrma;
    private Urma peerUrma;
    private UrmaContext home;
    private UrmaContext peer;

    @BeforeEach
    void open() {
        assumeTrue(OtherUser.canStart(), "skipped: only root, with setpriv, can start a process of another user");
        homeUrma = open("home.pcap");
        peerUrma = open("peer.pcap");
        home = homeUrma.device("udma0").openContext();
        peer = peerUrma.device("udma0").openContext();
    }

    private Urma open(String capture) {
        return Urma.open(UrmaOptions.DEFAULT
                .withRuntimeDirectory(folder.resolve("run"))
                .withSetting("urma.udma.addresses", address)
                .withSetting("urma.udma.capture", folder.resolve(capture).toString()));
    }

    @AfterEach
    void close() {
        if (homeUrma != null) {
            peerUrma.close();
            homeUrma.close();
        }
    }

    // ---- a shared connection

    @Test
    void forgedReadRequestsLeaveASharedConnectionAlone() throws Exception {
        attackShared("RM, READ_REQUEST", Opcodes.RD | Opcodes.READ_REQUEST, READ_PACKETS * MTU_BYTES, 0);
    }

    @Test
    void forgedWritesLeaveASharedConnectionAlone() throws Exception {
        attackShared("RM, WRITE_ONLY", Opcodes.RD | Opcodes.WRITE_ONLY, 8, 8);
    }

    @Test
    void forgedResyncsLeaveASharedConnectionAlone() throws Exception {
        attackShared("RM, RESYNC", Opcodes.OURS_RD | Opcodes.RESYNC, 0, 0);
    }

    private void attackShared(String what, int opcode, int length, int payloadBytes) throws Exception {
        try (GoodTraffic good = new GoodTraffic(home, peer)) {
            String forged = forged(opcode, awaitNumber(true), length, payloadBytes);

            long rounds = attack(what, good::rounds, good::trouble, forged);

            assertThat(good.trouble()).isEmpty();
            assertThat(good.firstSpoiltGuard()).isEqualTo(-1);
            assertThat(rounds)
                    .as("honest rounds in the last second of the attack")
                    .isPositive();
        }
    }

    /** Two processes forge at once, while other contexts at the same ports greet, work and say goodbye. */
    @Test
    void connectionsBeginAndEndAmongTwoAttackers() throws Exception {
        try (GoodTraffic good = new GoodTraffic(home, peer);
                Newcomers newcomers = new Newcomers(home, peerUrma)) {
            int number = awaitNumber(true);
            String read = forged(Opcodes.RD | Opcodes.READ_REQUEST, number, READ_PACKETS * MTU_BYTES, 0);
            String resync = forged(Opcodes.OURS_RD | Opcodes.RESYNC, number, 0, 0);
            long before = newcomers.count.get();

            long rounds = attack("RM, two attackers", good::rounds, good::trouble, read, resync);

            assertThat(good.trouble()).isEmpty();
            assertThat(rounds)
                    .as("honest rounds in the last second of the attack")
                    .isPositive();
            assertThat(newcomers.trouble).isEmpty();
            assertThat(newcomers.count.get() - before)
                    .as("contexts that came and went")
                    .isPositive();
        }
    }

    /** Contexts that come one after the other, write once, and go. */
    private static final class Newcomers implements AutoCloseable {
        final AtomicLong count = new AtomicLong();
        volatile String trouble = "";
        private volatile boolean ended;
        private final Thread thread;

        Newcomers(UrmaContext home, Urma urma) {
            thread = Thread.ofPlatform().name("newcomers").start(() -> {
                try {
                    while (!ended) {
                        comeAndGo(home, urma);
                        count.incrementAndGet();
                    }
                } catch (RuntimeException | AssertionError e) {
                    trouble = "newcomer " + count.get() + ": " + e;
                }
            });
        }

        private static void comeAndGo(UrmaContext home, Urma urma) {
            try (UrmaContext newcomer = urma.device("udma0").openContext();
                    LocalSegment segment = home.register(home.allocate(4096), Access.READ_WRITE);
                    RemoteMemory memory = newcomer.importMemory(segment.share())) {
                memory.write(0, new byte[] {7});
                assertThat(segment.memory().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
            }
        }

        @Override
        public void close() {
            ended = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- a connection of two Jetties

    @Test
    void forgedWritesWithAWrongKeyDoNotEndAConnection() throws Exception {
        attackConnected("RC, WRITE_ONLY with a wrong key", Opcodes.RC | Opcodes.WRITE_ONLY, 8);
    }

    @Test
    void forgedMessagesDoNotArrive() throws Exception {
        attackConnected("RC, SEND_ONLY", Opcodes.RC | Opcodes.SEND_ONLY, 8);
    }

    private void attackConnected(String what, int opcode, int payloadBytes) throws Exception {
        try (Talk talk = new Talk(home, peer)) {
            String forged = forged(opcode, awaitNumber(false), payloadBytes, payloadBytes);

            long rounds = attack(what, talk.rounds::get, () -> talk.trouble, forged);

            assertThat(talk.trouble).isEmpty();
            assertThat(rounds)
                    .as("honest rounds in the last second of the attack")
                    .isPositive();
        }
    }

    /** Messages with a number each, one after the other, of which the receiver knows the next. */
    private static final class Talk implements AutoCloseable {
        private static final Duration PATIENCE = Duration.ofSeconds(20);
        private static final int RECEIVES = 64;

        final AtomicLong rounds = new AtomicLong();
        volatile String trouble = "";
        private volatile boolean ended;
        private final Thread thread;

        Talk(UrmaContext home, UrmaContext peer) {
            End receiver = new End(home);
            End sender = new End(peer);
            receiver.jetty.bind(home.importJetty(sender.jetty.descriptor(), sender.jetty.token()));
            sender.jetty.bind(peer.importJetty(receiver.jetty.descriptor(), receiver.jetty.token()));
            for (int i = 0; i < RECEIVES; i++) {
                receiver.jfr.receive(receiver.memory, i * 8L, 8, i); // so that one that is forged would find room, too
            }
            thread = Thread.ofPlatform().name("talk").start(() -> {
                try {
                    while (!ended) {
                        round(sender, receiver, rounds.get());
                        rounds.incrementAndGet();
                    }
                } catch (RuntimeException | AssertionError e) {
                    trouble = "round " + rounds.get() + ": " + e;
                }
            });
        }

        private static void round(End sender, End receiver, long number) {
            sender.memory.memory().set(JAVA_LONG, 0, number);
            sender.jetty.jfs().send(null, sender.memory, 0, 8, number);
            receiver.next(receiver.receives);
            assertThat(receiver.memory.memory().get(JAVA_LONG, number % RECEIVES * 8))
                    .as("the message that arrived")
                    .isEqualTo(number);
            receiver.jfr.receive(receiver.memory, number % RECEIVES * 8, 8, number);
            sender.next(sender.sends);
        }

        @Override
        public void close() {
            ended = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static final class End {
            final LocalSegment memory;
            final Jfc sends;
            final Jfc receives;
            final Jfr jfr;
            final Jetty jetty;
            private final CompletionBatch batch = new CompletionBatch(1);

            End(UrmaContext context) {
                memory = context.register(context.allocate(4096), Access.LOCAL_ONLY);
                sends = context.createJfc(JfcConfig.DEFAULT);
                receives = context.createJfc(JfcConfig.DEFAULT);
                jfr = context.createJfr(
                        receives, JfrConfig.builder().mode(TransportMode.RC).build());
                jetty = context.createJetty(
                        sends, jfr, JfsConfig.builder().mode(TransportMode.RC).build(), receives);
            }

            void next(Jfc jfc) {
                long end = System.nanoTime() + PATIENCE.toNanos();
                while (jfc.poll(batch) == 0) {
                    assertThat(System.nanoTime() - end).as("a record in time").isNegative();
                    Thread.onSpinWait();
                }
                assertThat(batch.isSuccess(0)).as(batch.toString()).isTrue();
            }
        }
    }

    // ---- the attacker

    /** The number that packets of the peer name at home: the attacker is told what it may have guessed. */
    private int awaitNumber(boolean shared) throws Exception {
        int port = port(peerUrma);
        List<Packet> found = new ArrayList<>();
        Patience.until(SETUP_LIMIT, () -> {
            found.addAll(ofConnections(port, shared));
            return !found.isEmpty();
        });
        assertThat(found).isNotEmpty();
        Packet packet = found.getLast();
        return shared
                ? Rdeth.endToEndContext(packet.bytes(), packet.at(Header.RDETH))
                : Bth.destinationQp(packet.bytes());
    }

    private List<Packet> ofConnections(int port, boolean shared) {
        try {
            return Forge.read(folder.resolve("peer.pcap"), port).stream()
                    .filter(datagram -> datagram.sourcePort() == port)
                    .flatMap(datagram -> datagram.apart().stream())
                    .map(Datagram::packet)
                    .filter(packet -> Opcodes.has(packet.opcode(), Header.RDETH) == shared)
                    .filter(packet -> shared || !Opcodes.has(packet.opcode(), Header.DETH))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int port(Urma urma) {
        Matcher path = PORT.matcher(urma.device("udma0").attributes().ioPath());
        assertThat(path.find()).isTrue();
        return Integer.parseInt(path.group(1));
    }

    /** A packet without PSN and ICRC. */
    private static String forged(int opcode, int number, int length, int payloadBytes) {
        Packet packet = Packet.allocate();
        boolean isShared = Opcodes.has(opcode, Header.RDETH);
        packet.begin(opcode, isShared ? 0 : number, 0);
        Bth.addAck(packet.bytes(), Bth.asks(true));
        if (isShared) {
            Rdeth.put(packet.bytes(), packet.at(Header.RDETH), 0, number);
        }
        if (Opcodes.has(opcode, Header.RETH)) {
            Reth.put(packet.bytes(), packet.at(Header.RETH), 0, 0x0BAD_0BAD, length);
        }
        MemorySegment evil = MemorySegment.ofArray("evilevil".getBytes(StandardCharsets.US_ASCII));
        MemorySegment.copy(evil, 0, packet.bytes().segment(), packet.payloadAt(), payloadBytes);
        return HexFormat.of()
                .formatHex(packet.bytes()
                        .segment()
                        .asSlice(0, packet.payloadAt() + payloadBytes)
                        .toArray(ValueLayout.JAVA_BYTE));
    }

    private interface Rounds {
        long get();
    }

    private interface Trouble {
        String get();
    }

    /** Lets an attacker do its work for each packet; returns how many honest rounds there were in the last second of it. */
    private long attack(String what, Rounds rounds, Trouble trouble, String... forged) throws Exception {
        Patience.until(SETUP_LIMIT, () -> rounds.get() > 100);
        long quiet = roundsOfASecond(rounds);
        List<Process> attackers = new ArrayList<>();
        for (String packet : forged) {
            attackers.add(start(packet));
        }
        Thread.sleep((SECONDS - 2) * 1000L); // long enough for a sweep of all PSNs
        long last = roundsOfASecond(rounds);
        StringBuilder said = new StringBuilder();
        for (Process attacker : attackers) {
            String one = new String(attacker.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            assertThat(attacker.waitFor()).as(one).isZero();
            said.append(said.isEmpty() ? "" : " and ").append(one);
        }
        System.out.printf(
                "ForgedIdentityIT: %s, by uid %d, %s packets: %,d rounds a second before, %,d during it; trouble: %s%n",
                what, OtherUser.NOBODY, said, quiet, last, trouble.get().isEmpty() ? "none" : trouble.get());
        return last;
    }

    private static long roundsOfASecond(Rounds rounds) throws InterruptedException {
        long before = rounds.get();
        Thread.sleep(1000);
        return rounds.get() - before;
    }

    private Process start(String forged) throws IOException {
        return OtherUser.start(
                folder,
                List.of(Intruder.class, RoceSeal.class),
                List.of(
                        Integer.toString(SECONDS),
                        address,
                        address,
                        Integer.toString(port(homeUrma)),
                        forged,
                        "0",
                        Integer.toString(STEP),
                        Integer.toString(PSNS / STEP)));
    }
}
