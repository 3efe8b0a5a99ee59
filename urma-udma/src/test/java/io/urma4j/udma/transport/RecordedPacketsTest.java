package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.ConnectionConfig.Kind.SHARED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.tck.RecordedConversation;
import io.urma4j.tck.RecordedConversation.Said;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketText;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The packets of a shared connection between two peers of urma4j, as version 0.1 sent them, against the library of today in
 * the place of either end. One packet was lost on its way. {@code -Durma.record=true} writes the file anew, which is right as
 * long as no release has it.
 */
class RecordedPacketsTest {
    private static final String FILE = "udma-packets-1.1.txt";
    private static final String LEFT = "left";
    private static final String RIGHT = "right";

    /** As the greetings of {@code udma-control-1.1.txt} agree on it. */
    private static final long SECRET = 0x77EE_B8C2_FABB_D47DL;

    private static final int ALPHA = 0x100;
    private static final int GAMMA = 0x200;
    private static final long HOP_NANOS = 10_000;
    private static final int LOST = 5;
    private static final int BUNDLED = 3;

    /** Two ends of today, and what each has sent. */
    private static class Ends {
        final Pair pair = new Pair(SHARED, ConnectionConfig.Builder::selective, Pair.Faults.NONE, 1);
        final Outbox alpha = pair.left.outbox(ALPHA, GAMMA);
        final Inbox gamma = pair.right.inbox(GAMMA, 64 << 10);
        final List<Said> said = new ArrayList<>();

        Ends() {
            pair.secret(SECRET);
            gamma.post(8);
            for (long i = 0; i < pair.right.region.bytes.byteSize(); i++) {
                pair.right.region.bytes.set(JAVA_BYTE, i, (byte) (i * 7));
            }
            pair.right.region.bytes.set(JAVA_LONG_UNALIGNED, 0, 100);
            pair.filter = (to, packet) -> {
                said.add(said(to == pair.left ? RIGHT : LEFT, pair.now, packet));
                return isLet(to);
            };
        }

        /** Whether a packet arrives. */
        boolean isLet(Pair.End to) {
            return to == pair.left
                    || said.stream().filter(one -> one.speaker().equals(LEFT)).count() != LOST;
        }

        /** Every kind of work, and each opcode that RoCE does not have. */
        void work() {
            alpha.fill(1);
            alpha.send(10);
            alpha.send(3000);
            alpha.post(WorkOpcode.SEND_IMM, 0, 5, 0, 0xABCDL, 0);
            alpha.post(WorkOpcode.SEND_IMM, 0, 2000, 0, 0x1234_5678_9ABCL, 0);
            alpha.write(64, 4096);
            alpha.write(3000, 8192);
            alpha.post(WorkOpcode.WRITE_IMM, WorkOpcode.SOLICITED, 0, 10, 16_384, Long.MIN_VALUE, 0);
            long notify = alpha.post(WorkOpcode.WRITE_NOTIFY, 0, 1500, 20_480, 0, 0);
            alpha.notifyAt(notify, Region.KEY, Region.BASE + 24_576, 99);
            alpha.read(100_000, 3000, 32_768);
            alpha.atomic(WorkOpcode.FADD, 200_000, 8, 0, 5, 0);
            alpha.atomic(WorkOpcode.CAS, 200_008, 8, 0, 7, 105);
            alpha.atomic(WorkOpcode.FXOR, 200_016, 4, 0, 1, 0);
        }

        void assertWorkWasDone() {
            assertThat(alpha.statuses()).hasSize(12).containsOnly(0);
            assertThat(alpha.got(100_001)).isEqualTo((byte) (32_769 * 7));
            assertThat(alpha.buffer.get(JAVA_LONG_UNALIGNED, 200_000)).isEqualTo(100);
            assertThat(alpha.buffer.get(JAVA_LONG_UNALIGNED, 200_008)).isEqualTo(105);
            assertThat(alpha.buffer.get(JAVA_INT_UNALIGNED, 200_016)).isEqualTo(7);
        }

        void assertWorkHasArrived() {
            assertThat(gamma.arrivals)
                    .extracting(Inbox.Arrival::lengthBytes)
                    .containsExactly(10L, 3000L, 5L, 2000L, 10L);
            assertThat(gamma.arrivals)
                    .extracting(Inbox.Arrival::immediate)
                    .containsExactly(0L, 0L, 0xABCDL, 0x1234_5678_9ABCL, Long.MIN_VALUE);
            assertThat(pair.right.region.at(8192 + 2999)).isEqualTo(alpha.got(2999));
            assertThat(pair.right.region.word(24_576)).isEqualTo(99);
            assertThat(pair.right.region.word(0)).isEqualTo(6);
        }
    }

    /** The remark: when it was sent, in nanoseconds, and in words. */
    private static Said said(String speaker, long atNanos, Packet packet) {
        ByteBuffer bytes =
                packet.bytes().segment().asSlice(0, packet.lengthBytes()).asByteBuffer();
        return Said.of(speaker, bytes, atNanos + " " + PacketText.of(packet));
    }

    private static long sentAt(Said said) {
        return Long.parseLong(said.remark().substring(0, said.remark().indexOf(' ')));
    }

    private static Packet packet(Said said) {
        byte[] bytes = said.message().array();
        return Packet.of(bytes);
    }

    private static IpHeaders ip() {
        return IpHeaders.ipv4(0x0A000001, 0x0A000002, 0xC000, IpHeaders.ROCE_PORT)
                .secret(SECRET);
    }

    private static List<Said> recorded() throws Exception {
        if (RecordedConversation.isRecording()) {
            Ends ends = new Ends();
            ends.work();
            ends.pair.run();
            List<Said> all = new ArrayList<>(ends.said);
            all.add(bundleOf(all));
            RecordedConversation.write(FILE, "A shared connection of udma; the left asks, packet 5 is lost.", all);
        }
        return RecordedConversation.read(RecordedPacketsTest.class, FILE);
    }

    /** A port puts short packets into one: some that the right sent, behind the rest of the file. */
    private static Said bundleOf(List<Said> all) {
        List<Packet> some = bundled(all);
        Packet bundle = Packet.allocate();
        NativeMemory.copy(
                some.getFirst().bytes(), 0, bundle.bytes(), 0, some.getFirst().lengthBytes());
        bundle.lengthBytes(some.getFirst().lengthBytes());
        int bytes = Bundle.begin(bundle, some.getFirst().payloadBytes());
        for (Packet next : some.subList(1, some.size())) {
            bytes = Bundle.add(bundle, bytes, next, next.payloadBytes());
        }
        bundle.end(bytes, ip(), new Icrc());
        return said("bundle", 0, bundle);
    }

    private static List<Packet> bundled(List<Said> all) {
        return by(RIGHT, all).stream()
                .map(RecordedPacketsTest::packet)
                .filter(packet -> packet.payloadBytes() <= 512)
                .limit(BUNDLED)
                .toList();
    }

    private static List<Said> by(String speaker, List<Said> all) {
        return all.stream().filter(one -> one.speaker().equals(speaker)).toList();
    }

    /** When acknowledgements leave may change between versions: what they lead to may not. */
    private static List<String> withoutAcknowledgements(List<Said> all) {
        return all.stream()
                .filter(one -> Opcodes.operation(packet(one).opcode()) != Opcodes.ACKNOWLEDGE)
                .map(Said::bytes)
                .toList();
    }

    @Test
    void recordedRequestsAreAnsweredAsTheyWere() throws Exception {
        Ends ends = new Ends();
        int number = 0;
        for (Said request : by(LEFT, recorded())) {
            if (++number != LOST) {
                ends.pair.runFor(sentAt(request) + HOP_NANOS - ends.pair.now);
                ends.pair.right.receive(packet(request));
            }
        }
        ends.pair.runFor(100_000_000);

        ends.alpha.fill(1); // to compare with
        ends.assertWorkHasArrived();
        assertThat(withoutAcknowledgements(ends.said))
                .containsExactlyElementsOf(withoutAcknowledgements(by(RIGHT, recorded())));
        assertThat(Bth.psn(packet(ends.said.getLast()).bytes()))
                .as("all is acknowledged")
                .isEqualTo(Bth.psn(packet(by(RIGHT, recorded()).getLast()).bytes()));
    }

    @Test
    void recordedAnswersEndTheSameRequests() throws Exception {
        Ends ends = new Ends() {
            @Override
            boolean isLet(Pair.End to) {
                return false; // the right is only heard
            }
        };
        ends.work();
        for (Said answer : by(RIGHT, recorded())) {
            ends.pair.runFor(sentAt(answer) + HOP_NANOS - ends.pair.now);
            ends.pair.left.receive(packet(answer));
        }
        ends.pair.runFor(1_000_000);

        ends.assertWorkWasDone();
        assertThat(ends.said.stream().map(Said::bytes))
                .containsExactlyElementsOf(
                        by(LEFT, recorded()).stream().map(Said::bytes).toList());
    }

    @Test
    void eachRecordedPacketIsSoundWithTheSecretOfItsConnection() throws Exception {
        Icrc icrc = new Icrc();
        Set<String> opcodes = new HashSet<>();
        for (Said said : recorded()) {
            Packet packet = packet(said);
            assertThat(icrc.isRight(packet, ip())).as("%s", said).isTrue();
            opcodes.add(Opcodes.name(packet.opcode()));
        }
        assertThat(opcodes).as("kinds of packets").hasSizeGreaterThan(15);
    }

    @Test
    void aRecordedBundleIsPackedAndUnpackedAsItWas() throws Exception {
        Said bundle = recorded().getLast();

        assertThat(bundleOf(recorded()).bytes()).isEqualTo(bundle.bytes());
        assertThat(Bundle.apart(packet(bundle)))
                .extracting(Conversation::bytes)
                .containsExactlyElementsOf(
                        bundled(recorded()).stream().map(Conversation::bytes).toList());
    }
}
