package io.urma4j.udma.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected packets take the short way, no others do, and neither way differs from the other in anything else. */
class HeaderPredictionTest {
    private static final int QUEUE = 0x200;
    private static final int BUFFER_BYTES = 3000;
    private static final int SEEDS = Boolean.getBoolean("urma.full") ? 20_000 : 400;

    private static Pair pair(Kind kind, boolean isOurs, boolean predicts) {
        Pair pair = new Pair(
                kind,
                config -> (isOurs ? config.selective() : config.foreignPeer()).predicts(predicts),
                Pair.Faults.NONE,
                1);
        pair.left.records = true;
        pair.right.records = true;
        return pair;
    }

    private static Outbox outbox(Pair.End end) {
        return end.connection.config().isShared() ? end.outbox(0x100, QUEUE) : end.outbox();
    }

    private static Inbox inbox(Pair.End end) {
        return end.connection.config().isShared() ? end.inbox(QUEUE, BUFFER_BYTES) : end.inbox(BUFFER_BYTES);
    }

    @ParameterizedTest
    @CsvSource({"RELIABLE_CONNECTED, true", "RELIABLE_CONNECTED, false", "SHARED, true"})
    void whatIsExpectedTakesIt(Kind kind, boolean isOurs) {
        for (boolean predicts : new boolean[] {true, false}) {
            Pair pair = pair(kind, isOurs, predicts);
            Outbox out = outbox(pair.left);
            inbox(pair.right).post(10);

            for (int length : new int[] {0, 100, 2500}) {
                post(pair, () -> out.send(length));
                post(pair, () -> out.write(length, 0));
                post(pair, () -> out.read(0, length, 0));
                post(pair, () -> out.post(WorkOpcode.SEND_IMM, 0, length, 0, 5, 0));
            }
            post(pair, () -> out.atomic(WorkOpcode.FADD, 0, 8, 0, 1, 0));

            assertThat(out.statuses()).hasSize(13).containsOnly(WorkStatus.SUCCESS);
            for (Pair.End end : List.of(pair.left, pair.right)) {
                Traffic traffic = end.connection.traffic();
                assertThat(traffic.count(Event.RECEIVED)).isPositive();
                assertThat(traffic.count(Event.PREDICTED)).isEqualTo(predicts ? traffic.count(Event.RECEIVED) : 0);
            }
        }
    }

    private static void post(Pair pair, Runnable one) {
        one.run();
        pair.run();
        pair.runFor(1_000_000);
    }

    /** A peer that replies piggybacks its acknowledgement. */
    @ParameterizedTest
    @CsvSource({"RELIABLE_CONNECTED", "SHARED"})
    void aReplyTakesIt(Kind kind) {
        Pair pair = pair(kind, true, true);
        Outbox left = outbox(pair.left);
        Outbox right = outbox(pair.right);
        inbox(pair.left).post(10);
        inbox(pair.right).post(10);
        pair.filter = (to, packet) -> false; // packets are handed over here

        for (int i = 0; i < 10; i++) {
            left.send(64);
            pair.left.step();
            pair.right.receive(pair.left.sent.getLast());
            right.send(64);
            pair.right.step();
            pair.left.receive(pair.right.sent.getLast());
        }

        assertThat(pair.right.sent).extracting(Packet::opcode).allMatch(Opcodes::isOurs);
        assertThat(left.statuses()).hasSize(10);
        assertThat(pair.left.connection.traffic().count(Event.PREDICTED)).isEqualTo(10);
        assertThat(pair.right.connection.traffic().count(Event.PREDICTED)).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({"RELIABLE_CONNECTED, true", "RELIABLE_CONNECTED, false", "SHARED, true"})
    void aMarkedPacketDoesNotTakeIt(Kind kind, boolean isOurs) {
        Pair pair = pair(kind, isOurs, true);
        pair.filter = (to, packet) -> {
            Bth.forwardNotice(packet.bytes(), to == pair.right);
            return true;
        };
        Outbox out = outbox(pair.left);

        post(pair, () -> out.write(100, 0));

        Traffic traffic = pair.right.connection.traffic();
        assertThat(traffic.count(Event.PREDICTED)).isZero();
        assertThat(traffic.count(Event.MARKED)).isEqualTo(1);
    }

    /** Each packet may be lost, changed or duplicated; one seed does the same to both pairs. */
    @ParameterizedTest
    @CsvSource({"RELIABLE_CONNECTED, true", "RELIABLE_CONNECTED, false", "SHARED, true"})
    void changedPacketsHaveTheSameEffectWithAndWithoutIt(Kind kind, boolean isOurs) {
        long first = Long.getLong("urma.seed", 1);
        long predicted = LongStream.range(first, first + SEEDS)
                .parallel()
                .map(seed -> predictedWithTheSameEffect(kind, isOurs, seed))
                .sum();
        assertThat(predicted).isGreaterThan(10L * SEEDS);
    }

    private static long predictedWithTheSameEffect(Kind kind, boolean isOurs, long seed) {
        Pair with = pair(kind, isOurs, true);
        Pair without = pair(kind, isOurs, false);

        List<String> one = outcome(with, new Random(seed));
        List<String> other = outcome(without, new Random(seed));

        assertThat(one).as("outcome of -Durma.seed=%d", seed).isEqualTo(other);
        return with.left.connection.traffic().count(Event.PREDICTED)
                + with.right.connection.traffic().count(Event.PREDICTED);
    }

    private static List<String> outcome(Pair pair, Random random) {
        Outbox left = outbox(pair.left);
        Outbox right = outbox(pair.right);
        Inbox leftIn = inbox(pair.left);
        Inbox rightIn = inbox(pair.right);
        int kindOfTrouble = random.nextInt(6);
        pair.filter = (to, packet) -> {
            if (random.nextInt(8) == 0) {
                Packet changed = Pair.copy(packet);
                change(changed, kindOfTrouble, random);
                to.receive(changed, random.nextBoolean());
            }
            return random.nextInt(30) > 0;
        };
        for (int i = 0; i < 24; i++) {
            leftIn.post(random.nextInt(2));
            rightIn.post(random.nextInt(3));
            any(left, random);
            if (random.nextInt(3) == 0) {
                any(right, random);
            }
            pair.runFor(random.nextInt(3) == 0 ? 2_000_000 : 15_000);
        }
        leftIn.post(100);
        rightIn.post(100);
        pair.runFor(1_000_000_000);
        List<String> outcome = new ArrayList<>();
        tell(pair.left, outcome);
        tell(pair.right, outcome);
        return outcome;
    }

    private static void any(Outbox out, Random random) {
        int length = random.nextInt(3) > 0 ? random.nextInt(200) : random.nextInt(BUFFER_BYTES);
        switch (random.nextInt(6)) {
            case 0, 1 -> out.send(length);
            case 2 -> out.write(length, random.nextInt(10_000));
            case 3 -> out.read(0, length, random.nextInt(10_000));
            case 4 -> out.post(WorkOpcode.WRITE_IMM, 0, length, random.nextInt(10_000), 7, 0);
            default -> out.atomic(WorkOpcode.FADD, 0, 8, 0, 1, 0);
        }
    }

    private static void change(Packet packet, int kind, Random random) {
        int opcode = packet.opcode();
        int psn = Bth.psn(packet.bytes());
        int at = Bth.BYTES + random.nextInt(Math.max(1, Opcodes.headerBytes(opcode) - Bth.BYTES));
        switch (kind) {
            case 0 -> putPsn(packet, psn + random.nextInt(-3, 4));
            case 1 -> packet.lengthBytes(Math.max(Bth.BYTES, packet.lengthBytes() - 4 * random.nextInt(8)));
            case 2 -> packet.bytes().setByte(0, opcode & 0xE0 | random.nextInt(32));
            case 3 -> packet.bytes().setByte(at, random.nextInt(256)); // some extended header
            case 4 -> Bth.forwardNotice(packet.bytes(), true);
            default -> packet.bytes().setByte(8, random.nextInt(256)); // which transmission, and such
        }
        packet.lengthBytes(packet.lengthBytes()); // the opcode may be another
        if (PacketCheck.of(packet) != null) {
            packet.lengthBytes(Bth.BYTES - 1); // dropped at once by both
        }
    }

    private static void putPsn(Packet packet, int psn) {
        for (int i = 0; i < 3; i++) {
            packet.bytes().setByte(9 + i, psn >> 16 - 8 * i);
        }
    }

    /** Packets, results, arrivals, memory and counters, but for that of predicted packets. */
    private static void tell(Pair.End end, List<String> lines) {
        HexFormat hex = HexFormat.of();
        Consumer<Packet> packets = packet -> lines.add(hex.formatHex(packet.bytes()
                .segment()
                .asSlice(0, packet.lengthBytes() - Icrc.BYTES)
                .toArray(JAVA_BYTE)));
        end.sent.forEach(packets);
        end.outboxes.forEach(outbox -> lines.add(outbox.results.toString()));
        end.inboxes
                .values()
                .forEach(inbox -> inbox.arrivals.forEach(one -> lines.add(one.status() + " " + one.opcode() + " "
                        + one.lengthBytes() + " " + one.immediate() + " "
                        + hex.formatHex(one.bytes().toArray(JAVA_BYTE)))));
        lines.add(hex.formatHex(end.region.bytes.asSlice(0, 16_384).toArray(JAVA_BYTE)));
        lines.add(end.failures + " " + end.refusals + " " + end.region.writes + " " + end.region.atomics);
        end.connection.forEachCounter((name, value) -> {
            if (!name.equals("predicted")) {
                lines.add(name + " " + value);
            }
        });
    }
}
