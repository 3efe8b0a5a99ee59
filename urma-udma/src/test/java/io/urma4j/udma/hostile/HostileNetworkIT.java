package io.urma4j.udma.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.tck.Patience;
import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import io.urma4j.udma.wire.Reth;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real device receives hostile packets as fast as a thread can send them: at least ten thousand of each kind, with {@code
 * -Durma.full=true} a million. An honest peer works at the same time. No request fails, no byte changes that must not, and
 * nothing is kept.
 *
 * <p>The test prints the honest peer's speed, and compares it with that beside a thread that spins, and so takes as much of the
 * CPUs as the attacker. At least half of it must be left, or a fifth for attacks on the socket of peers. Without sockets for
 * unknown peers it is only printed.
 */
@Timeout(1800)
class HostileNetworkIT {
    private static final int INPUTS = Boolean.getBoolean("urma.full") ? 1_000_000 : 10_000;
    private static final long SEED =
            Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));
    private static final int PSN_MASK = 0xFF_FFFF;
    private static final int FAR = 1 << 20;
    private static final int PSNS_OF_A_ROUND = 4; // of the honest peer: a WRITE, a READ, an atomic and a SEND
    private static final int BURST = 64;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final int SLICES = Boolean.getBoolean("urma.full") ? 21 : 7;
    private static final long SLICE_NANOS = 200_000_000;

    private static final int LOOKS = 5; // at a speed, until it is enough: one that stands still is so each time

    private static final int CAPTURE_BYTES = 2 << 20; // of what is heard: some thousand packets

    private static final long MAX_MORE_BYTES = 32 << 20;

    /** Where others have the CPUs, the honest pair may make fifty rounds a second. */
    private static final Duration SETUP_LIMIT = Duration.ofSeconds(100);

    @TempDir
    private Path folder;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final List<String> logged = new ArrayList<>();
    private final Handler watch = new Handler() {
        @Override
        public synchronized void publish(LogRecord entry) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                logged.add(entry.getMessage() + " " + entry.getThrown());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    // a network of its own on the loopback, so that the port of RoCE is free there
    private final String net = "127." + (64 + random.nextInt(64)) + "." + random.nextInt(256) + ".";
    private final String homeAddress = net + 1;
    private final String goodAddress = net + 2;
    private final String peerAddress = net + 3;
    private final String strangerAddress = net + 9;
    private final String sinkAddress = net + 10;

    private Urma homeUrma;
    private Urma goodUrma;
    private UrmaContext home;
    private GoodTraffic good;
    private List<Datagram> heard;

    /** By which of the home's sockets hostile packets come in. */
    private enum HomeSocket {
        OF_UNKNOWN_PEERS(0.5) {
            @Override
            Forge open(String from, String to) throws IOException {
                return Forge.open(from, to);
            }
        },
        /**
         * The honest packets wait in one line with the hostile ones, each of which the card looks at. The faster the processor
         * makes system calls, the more come for each honest one.
         */
        OF_PEERS(0.2) {
            @Override
            Forge open(String from, String to) throws IOException {
                return Forge.openInTheNameOf(from, to);
            }
        };

        /** The share of its speed that an honest peer keeps at least. */
        final double minShare;

        HomeSocket(double minShare) {
            this.minShare = minShare;
        }

        abstract Forge open(String from, String to) throws IOException;
    }

    /** Makes one hostile packet and sends it. */
    @FunctionalInterface
    private interface Attack {
        void send(Forge forge) throws IOException;
    }

    @BeforeEach
    void begin() throws Exception {
        System.out.println("HostileNetworkIT: -Durma.seed=" + SEED);
        Logger.getLogger("io.urma4j").addHandler(watch);
        homeUrma = open(homeAddress, "");
        goodUrma = open(goodAddress, "good.pcap");
        home = homeUrma.device("udma0").openContext();
        good = new GoodTraffic(home, goodUrma.device("udma0").openContext());
        assertThat(Patience.until(
                        SETUP_LIMIT,
                        () -> good.rounds() > 1000 || !good.trouble().isEmpty()))
                .as("honest rounds")
                .isTrue();
        heard = Forge.read(folder.resolve("good.pcap"));
        assertThat(heard).hasSizeGreaterThan(1000);
    }

    private Urma open(String address, String capture) {
        UrmaOptions options = UrmaOptions.DEFAULT
                .withRuntimeDirectory(folder.resolve("run"))
                .withSetting("urma.udma.addresses", address);
        return Urma.open(
                capture.isEmpty()
                        ? options
                        : options.withSetting(
                                        "urma.udma.capture",
                                        folder.resolve(capture).toString())
                                .withSetting("urma.udma.capture.limit", Integer.toString(CAPTURE_BYTES)));
    }

    @AfterEach
    void end() throws Exception {
        good.close();
        goodUrma.close();
        homeUrma.close();
        Logger.getLogger("io.urma4j").removeHandler(watch);
        assertThat(good.trouble()).isEmpty();
    }

    @Test
    void fuzzedPacketsOfAStrangerHarmNobody() throws Exception {
        attack("fuzzed packets", strangerAddress, forge -> {
            Packet packet = forge.put(any(heard).packet().bytes().segment().toArray(ValueLayout.JAVA_BYTE));
            int length = packet.lengthBytes();
            for (int flips = 1 + random.nextInt(8); flips > 0; flips--) {
                int at = random.nextInt(length);
                packet.bytes().setByte(at, random.nextInt());
            }
            if (random.nextInt(8) == 0) {
                packet.lengthBytes(random.nextInt(length));
            }
            seal(forge, packet);
        });
    }

    /** The right queues and connections, of somebody who has none: a stranger has heard it, and says it again. */
    @Test
    void packetsOfTheHonestPeerFromAStrangerHarmNobody() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, false);
        attack("packets heard by a stranger", strangerAddress, forge -> seal(forge, put(forge, any(sent))));
    }

    @Test
    void packetsToQueuesThatDoNotExistHarmNobody() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, false);
        attack("packets for nobody", strangerAddress, forge -> {
            Packet packet = put(forge, any(sent));
            int opcode = packet.opcode();
            packet.begin(
                    random.nextBoolean() ? opcode : Opcodes.RC | Opcodes.WRITE_ONLY,
                    17 + random.nextInt(Bth.MAX_24 - 17),
                    random.nextInt(PSN_MASK));
            forge.send(random.nextInt(256));
        });
    }

    /** Greetings and requests, of one who has no part in them. */
    @Test
    void controlMessagesOfAStrangerHarmNobody() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, true);
        attack("control messages of a stranger", strangerAddress, forge -> seal(forge, put(forge, any(sent))));
    }

    /** Of all kinds, made beforehand: as fast as the kernel takes them. */
    @Test
    void aMixtureAtTheSpeedOfTheKernelHarmsNobody() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, false);
        List<Datagram> control = sentTo(homeAddress, true);
        try (Volley toHome = Volley.open(strangerAddress, homeAddress);
                Volley toSink = Volley.open(strangerAddress, sinkAddress)) {
            for (int i = 0; i < BURST; i++) {
                byte[] packet = any(random.nextBoolean() ? sent : control)
                        .packet()
                        .bytes()
                        .segment()
                        .toArray(ValueLayout.JAVA_BYTE);
                toHome.put(packet);
                toSink.put(packet);
            }
            attack("a mixture, 64 at a time", strangerAddress, _ -> toSink.send(), _ -> toHome.send());
            System.out.printf("  %,d packets went to the home%n", toHome.sent());
        }
    }

    /** Word for word, in the honest peer's name and from his address, and in the home's name to him. */
    @Test
    void packetsOfTheHonestPeerThatComeAgainHarmNobody() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, false);
        attack("packets that come again", goodAddress, forge -> seal(forge, put(forge, any(sent))));
    }

    /** Those of now as well: one in two thousand lies in the window. */
    @Test
    void packetsWithAnyPsnFromThePeersAddressHarmNobody() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, false);
        attack("PSN floods", goodAddress, forge -> seal(forge, put(forge, any(sent)), random.nextInt()));
    }

    /** The same from the peer's port, of one who has not seen the greeting. */
    @Test
    void packetsWithAnyPsnToTheSocketOfPeersWithoutTheSecretHarmNobody() throws Exception {
        assumeTrue(hasSocketsForUnknownPeers(homeUrma), "the ports are shared with nobody");
        List<Datagram> sent = sentTo(homeAddress, false);
        Attack attack = forge -> seal(forge, put(forge, any(sent)), random.nextInt());
        attack(
                "PSN floods without the secret, to the socket of peers",
                goodAddress,
                HomeSocket.OF_PEERS,
                IpHeaders.NO_SECRET,
                attack,
                attack);
    }

    /**
     * Takes a PSN far from the current ones: an attacker that knows the secret and the current PSNs speaks for the peer (S13.4).
     * The packet was heard at the beginning, and a long attack would reach the numbers right behind it.
     */
    private void sealWithWildPsn(Forge forge, Packet packet) throws IOException {
        long current = Bth.psn(packet.bytes()) + PSNS_OF_A_ROUND * good.rounds();
        seal(forge, packet, (int) (current + FAR + random.nextInt(PSN_MASK - 2 * FAR)));
    }

    private static void seal(Forge forge, Packet packet, int psn) throws IOException {
        packet.bytes().setByte(9, psn >> 16);
        packet.bytes().setByte(10, psn >> 8);
        packet.bytes().setByte(11, psn);
        seal(forge, packet);
    }

    /** Greetings, requests, answers; now and then a byte of them is another. */
    @Test
    void controlMessagesThatComeAgainHarmNobody() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, true);
        assertThat(sent).isNotEmpty();
        attack("control messages", goodAddress, forge -> sealPerhapsDamaged(forge, put(forge, any(sent))));
    }

    private void sealPerhapsDamaged(Forge forge, Packet packet) throws IOException {
        if (random.nextInt(4) == 0) {
            int at = packet.payloadAt() + random.nextInt(packet.payloadBytes());
            packet.bytes().setByte(at, random.nextInt());
        }
        seal(forge, packet);
    }

    /**
     * To the socket of peers, since it comes from the honest peer's port, and to him from the home's: what of this takes the
     * place of honest packets is repeated. With pauses, as a flood there takes room from all peers (docs/udma.md).
     */
    @Test
    void packetsInThePeersNameAndFromHisPortHarmNobody() throws Exception {
        assumeTrue(
                hasSocketsForUnknownPeers(homeUrma) && hasSocketsForUnknownPeers(goodUrma),
                "the ports are shared with nobody");
        List<Datagram> toHome = sentTo(homeAddress, false);
        List<Datagram> toGood = sentTo(goodAddress, false);
        List<Datagram> control = sentTo(homeAddress, true);
        Forge.open(strangerAddress, sinkAddress).close(); // the JDK keeps a descriptor of its own after the first
        long heap = usedBytes();
        long descriptors = descriptors();
        long before = good.rounds();
        long secret = Forge.secret(heard, goodAddress, homeAddress);
        try (Forge asGood = Forge.openInTheNameOf(goodAddress, homeAddress).knowing(secret);
                Forge asHome = Forge.openInTheNameOf(homeAddress, goodAddress).knowing(secret)) {
            for (int i = 0; i < INPUTS; i++) {
                switch (random.nextInt(4)) {
                    case 0 -> seal(asGood, put(asGood, any(toHome)));
                    case 1 -> sealWithWildPsn(asGood, put(asGood, any(toHome)));
                    case 2 -> seal(asHome, put(asHome, any(toGood)));
                    default -> sealPerhapsDamaged(asGood, put(asGood, any(control)));
                }
                if (i % BURST == 0) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
        System.out.printf("HostileNetworkIT: from the peers' ports: %,d honest rounds%n", good.rounds() - before);
        assertUnharmed(heap, descriptors);
    }

    @Test
    void oldPacketsToTheSocketOfPeersLeaveHimSomething() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, false);
        attackOnThePeersSocket("packets that come again", forge -> seal(forge, put(forge, any(sent))));
    }

    @Test
    void packetsWithWildPsnsToTheSocketOfPeersLeaveHimSomething() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, false);
        attackOnThePeersSocket("PSN floods", forge -> sealWithWildPsn(forge, put(forge, any(sent))));
    }

    @Test
    void damagedPacketsToTheSocketOfPeersLeaveHimSomething() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, false);
        attackOnThePeersSocket("wrong ICRCs", forge -> {
            Packet packet = put(forge, any(sent));
            packet.bytes().setInt(packet.lengthBytes() - Integer.BYTES, random.nextInt());
            forge.sendAsIs();
        });
    }

    /** Word for word: among so many that were changed one is a goodbye, for who has heard the tags speaks for him (S13.4). */
    @Test
    void controlMessagesToTheSocketOfPeersLeaveHimSomething() throws Exception {
        List<Datagram> sent = sentTo(homeAddress, true);
        attackOnThePeersSocket("control messages", forge -> seal(forge, put(forge, any(sent))));
    }

    private void attackOnThePeersSocket(String what, Attack attack) throws Exception {
        assumeTrue(hasSocketsForUnknownPeers(homeUrma), "the ports are shared with nobody");
        long secret = Forge.secret(heard, goodAddress, homeAddress);
        attack(what + ", to the socket of peers", goodAddress, HomeSocket.OF_PEERS, secret, attack, attack);
    }

    /**
     * A peer that has a connection of its own, and no other right than to 4 KiB, writes there by keys and addresses that it
     * invents, in the right order of PSNs. What gets lost comes again.
     */
    @Test
    void writesWithWrongKeysAreAllRefused() throws Exception {
        assumeTrue(hasSocketsForUnknownPeers(homeUrma), "the ports are shared with nobody");
        try (Urma urma = open(peerAddress, "peer.pcap")) {
            var context = urma.device("udma0").openContext();
            var own = home.register(home.allocate(4096), Access.READ_WRITE);
            var imported = context.importSegment(own.descriptor(), own.token());
            var jfc = context.createJfc(JfcConfig.DEFAULT);
            var jfs = context.createJfs(jfc, JfsConfig.DEFAULT);
            var local = context.register(context.allocate(4096), Access.LOCAL_ONLY);
            jfs.write(imported, 0, local, 0, 64, 1);
            Datagram write = Patience.until(Patience.LIMIT, () -> lastWrite() != null) ? lastWrite() : null;
            assertThat(write).isNotNull();
            int first = Bth.psn(write.packet().bytes()) + 1;
            int[] next = {0};
            Attack pause = _ -> LockSupport.parkNanos(1);

            long secret = Forge.secret(capture("peer.pcap"), peerAddress, homeAddress);
            attack("writes with wrong keys", peerAddress, HomeSocket.OF_PEERS, secret, pause, forge -> {
                Packet packet = put(forge, write);
                packet.begin(packet.opcode(), Bth.destinationQp(packet.bytes()), first + next[0]++ & PSN_MASK);
                Bth.addAck(packet.bytes(), Bth.asks(true));
                Reth.put(
                        packet.bytes(),
                        packet.at(Header.RETH),
                        random.nextBoolean() ? random.nextLong() : own.memory().address() + random.nextInt(8192),
                        random.nextInt(),
                        64);
                forge.send(64);
                if (next[0] % BURST == 0) {
                    LockSupport.parkNanos(PAUSE_NANOS); // one that is lost makes all that follow meaningless
                }
            });

            long refused = refusals();
            System.out.printf("  %,d of %,d were answered with a NAK for access%n", refused, next[0]);
            assertThat(refused).as("seed " + SEED).isGreaterThan(100);
            assertThat(own.memory().toArray(ValueLayout.JAVA_BYTE))
                    .as("seed " + SEED)
                    .containsOnly(0);
        }
    }

    private Datagram lastWrite() {
        Datagram last = null;
        for (Datagram datagram : capture("peer.pcap")) {
            Packet packet = datagram.packet();
            if (Opcodes.has(packet.opcode(), Header.RETH) && Opcodes.has(packet.opcode(), Header.DETH)) {
                last = datagram;
            }
        }
        return last;
    }

    private long refusals() {
        return capture("peer.pcap").stream()
                .flatMap(datagram -> datagram.apart().stream())
                .map(Datagram::packet)
                .filter(packet -> Opcodes.has(packet.opcode(), Header.AETH))
                .filter(packet -> Aeth.syndrome(packet.bytes(), packet.at(Header.AETH)) == Aeth.NAK_REMOTE_ACCESS)
                .count();
    }

    private List<Datagram> capture(String name) {
        try {
            return Forge.read(folder.resolve(name));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<Datagram> sentTo(String address, boolean control) {
        InetAddress to = InetAddress.ofLiteral(address);
        return heard.stream()
                .filter(datagram -> datagram.destination().equals(to))
                .filter(datagram -> (Bth.destinationQp(datagram.packet().bytes()) == 1) == control)
                .toList();
    }

    private Datagram any(List<Datagram> all) {
        return all.get(random.nextInt(all.size()));
    }

    private static Packet put(Forge forge, Datagram datagram) {
        return forge.put(datagram.packet().bytes().segment().toArray(ValueLayout.JAVA_BYTE));
    }

    private static void seal(Forge forge, Packet packet) throws IOException {
        if (PacketCheck.of(packet) == null) {
            forge.send(packet.payloadBytes());
        } else {
            forge.sendAsIs();
        }
    }

    private void attack(String what, String from, Attack attack) throws Exception {
        attack(what, from, attack, attack);
    }

    private void attack(String what, String from, Attack elsewhere, Attack attack) throws Exception {
        attack(what, from, HomeSocket.OF_UNKNOWN_PEERS, IpHeaders.NO_SECRET, elsewhere, attack);
    }

    private void attack(String what, String from, HomeSocket socket, long secret, Attack elsewhere, Attack attack)
            throws Exception {
        double share;
        try (Forge toSink = Forge.open(from, sinkAddress)) {
            for (int i = 0; i < BURST; i++) {
                elsewhere.send(toSink); // what is made once is not the attack's
            }
            long heap = usedBytes();
            long descriptors = descriptors();
            try (Forge toHome = socket.open(from, homeAddress).knowing(secret)) {
                share = share(what, socket.minShare, () -> elsewhere.send(toSink), () -> attack.send(toHome));
            }
            assertUnharmed(heap, descriptors);
        }
        if (hasSocketsForUnknownPeers(homeUrma)) {
            assertThat(share).as("share of the honest peer, seed " + SEED).isGreaterThanOrEqualTo(socket.minShare);
        }
    }

    private static boolean hasSocketsForUnknownPeers(Urma urma) {
        return urma.device("udma0").attributes().ioPath().contains("sockets of their own");
    }

    private void assertUnharmed(long heap, long descriptors) throws IOException {
        assertThat(descriptors()).as("descriptors, seed " + SEED).isLessThanOrEqualTo(descriptors);
        long before = good.rounds();
        Patience.await(
                "honest rounds afterwards",
                () -> good.rounds() > before + 100 || !good.trouble().isEmpty());

        assertThat(good.trouble()).as("seed " + SEED).isEmpty();
        assertThat(good.firstSpoiltGuard()).as("seed " + SEED).isEqualTo(-1);
        assertThat(good.importers()).as("seed " + SEED).isEqualTo(1);
        assertThat(logged).as("seed " + SEED).isEmpty();
        assertThat(usedBytes() - heap).as("heap, seed " + SEED).isLessThan(MAX_MORE_BYTES);
    }

    /** What is left to the honest peer of its speed beside a thread that spins; the best of a few looks. */
    private double share(String what, double minShare, Slices.Companion elsewhere, Slices.Companion attack)
            throws IOException {
        Slices slices = new Slices(good::rounds, SLICES, SLICE_NANOS);
        double best = 0;
        for (int look = 0; look < LOOKS && best < minShare; look++) {
            double[] rounds = slices.roundsASecond(INPUTS / SLICES, Thread::onSpinWait, elsewhere, attack);
            System.out.printf(
                    "HostileNetworkIT: %s: %,.0f honest rounds a second, %.2f of %,.0f beside a spinning thread;"
                            + " %,.0f while they go to somebody else%n",
                    what, rounds[2], rounds[2] / rounds[0], rounds[0], rounds[1]);
            best = rounds[0] > 0 ? Math.max(best, rounds[2] / rounds[0]) : best;
        }
        return best;
    }

    private static long descriptors() throws IOException {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    private static long usedBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
