package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.RequestsByHand.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which packets of a requester are executed, and which are refused, each rule at its bound. */
class RequestRulesTest {
    private static RequestsByHand ready(Peer peer) {
        RequestsByHand by = new RequestsByHand(peer);
        by.inbox.post(4);
        return by;
    }

    // ---- the order of packets

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aPacketOfNoMessageIsInvalid(Peer peer) {
        for (int operation :
                new int[] {Opcodes.SEND_MIDDLE, Opcodes.SEND_LAST, Opcodes.WRITE_MIDDLE, Opcodes.WRITE_LAST}) {
            RequestsByHand by = ready(peer);
            assertThat(by.refusals(by.packet(0, operation, MTU)))
                    .as("operation %d", operation)
                    .containsExactly("0 invalid");
        }
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aMessageGoesOnInItsOwnKind(Peer peer) {
        RequestsByHand by = ready(peer);
        assertThat(by.refusals(by.packet(0, Opcodes.SEND_FIRST, MTU), by.packet(1, Opcodes.WRITE_LAST, 8)))
                .containsExactly("1 invalid");
        assertThat(by.inbox.posted()).as("the receive is free again").isEqualTo(4);
        by = ready(peer);
        assertThat(by.refusals(by.write(0, Opcodes.WRITE_FIRST, MTU, MTU + 8), by.packet(1, Opcodes.SEND_LAST, 8)))
                .containsExactly("1 invalid");
        assertThat(by.inbox.arrivals).isEmpty();
    }

    @Test
    void anUrma4jPeerMayAbandonAMessageAndAForeignOneMayNot() {
        RequestsByHand ours = ready(Peer.URMA4J);
        assertThat(ours.refusals(ours.packet(0, Opcodes.SEND_FIRST, MTU), ours.packet(1, Opcodes.SEND_ONLY, 8)))
                .isEmpty();
        assertThat(ours.inbox.arrivals).hasSize(1);
        assertThat(ours.inbox.posted()).isEqualTo(3);

        RequestsByHand foreign = ready(Peer.FOREIGN);
        assertThat(foreign.refusals(
                        foreign.packet(0, Opcodes.SEND_FIRST, MTU), foreign.packet(1, Opcodes.SEND_ONLY, 8)))
                .containsExactly("1 invalid");
        assertThat(foreign.inbox.arrivals).isEmpty();
    }

    @Test
    void aForeignPeerReadsNothingInTheMiddleOfAMessage() {
        RequestsByHand by = ready(Peer.FOREIGN);
        assertThat(by.refusals(by.packet(0, Opcodes.SEND_FIRST, MTU), by.read(1, 0, 8, Region.KEY)))
                .containsExactly("1 invalid");
    }

    // ---- lengths

    @ParameterizedTest
    @EnumSource(Peer.class)
    void allPacketsButTheLastAreFull(Peer peer) {
        for (int length : new int[] {MTU - 4, MTU + 4}) {
            RequestsByHand by = ready(peer);
            assertThat(by.refusals(by.packet(0, Opcodes.SEND_FIRST, length))).containsExactly("0 invalid");
            by = ready(peer);
            assertThat(by.refusals(by.packet(0, Opcodes.SEND_FIRST, MTU), by.packet(1, Opcodes.SEND_MIDDLE, length)))
                    .containsExactly("1 invalid");
        }
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void theLastPacketHasAByteAndAtMostAllOfThem(Peer peer) {
        RequestsByHand by = ready(peer);
        assertThat(by.refusals(by.packet(0, Opcodes.SEND_ONLY, MTU))).isEmpty();
        assertThat(by.refusals(by.packet(1, Opcodes.SEND_ONLY, 0)))
                .as("an empty message")
                .isEmpty();
        assertThat(by.refusals(by.packet(2, Opcodes.SEND_FIRST, MTU), by.packet(3, Opcodes.SEND_LAST, 1)))
                .isEmpty();
        assertThat(by.inbox.arrivals).extracting(Inbox.Arrival::lengthBytes).containsExactly(1024L, 0L, 1025L);
        assertThat(by.refusals(by.packet(4, Opcodes.SEND_FIRST, MTU), by.packet(5, Opcodes.SEND_LAST, 0)))
                .containsExactly("5 invalid");
        by = ready(peer);
        assertThat(by.refusals(by.packet(0, Opcodes.SEND_ONLY, MTU + 4))).containsExactly("0 invalid");
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aMessageFitsItsReceiveExactly(Peer peer) {
        RequestsByHand by = ready(peer);
        assertThat(by.refusals(
                        by.packet(0, Opcodes.SEND_FIRST, MTU),
                        by.packet(1, Opcodes.SEND_MIDDLE, MTU),
                        by.packet(2, Opcodes.SEND_LAST, MTU)))
                .isEmpty();
        assertThat(by.refusals(
                        by.packet(3, Opcodes.SEND_FIRST, MTU),
                        by.packet(4, Opcodes.SEND_MIDDLE, MTU),
                        by.packet(5, Opcodes.SEND_MIDDLE, MTU),
                        by.packet(6, Opcodes.SEND_LAST, 1)))
                .containsExactly("6 operation");
        assertThat(by.inbox.arrivals)
                .extracting(Inbox.Arrival::status)
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.LOC_LEN_ERR);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aRangeThatEndsBeyondTheMemoryIsRefusedBeforeItsFirstByte(Peer peer) {
        RequestsByHand by = ready(peer);
        long memoryBytes = by.responder.region.bytes.byteSize();
        assertThat(by.refusals(by.write(0, Opcodes.WRITE_FIRST, MTU, memoryBytes + 1)))
                .containsExactly("0 access");
        assertThat(by.responder.region.writes).isZero();

        by = ready(peer);
        assertThat(by.answers(by.read(0, memoryBytes - 2 * MTU, 3 * MTU, Region.KEY)))
                .contains("0 access")
                .noneMatch(answer -> answer.contains("read of"));
        by = ready(peer);
        assertThat(by.refusals(by.write(0, Opcodes.WRITE_FIRST, MTU, memoryBytes)))
                .isEmpty();
        assertThat(by.responder.region.writes).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aWriteHasExactlyTheBytesThatItAnnounces(Peer peer) {
        for (int announced : new int[] {7, 9}) {
            RequestsByHand by = ready(peer);
            assertThat(by.refusals(by.write(0, Opcodes.WRITE_ONLY, 8, announced)))
                    .containsExactly("0 invalid");
            by = ready(peer);
            assertThat(by.refusals(
                            by.write(0, Opcodes.WRITE_FIRST, MTU, MTU + announced),
                            by.packet(1, Opcodes.WRITE_LAST, 8)))
                    .containsExactly("1 invalid");
            assertThat(by.responder.region.writes).as("the first packet").isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aFirstPacketOfAWriteIsNotAllOfIt(Peer peer) {
        RequestsByHand by = ready(peer);
        assertThat(by.refusals(by.write(0, Opcodes.WRITE_FIRST, MTU, MTU))).containsExactly("0 invalid");
        by = ready(peer);
        assertThat(by.refusals(by.write(0, Opcodes.WRITE_FIRST, MTU, MTU + 1), by.packet(1, Opcodes.WRITE_LAST, 1)))
                .isEmpty();
        by = ready(peer);
        assertThat(by.refusals(by.write(0, Opcodes.WRITE_FIRST, MTU, 2 * MTU), by.packet(1, Opcodes.WRITE_MIDDLE, MTU)))
                .containsExactly("1 invalid");
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void theRangeOfAnEmptyRequestIsNotChecked(Peer peer) {
        RequestsByHand by = ready(peer);
        assertThat(by.refusals(by.write(0, Opcodes.WRITE_ONLY, 0, 0, 99))).isEmpty();
        assertThat(by.refusals(by.read(1, 0, 0, 99))).containsExactly("1 read of 0");
        assertThat(by.refusals(by.read(2, 0, 1, 99))).containsExactly("2 access");
        by = ready(peer);
        assertThat(by.refusals(by.write(0, Opcodes.WRITE_ONLY, 1, 1, 99))).containsExactly("0 access");
    }

    // ---- memory that is gone, or in the wrong place

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aWriteWhoseMemoryIsRevokedInItsMiddleIsRefused(Peer peer) {
        RequestsByHand by = ready(peer);
        by.answers(by.write(0, Opcodes.WRITE_FIRST, MTU, MTU + 8));
        by.responder.region.isRevoked = true;
        assertThat(by.refusals(by.packet(1, Opcodes.WRITE_LAST, 8))).containsExactly("1 access");
        assertThat(by.responder.region.writes).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aMessageWhoseReceiveIsGoneIsRefused(Peer peer) {
        RequestsByHand by = ready(peer);
        by.inbox.isBufferGone = true;
        assertThat(by.refusals(by.packet(0, Opcodes.SEND_ONLY, 8))).containsExactly("0 operation");
        assertThat(by.inbox.arrivals).extracting(Inbox.Arrival::status).containsExactly(WorkStatus.LOC_ACCESS_ERR);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aNotificationIsAnAlignedWordOfItsKey(Peer peer) {
        for (int offset : new int[] {1, 4, 7}) {
            RequestsByHand by = ready(peer);
            assertThat(by.refusals(by.notify(0, offset, Region.KEY, 5))).containsExactly("0 invalid");
        }
        RequestsByHand by = ready(peer);
        assertThat(by.refusals(by.notify(0, 8, Region.KEY, 5))).isEmpty();
        assertThat(by.responder.region.word(8)).isEqualTo(5);
        assertThat(by.refusals(by.notify(1, 16, 99, 5))).containsExactly("1 access");
        assertThat(by.responder.region.word(16)).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anAtomicIsAnAlignedWordOfFourOrEightBytes(Peer peer) {
        record Case(long at, int opcode, int size, boolean isSound) {}
        for (Case one : List.of(
                new Case(8, WorkOpcode.FXOR, 8, true),
                new Case(12, WorkOpcode.FXOR, 4, true),
                new Case(12, WorkOpcode.FXOR, 8, false),
                new Case(10, WorkOpcode.FXOR, 4, false),
                new Case(8, WorkOpcode.FXOR, 2, false),
                new Case(8, WorkOpcode.FXOR, 16, false),
                new Case(8, WorkOpcode.WRITE, 8, false))) {
            RequestsByHand by = ready(peer);
            assertThat(by.refusals(by.atomic(0, one.at, one.opcode, one.size)))
                    .as("%s", one)
                    .containsExactly(one.isSound ? "0 atomic" : "0 invalid");
            assertThat(by.responder.region.atomics).isEqualTo(one.isSound ? 1 : 0);
        }
    }

    // ---- READs and atomics

    @Test
    void aSharedReadHasAtMostHalfAWindowOfPackets() {
        long most = ConnectionConfig.MAX_WINDOW_PACKETS / 2 * (long) MTU;
        RequestsByHand by = ready(Peer.SHARED);
        assertThat(by.refusals(by.read(0, 0, most, Region.KEY))).hasSize(2048);
        by = ready(Peer.SHARED);
        assertThat(by.refusals(by.read(0, 0, most + 1, Region.KEY))).containsExactly("0 invalid");
        RequestsByHand alone = ready(Peer.URMA4J);
        assertThat(alone.refusals(alone.read(0, 0, most + 1, Region.KEY))).hasSize(2049);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void withoutResourcesNothingIsRead(Peer peer) {
        var by = new RequestsByHand(peer, config -> config.reads(16, 0));
        assertThat(by.refusals(by.read(0, 0, 8, Region.KEY))).containsExactly("0 invalid");
        if (peer != Peer.FOREIGN) {
            by = new RequestsByHand(peer, config -> config.reads(16, 0));
            assertThat(by.refusals(by.atomic(0, 0, WorkOpcode.FADD, 8))).containsExactly("0 invalid");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void requestsBeyondTheResourcesAreIgnoredUntilThereIsRoom(Peer peer) {
        var by = new RequestsByHand(peer, config -> config.reads(16, 2));
        by.responder.room = 0;
        by.answers(by.read(0, 0, 8, Region.KEY), by.atomic(1, 0, WorkOpcode.FADD, 8));
        long before = by.responder.connection.traffic().count(Event.IGNORED);
        by.answers(by.read(2, 0, 8, Region.KEY));
        by.answers(by.atomic(2, 0, WorkOpcode.FADD, 8));
        assertThat(by.responder.connection.traffic().count(Event.IGNORED) - before)
                .isEqualTo(2);
        assertThat(by.responder.region.atomics).isEqualTo(1);

        by.responder.room = 100;

        assertThat(by.refusals()).containsExactly("0 read of 8", "1 atomic");
        assertThat(by.refusals(by.read(2, 0, 8, Region.KEY))).containsExactly("2 read of 8");
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aReadThatComesAgainIsAnsweredWithinItsRange(Peer peer) {
        RequestsByHand by = ready(peer);
        assertThat(by.refusals(by.read(0, 0, 3 * MTU, Region.KEY))).hasSize(3);

        assertThat(by.refusals(by.read(1, MTU, 2 * MTU, Region.KEY)))
                .as("the rest of it")
                .hasSize(2);
        assertThat(by.refusals(by.read(2, 2 * MTU, MTU, Region.KEY)))
                .as("its last packet")
                .hasSize(1);
        assertThat(by.refusals(by.read(1, MTU, 2 * MTU + 1, Region.KEY)))
                .as("more than it had")
                .isEmpty();
        assertThat(by.refusals(by.read(1, MTU + 8, MTU, Region.KEY)))
                .as("another place")
                .isEmpty();
        assertThat(by.refusals(by.read(1, MTU, 2 * MTU, 99))).as("another key").isEmpty();
        assertThat(by.refusalsSent()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anAtomicThatComesAgainIsAnsweredAndNotExecuted(Peer peer) {
        RequestsByHand by = ready(peer);
        Packet atomic = by.atomic(0, 0, WorkOpcode.FADD, 8);
        assertThat(by.refusals(atomic)).containsExactly("0 atomic");
        assertThat(by.refusals(atomic)).containsExactly("0 atomic");
        assertThat(by.refusals(by.read(0, 0, 8, Region.KEY)))
                .as("it was no READ")
                .isEmpty();
        assertThat(by.responder.region.atomics).isEqualTo(1);
        by.answers(by.read(1, 0, 8, Region.KEY));
        assertThat(by.refusals(by.atomic(1, 0, WorkOpcode.FADD, 8)))
                .as("it was no atomic")
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aReadWhoseMemoryIsRevokedBeforeItsAnswerIsRefusedOnce(Peer peer) {
        RequestsByHand by = ready(peer);
        by.responder.room = 0;
        by.answers(by.read(0, 0, 8, Region.KEY));
        by.responder.region.isRevoked = true;
        by.responder.room = 100;
        assertThat(by.refusals()).containsExactly("0 access");
        assertThat(by.answers()).isEmpty();
        assertThat(by.refusalsSent()).isEqualTo(1);
    }

    // ---- PSNs

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aGapIsReportedOnceAndCountsOnce(Peer peer) {
        RequestsByHand by = ready(peer);
        assertThat(by.answers(by.packet(1, Opcodes.SEND_ONLY, 8))).containsExactly("0 gap");
        assertThat(by.answers(by.packet(2, Opcodes.SEND_ONLY, 8))).isEmpty();
        assertThat(by.responder.connection.traffic().count(Event.GAP_SEEN)).isEqualTo(1);
        assertThat(by.answers(by.packet(0, Opcodes.SEND_ONLY, 8))).contains("0 ack");
        assertThat(by.answers(by.packet(5, Opcodes.SEND_ONLY, 8))).containsExactly("1 gap");
        assertThat(by.responder.connection.traffic().count(Event.GAP_SEEN)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aPacketThatComesAgainIsAcknowledgedAgain(Peer peer) {
        RequestsByHand by = ready(peer);
        assertThat(by.answers(by.packet(0, Opcodes.SEND_ONLY, 8), by.packet(1, Opcodes.SEND_ONLY, 8)))
                .contains("1 ack");
        assertThat(by.answers(by.packet(0, Opcodes.SEND_ONLY, 8))).containsExactly("1 ack");
        assertThat(by.responder.connection.traffic().count(Event.DUPLICATE)).isEqualTo(1);
        assertThat(by.inbox.arrivals).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aPacketOfNoWindowOfAnUrma4jPeerIsIgnored(Peer peer) {
        int window = ConnectionConfig.MAX_WINDOW_PACKETS;
        for (int psn : new int[] {-window - 1, window + 1}) {
            RequestsByHand by = ready(peer);
            assertThat(by.answers(by.packet(psn, Opcodes.SEND_ONLY, 8))).hasSize(peer == Peer.FOREIGN ? 1 : 0);
        }
        for (int psn : new int[] {-window, window}) {
            RequestsByHand by = ready(peer);
            assertThat(by.answers(by.packet(psn, Opcodes.SEND_ONLY, 8))).hasSize(1);
        }
    }

    // ---- behind a refusal

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void behindARefusalNothingIsExecutedOnAConnectionOfOneQueue(Peer peer) {
        RequestsByHand by = ready(peer);
        assertThat(by.answers(by.write(0, Opcodes.WRITE_ONLY, 8, 8, 99))).containsExactly("0 access");
        assertThat(by.answers(by.write(0, Opcodes.WRITE_ONLY, 8, 8))).containsExactly("0 access");
        assertThat(by.answers(by.write(1, Opcodes.WRITE_ONLY, 8, 8))).containsExactly("0 access");
        assertThat(by.responder.region.writes).isZero();
        assertThat(by.refusalsSent()).isEqualTo(1);
        assertThat(by.responder.refusals).hasSize(1);
    }

    @Test
    void theRestOfARefusedMessageIsDiscardedOnASharedConnection() {
        RequestsByHand by = ready(Peer.SHARED);
        assertThat(by.refusals(by.write(0, Opcodes.WRITE_FIRST, MTU, 3 * MTU, 99)))
                .containsExactly("0 access");
        assertThat(by.answers(by.packet(1, Opcodes.WRITE_MIDDLE, MTU))).containsExactly("1 ack");
        assertThat(by.answers(by.packet(2, Opcodes.WRITE_LAST, MTU))).containsExactly("2 ack");
        assertThat(by.refusalsSent()).isEqualTo(1);
        assertThat(by.refusals(by.packet(3, Opcodes.WRITE_LAST, MTU)))
                .as("of no message")
                .containsExactly("3 invalid");
        assertThat(by.refusals(by.packet(4, Opcodes.WRITE_LAST, MTU)))
                .as("nor is this")
                .containsExactly("4 invalid");
        assertThat(by.refusals(by.write(5, Opcodes.WRITE_ONLY, 8, 8))).isEmpty();
        assertThat(by.responder.region.writes).isEqualTo(1);
    }

    @Test
    void aNewMessageEndsTheRestOfARefusedOne() {
        RequestsByHand by = ready(Peer.SHARED);
        by.answers(by.write(0, Opcodes.WRITE_FIRST, MTU, 3 * MTU, 99));
        assertThat(by.refusals(by.packet(1, Opcodes.SEND_ONLY, 8))).isEmpty();
        assertThat(by.inbox.arrivals).hasSize(1);
    }

    /** The requester goes back: each verdict is repeated at its PSN, and the rest of the message draws its own. */
    @Test
    void aRefusalIsRepeatedWhenItsMessageComesAgain() {
        RequestsByHand by = ready(Peer.SHARED);
        Packet first = by.write(0, Opcodes.WRITE_FIRST, MTU, 3 * MTU, 99);
        Packet middle = by.packet(1, Opcodes.WRITE_MIDDLE, MTU);
        Packet last = by.packet(2, Opcodes.WRITE_LAST, MTU);
        Packet next = by.write(3, Opcodes.WRITE_ONLY, 8, 8);
        by.answers(first, middle, last, next);

        assertThat(by.refusals(first)).containsExactly("0 access");
        assertThat(by.refusals(middle)).containsExactly("1 access");
        assertThat(by.refusals(last)).containsExactly("2 access");
        assertThat(by.refusals(next)).isEmpty();
        assertThat(by.refusals(first)).as("from the start again").containsExactly("0 access");
        assertThat(by.responder.region.writes).isEqualTo(1);
    }

    @Test
    void aMessageThatWasNotReadyIsRepeatedAsThat() {
        RequestsByHand by = new RequestsByHand(Peer.SHARED);
        Packet first = by.packet(0, Opcodes.SEND_FIRST, MTU);
        Packet last = by.packet(1, Opcodes.SEND_LAST, 8);
        assertThat(by.refusals(first)).containsExactly("0 rnr");
        assertThat(by.refusals(last)).isEmpty();
        assertThat(by.responder.connection.traffic().count(Event.RNR_SENT)).isEqualTo(1);
        assertThat(by.refusals(first)).containsExactly("0 rnr");
        assertThat(by.refusals(last)).containsExactly("1 rnr");
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aMessageThatWasNotReadyIsTriedAgainFromItsPacket(Peer peer) {
        RequestsByHand by = new RequestsByHand(peer);
        Packet first = by.write(0, Opcodes.WRITE_FIRST, MTU, MTU + 8);
        Packet last = by.packet(1, Opcodes.WRITE_LAST_IMM, 8);
        assertThat(by.refusals(first, last)).containsExactly("1 rnr");
        by.inbox.post(1);
        assertThat(by.refusals(last)).isEmpty();
        assertThat(by.inbox.arrivals).extracting(Inbox.Arrival::lengthBytes).containsExactly(MTU + 8L);
        assertThat(by.responder.connection.traffic().count(Event.RNR_SENT)).isEqualTo(1);
    }

    // ---- messages whose payload is gone

    @Test
    void aMessageThatEndsWithoutItsPayloadGivesItsReceiveBack() {
        RequestsByHand by = ready(Peer.SHARED);
        by.answers(by.packet(0, Opcodes.SEND_FIRST, MTU));
        assertThat(by.inbox.posted()).isEqualTo(3);
        assertThat(by.answers(by.resync(1, true))).containsExactly("1 ack");
        assertThat(by.inbox.posted()).isEqualTo(4);
        assertThat(by.inbox.arrivals).isEmpty();
        assertThat(by.refusals(by.packet(2, Opcodes.SEND_LAST, 8))).containsExactly("2 invalid");
    }

    @Test
    void aRefusedMessageThatEndsWithoutItsPayloadStaysRefused() {
        RequestsByHand by = ready(Peer.SHARED);
        by.answers(by.write(0, Opcodes.WRITE_FIRST, MTU, 4 * MTU, 99));
        Packet middle = by.resync(1, false);
        Packet end = by.resync(2, true);
        assertThat(by.answers(middle)).containsExactly("1 ack");
        assertThat(by.answers(end)).containsExactly("2 ack");
        assertThat(by.refusals(middle)).as("again").containsExactly("1 access");
        assertThat(by.refusals(end)).as("again").containsExactly("2 access");
        assertThat(by.refusals(by.packet(3, Opcodes.WRITE_LAST, 8)))
                .as("it is over")
                .containsExactly("3 invalid");
    }

    // ---- a port without room

    @ParameterizedTest
    @EnumSource(Peer.class)
    void whatIsDueWaitsForRoomAndIsSentOnce(Peer peer) {
        waitsForRoom(peer, by -> by.packet(0, Opcodes.SEND_ONLY, 8), "0 ack");
        waitsForRoom(peer, by -> by.packet(1, Opcodes.SEND_ONLY, 8), "0 gap");
        waitsForRoom(peer, by -> by.packet(0, Opcodes.SEND_MIDDLE, MTU), "0 invalid");
        waitsForRoom(peer, by -> by.read(0, 0, 8, Region.KEY), "0 read of 8");
        if (peer != Peer.FOREIGN) {
            waitsForRoom(peer, by -> by.atomic(0, 0, WorkOpcode.FADD, 8), "0 atomic");
        }
    }

    private static void waitsForRoom(Peer peer, Function<RequestsByHand, Packet> request, String answer) {
        RequestsByHand by = ready(peer);
        by.responder.room = 0;
        assertThat(by.answers(request.apply(by))).isEmpty();
        assertThat(by.answers()).isEmpty();
        by.responder.room = 100;
        assertThat(by.answers()).as("%s", answer).startsWith(answer).doesNotHaveDuplicates();
        assertThat(by.answers()).as("once").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void anAnswerGoesOnWhereThePortHadNoRoom(int room) {
        RequestsByHand by = ready(Peer.URMA4J);
        by.responder.room = room;
        assertThat(by.answers(by.read(0, 0, 4 * MTU, Region.KEY))).hasSize(room);
        by.responder.room = 100;
        assertThat(by.answers()).hasSize(4 - room).first().isEqualTo(room + " read of 1024");
    }
}
