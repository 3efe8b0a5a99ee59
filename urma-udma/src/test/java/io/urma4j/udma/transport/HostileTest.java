package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import io.urma4j.udma.wire.Reth;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A peer that sends whatever it likes: nothing throws, and no byte lands where its key does not reach. */
class HostileTest {
    private static final int TARGET = 0x200;

    @ParameterizedTest
    @CsvSource({"RELIABLE_CONNECTED, true", "RELIABLE_CONNECTED, false", "SHARED, true"})
    void noiseThrowsNothingAndIsWrittenNowhere(Kind kind, boolean ours) {
        long seed = Long.getLong("urma.seed", System.nanoTime());
        System.out.println("HostileTest: seed " + seed + ", again with -Durma.seed=" + seed);
        Random random = new Random(seed);
        int packets = Integer.getInteger("urma.packets", Boolean.getBoolean("urma.full") ? 1_000_000 : 25_000);
        Pair pair = pair(kind, ours);
        Packet noise = Packet.allocate();
        for (int i = 0; i < packets; i++) {
            if (i % 200 == 0) {
                pair = pair(kind, ours); // before a refusal ends it for good
            }
            fill(noise, random, pair);
            if (PacketCheck.of(noise) == null) {
                pair.right.connection.receive(noise, pair.now, false);
                pair.left.connection.receive(noise, pair.now, false);
                pair.right.connection.step(pair.now, FlushHint.FLUSH);
                pair.left.connection.step(pair.now, FlushHint.FLUSH);
            }
            assertThat(pair.right.region.writes)
                    .as("bytes written without a key")
                    .isZero();
            assertThat(pair.right.region.atomics).isZero();
        }
    }

    private static Pair pair(Kind kind, boolean ours) {
        Pair pair = new Pair(kind, config -> ours ? config.selective() : config.foreignPeer(), Pair.Faults.NONE, 1);
        pair.filter = (to, packet) -> false;
        boolean shared = kind == Kind.SHARED;
        Outbox out = shared ? pair.left.outbox(0x100, TARGET) : pair.left.outbox();
        Inbox in = shared ? pair.right.inbox(TARGET, 3000) : pair.right.inbox(3000);
        in.post(100);
        out.send(5000);
        out.write(100, 0);
        out.read(0, 10_000, 0);
        out.atomic(WorkOpcode.FADD, 0, 8, 0, 1, 0);
        pair.left.step();
        return pair;
    }

    /** Often with a PSN that means something, and an opcode of the connection's own. */
    private static void fill(Packet noise, Random random, Pair pair) {
        NativeMemory bytes = noise.bytes();
        int length = random.nextInt(4) == 0 ? random.nextInt(200) : 12 + random.nextInt(1100);
        for (int i = 0; i < length; i++) {
            bytes.setByte(i, random.nextInt());
        }
        if (random.nextInt(10) > 0) {
            int[] transports = {Opcodes.RC, Opcodes.RD, Opcodes.OURS_RC, Opcodes.OURS_RD};
            int opcode = transports[random.nextInt(transports.length)] | random.nextInt(32);
            ConnectionConfig config =
                    random.nextBoolean() ? pair.left.connection.config() : pair.right.connection.config();
            Bth.put(bytes, opcode, 0, TARGET, 0, config.firstSendPsn() + random.nextInt(24));
        }
        noise.lengthBytes(length);
    }

    @ParameterizedTest
    @CsvSource({"RELIABLE_CONNECTED", "SHARED"})
    void packetsOfLongAgoDoNotDisturb(Kind kind) {
        Pair pair = new Pair(kind);
        boolean shared = kind == Kind.SHARED;
        Outbox out = shared ? pair.left.outbox(0x100, TARGET) : pair.left.outbox();
        Inbox in = shared ? pair.right.inbox(TARGET, 3000) : pair.right.inbox(3000);
        in.post(100);
        List<Packet> toRight = new ArrayList<>();
        List<Packet> toLeft = new ArrayList<>();
        pair.filter = (to, packet) -> {
            (to == pair.right ? toRight : toLeft).add(Pair.copy(packet));
            return true;
        };
        for (int round = 0; round < 20; round++) {
            out.send(2500);
            out.atomic(WorkOpcode.FADD, 0, 8, 0, 1, 0);
            out.read(0, 2500, 0);
            pair.run();
            for (Packet ghost : List.copyOf(toRight)) {
                pair.right.connection.receive(ghost, pair.now, false);
            }
            for (Packet ghost : List.copyOf(toLeft)) {
                pair.left.connection.receive(ghost, pair.now, false);
            }
            pair.runFor(1_000_000);
        }

        assertThat(out.statuses()).hasSize(60).containsOnly(WorkStatus.SUCCESS);
        assertThat(in.arrivals).hasSize(20);
        assertThat(pair.right.region.word(0)).isEqualTo(20);
    }

    /** Whatever draws an answer costs us more than who sends it, and a NAK has the peer send again what has arrived. */
    @Test
    void whatIsOfNoWindowDrawsNoAnswer() {
        for (Kind kind : Kind.values()) {
            Pair pair = new Pair(kind, ConnectionConfig.Builder::selective, Pair.Faults.NONE, 1);
            Packet write = written(pair);

            for (int far = ConnectionConfig.MAX_WINDOW_PACKETS + 1; far < 1 << 23; far *= 2) {
                says(pair, write, far);
                says(pair, write, -far);
            }

            assertThat(pair.right.sent).as("%s", kind).isEmpty();
            assertThat(pair.right.connection.traffic().count(Event.IGNORED)).isEqualTo(22);
        }
    }

    @Test
    void whatMayBeOfAWindowIsAnswered() {
        for (Kind kind : Kind.values()) {
            Pair pair = new Pair(kind);
            Packet write = written(pair);

            says(pair, write, -ConnectionConfig.MAX_WINDOW_PACKETS);
            assertThat(pair.right.sent).as("an acknowledgement, %s", kind).hasSize(1);
            says(pair, write, ConnectionConfig.MAX_WINDOW_PACKETS);
            assertThat(pair.right.sent).as("a NAK, %s", kind).hasSize(2);
        }
    }

    /** How far they go ahead nobody has told us. */
    @Test
    void othersMayHaveAnyWindow() {
        Pair pair = new Pair(Kind.RELIABLE_CONNECTED, ConnectionConfig.Builder::foreignPeer, Pair.Faults.NONE, 1);
        Packet write = written(pair);

        says(pair, write, -(ConnectionConfig.MAX_WINDOW_PACKETS + 1));

        assertThat(pair.right.sent).hasSize(1);
    }

    /**
     * A forger who knows all that the peers know takes the PSN of a WRITE that is on its way: neither packet is believed, and
     * the WRITE is sent again.
     */
    @ParameterizedTest
    @CsvSource({"RELIABLE_CONNECTED", "SHARED"})
    void twoPacketsOfOnePsnWithOtherBytesAreBothDropped(Kind kind) {
        Pair pair = new Pair(kind, ConnectionConfig.Builder::selective, Pair.Faults.NONE, 1);
        boolean shared = kind == Kind.SHARED;
        Outbox out = shared ? pair.left.outbox(0x100, TARGET) : pair.left.outbox();
        out.fill(7);
        pair.left.records = true;
        int[] seen = {0};
        pair.filter = (to, packet) -> to != pair.right || seen[0]++ != 0; // the first is lost
        int first = pair.left.connection.config().firstSendPsn();
        for (int i = 0; i < 3; i++) {
            out.write(100, 1000L * i);
        }
        pair.left.step();
        Packet forged = Pair.copy(pair.left.sent.getLast());
        forged.bytes().setByte(forged.payloadAt(), ~forged.bytes().getByte(forged.payloadAt()));

        pair.right.receive(forged); // comes before the honest one, and is kept
        pair.run();

        assertThat(Bth.psn(forged.bytes())).isEqualTo(first + 2 & Bth.MAX_24);
        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.SUCCESS, WorkStatus.SUCCESS);
        assertThat(pair.right.connection.traffic().count(Event.CONTRADICTED)).isEqualTo(1);
        assertThat(pair.right.region.bytes.asSlice(2000, 100).mismatch(out.buffer.asSlice(0, 100)))
                .as("the first forged byte that was placed")
                .isEqualTo(-1);
        assertThat(pair.right.region.writes).as("WRITEs that were executed").isEqualTo(3);
    }

    /** A packet in the middle of a WRITE must not go beyond the length of its RETH, however far the key reaches. */
    @ParameterizedTest
    @CsvSource({"1, 1, true", "1, 2, false", "2, 2, true", "2, 3, false"})
    void aWriteHasNoMorePacketsThanItsReth(int announced, int packets, boolean isExecuted) {
        Pair pair = new Pair(Kind.RELIABLE_CONNECTED, ConnectionConfig.Builder::selective, Pair.Faults.NONE, 1);
        int mtu = pair.left.connection.config().mtuBytes();
        Outbox out = pair.left.outbox();
        pair.left.records = true;
        pair.filter = (to, packet) -> false; // packets are handed over here
        out.write((packets + 1) * mtu, 0);
        pair.left.step();
        assertThat(pair.left.sent).hasSize(packets + 1);
        Packet first = pair.left.sent.getFirst();
        Reth.put(first.bytes(), first.at(Header.RETH), Region.BASE, Region.KEY, (announced + 1L) * mtu);

        for (Packet packet : pair.left.sent.subList(0, packets)) {
            pair.right.receive(packet);
        }

        assertThat(pair.right.region.writes).isEqualTo(Math.min(packets, announced));
        assertThat(pair.right.refusals).hasSize(isExecuted ? 0 : 1);
    }

    /** More READs than were promised are not taken while answers of older ones are still to be sent. */
    @Test
    void noMoreReadsAreTakenThanWerePromised() {
        int promised = 4;
        Pair pair = new Pair(
                Kind.RELIABLE_CONNECTED, config -> config.selective().reads(16, promised), Pair.Faults.NONE, 1);
        Outbox out = pair.left.outbox();
        pair.left.records = true;
        pair.filter = (to, packet) -> false; // packets are handed over here
        for (int i = 0; i < 8; i++) {
            out.read(8L * i, 8, 8L * i);
        }
        pair.left.step();
        pair.right.room = 0; // nothing can be answered yet
        pair.left.sent.forEach(pair.right::receive);
        pair.right.records = true;
        pair.right.room = Integer.MAX_VALUE;

        pair.right.step();

        assertThat(pair.left.sent).hasSize(8);
        assertThat(pair.right.sent)
                .filteredOn(packet -> Opcodes.operation(packet.opcode()) == Opcodes.READ_RESPONSE_ONLY)
                .extracting(packet ->
                        Bth.psn(packet.bytes()) - pair.left.connection.config().firstSendPsn())
                .as("READs that were answered, in order")
                .containsExactly(0, 1, 2, 3);
    }

    /** A WRITE that has succeeded; what the right one sends from now on is recorded. */
    private static Packet written(Pair pair) {
        boolean shared = pair.left.connection.config().isShared();
        Outbox out = shared ? pair.left.outbox(0x100, TARGET) : pair.left.outbox();
        pair.left.records = true;
        out.write(100, 0);
        pair.run();
        pair.right.records = true;
        return pair.left.sent.getFirst();
    }

    /** The right one takes it with another PSN, so far from the one that it expects. */
    private static void says(Pair pair, Packet packet, int distance) {
        int psn = pair.left.connection.config().firstSendPsn() + 1 + distance & Bth.MAX_24;
        Packet other = Pair.copy(packet);
        other.begin(packet.opcode(), Bth.destinationQp(packet.bytes()), psn);
        pair.right.receive(other);
        pair.right.step();
    }
}
