package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.AnswersByHand.MTU;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.udma.ring.RnrTimer;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Opcodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an answer completes, and which answers complete nothing, each rule at its bound. */
class AnswerRulesTest {
    private static final int RNR = Aeth.rnrNak(12);

    private static AnswersByHand threeWrites(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        for (int i = 0; i < 3; i++) {
            by.out.write(8, 0);
        }
        assertThat(by.sends()).containsExactly(0, 1, 2);
        return by;
    }

    // ---- acknowledgements

    @ParameterizedTest
    @EnumSource(Peer.class)
    void anAcknowledgementCompletesUpToItsPsnAndNothingBeyondTheLastOne(Peer peer) {
        AnswersByHand by = threeWrites(peer);
        by.acknowledges(3, 3);
        assertThat(by.out.results).as("never sent").isEmpty();
        assertThat(by.ignored()).isEqualTo(1);
        by.acknowledges(0, 1);
        assertThat(by.out.statuses()).hasSize(1);
        by.acknowledges(2, 3);
        assertThat(by.out.statuses()).containsExactly(0, 0, 0);
        by.acknowledges(1, 2);
        assertThat(by.ignored()).as("of long ago").isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aRefusalOfWhatWasNeverSentIsIgnored(Peer peer) {
        for (int syndrome : new int[] {Aeth.NAK_REMOTE_ACCESS, RNR}) {
            AnswersByHand by = threeWrites(peer);
            by.says(3, syndrome, 3);
            assertThat(by.out.results).isEmpty();
            assertThat(by.ignored()).isEqualTo(1);
            assertThat(by.requester.failures).isEmpty();
            assertThat(by.requester.connection.traffic().count(Event.RNR_RECEIVED))
                    .isZero();
            assertThat(by.refusalsReceived()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aGapBehindTheLastPacketAcknowledgesAll(Peer peer) {
        AnswersByHand by = threeWrites(peer);
        by.says(3, Aeth.NAK_SEQUENCE, 3);
        assertThat(by.out.statuses()).containsExactly(0, 0, 0);
        assertThat(by.sends()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aGapHasTheRestRetransmitted(Peer peer) {
        AnswersByHand by = threeWrites(peer);
        by.says(1, Aeth.NAK_SEQUENCE, 1);
        assertThat(by.out.statuses()).hasSize(1);
        assertThat(by.sends()).containsExactly(1, 2);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aRefusalEndsAConnectionOfOneQueue(Peer peer) {
        AnswersByHand by = threeWrites(peer);
        by.says(1, Aeth.NAK_REMOTE_ACCESS, 1);
        assertThat(by.out.statuses())
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.REM_ACCESS_ABORT_ERR, WorkStatus.WR_FLUSH_ERR);
        assertThat(by.requester.failures).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
    }

    @Test
    void aSharedConnectionTakesARefusalOnceAndGoesOn() {
        AnswersByHand by = threeWrites(Peer.SHARED);
        by.says(1, Aeth.NAK_REMOTE_ACCESS, 1);
        by.says(1, Aeth.NAK_INVALID_REQUEST, 1);
        assertThat(by.out.results).as("a refusal acknowledges nothing").isEmpty();
        assertThat(by.refusalsReceived()).isEqualTo(1);
        by.acknowledges(2, 2);
        assertThat(by.out.statuses())
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.REM_ACCESS_ABORT_ERR, WorkStatus.SUCCESS);
    }

    /** An acknowledgement must not stand for a refusal that was lost. */
    @Test
    void aSharedConnectionCountsTheMessagesThatSucceeded() {
        for (int msn : new int[] {2, 4}) {
            AnswersByHand by = threeWrites(Peer.SHARED);
            by.acknowledges(2, msn);
            assertThat(by.out.results).isEmpty();
            assertThat(by.sends()).as("all of it again").containsExactly(0, 1, 2);
        }
    }

    @Test
    void aQueueThatIsNotReadyWaitsAsLongAsItIsAskedTo() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        by.out.send(8);
        by.sends();
        by.says(0, RNR, 0);
        by.says(0, RNR, 0);
        assertThat(by.requester.connection.traffic().count(Event.RNR_RECEIVED)).isEqualTo(1);
        by.acknowledges(0, 0);
        assertThat(by.out.notReady).isEqualTo(1);
        assertThat(by.out.retryAtNanos()).isEqualTo(by.pair.now + RnrTimer.nanos(12));
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anAcknowledgementThatCameAlongIsOne(Peer peer) {
        AnswersByHand by = threeWrites(peer);
        by.requester.inbox(Pair.LEFT, 64).post(4);
        by.requester.inbox(RequestsByHand.TARGET, 64).post(4);
        by.acknowledgesAlong(0, 1, 2);
        assertThat(by.out.statuses()).hasSize(2);
        by.acknowledgesAlong(1, 0, 1);
        assertThat(by.ignored()).as("of before").isEqualTo(1);
        assertThat(by.out.statuses()).hasSize(2);
        assertThat(by.sends().stream().filter(psn -> psn == 2))
                .as("nothing went back")
                .isEmpty();
        by.acknowledgesAlong(2, 2, 3);
        assertThat(by.out.statuses()).hasSize(3);
    }

    // ---- answers of READs

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aReadHasExactlyTheBytesThatWereRequested(Peer peer) {
        for (int length : new int[] {7, 9}) {
            AnswersByHand by = new AnswersByHand(peer);
            by.out.read(0, 8, 0);
            by.sends();
            by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, length, 1);
            assertThat(by.out.statuses()).containsExactly(WorkStatus.REM_RESP_LEN_ERR);
        }
        AnswersByHand by = new AnswersByHand(peer);
        by.out.read(0, 8, 0);
        by.sends();
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(by.out.got(7)).isEqualTo((byte) 7);
        assertThat(by.out.got(8)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aReadOfSeveralPacketsEndsWithTheLast(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.read(0, 2 * MTU + 8, 0);
        by.sends();
        by.answersRead(0, Opcodes.READ_RESPONSE_FIRST, MTU, 1);
        by.answersRead(1, Opcodes.READ_RESPONSE_MIDDLE, MTU, 1);
        assertThat(by.out.results).isEmpty();
        by.answersRead(2, Opcodes.READ_RESPONSE_LAST, 8, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(by.out.got(2 * MTU + 7)).isEqualTo((byte) 7);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void anAnswerOfAnotherKindCompletesNothing(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.read(0, 8, 0);
        by.out.atomic(WorkOpcode.FADD, 8, 8, 0, 1, 0);
        by.out.write(8, 0);
        by.sends();
        by.answersAtomic(0, 5, 1);
        assertThat(by.out.results).isEmpty();
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        by.answersRead(1, Opcodes.READ_RESPONSE_ONLY, 8, 2);
        assertThat(by.out.results).hasSize(1);
        by.answersAtomic(1, 5, 2);
        by.answersRead(2, Opcodes.READ_RESPONSE_ONLY, 8, 3);
        assertThat(by.out.results).hasSize(2);
        by.acknowledges(2, 3);
        assertThat(by.out.statuses()).containsExactly(0, 0, 0);
        assertThat(by.out.buffer.get(JAVA_LONG_UNALIGNED, 8)).isEqualTo(5);
    }

    /** Its answer is lost: the acknowledgement of what follows does not complete it. */
    @ParameterizedTest
    @EnumSource(Peer.class)
    void noAcknowledgementPassesAReadThatWasNotAnswered(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.write(8, 0);
        by.out.read(0, 8, 0);
        by.out.write(8, 0);
        by.sends();
        by.acknowledges(2, 3);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
        by.answersRead(1, Opcodes.READ_RESPONSE_ONLY, 8, 2);
        assertThat(by.out.statuses()).containsExactly(0, 0);
        by.acknowledges(2, 3);
        assertThat(by.out.statuses()).containsExactly(0, 0, 0);
    }

    @Test
    void anAtomicOfFourBytesBringsFourBytes() {
        AnswersByHand by = new AnswersByHand(Peer.URMA4J);
        by.out.buffer.asSlice(0, 16).fill((byte) 9);
        by.out.atomic(WorkOpcode.FADD, 4, 4, 0, 1, 0);
        by.sends();
        by.answersAtomic(0, 0xFFFF_FFFF_0102_0304L, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(by.out.buffer.asSlice(4, 4).toArray(JAVA_BYTE)).containsExactly(4, 3, 2, 1);
        assertThat(by.out.got(3)).isEqualTo((byte) 9);
        assertThat(by.out.got(8)).isEqualTo((byte) 9);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void anAnswerWhoseBufferIsGoneFailsItsRequest(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.read(0, 8, 0);
        by.sends();
        by.out.isBufferGone = true;
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.LOC_ACCESS_ERR);

        by = new AnswersByHand(peer);
        by.out.isBufferGone = true;
        by.out.read(0, 0, 0);
        by.sends();
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 0, 1);
        assertThat(by.out.statuses()).as("an empty one has none").containsExactly(WorkStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anEarlyAnswerIsKeptIfOnlyLostPacketsAreRetransmitted(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, ConnectionConfig.Builder::selective);
        by.out.read(0, 8, 0);
        by.out.read(8, 8, 0);
        by.sends();
        by.answersRead(1, Opcodes.READ_RESPONSE_ONLY, 8, 2);
        assertThat(by.out.results).isEmpty();
        assertThat(by.out.got(8)).isEqualTo((byte) 7);
        by.out.buffer.set(JAVA_BYTE, 8, (byte) 1);
        by.answersRead(1, Opcodes.READ_RESPONSE_ONLY, 8, 2);
        assertThat(by.out.got(8)).as("the second one is not placed").isEqualTo((byte) 1);
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        assertThat(by.out.statuses()).containsExactly(0, 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void anEarlyAnswerShowsThatOneIsLostIfAllIsRetransmitted(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.read(0, 2 * MTU, 0);
        by.out.read(0, 8, 0);
        by.sends();
        by.answersRead(1, Opcodes.READ_RESPONSE_MIDDLE, MTU, 1);
        assertThat(by.sends()).as("both requests").containsExactly(0, 2);
    }

    // ---- what a connection takes at all

    @ParameterizedTest
    @EnumSource(Peer.class)
    void packetsOfOtherConnectionsAreIgnored(Peer peer) {
        AnswersByHand by = threeWrites(peer);
        int others = peer == Peer.SHARED ? Opcodes.RC : Opcodes.RD;
        by.arrives(others | Opcodes.ACKNOWLEDGE, 2);
        assertThat(by.ignored()).isEqualTo(1);
        if (peer == Peer.FOREIGN) {
            by.arrives(Opcodes.OURS_RC | Opcodes.SELECTIVE_ACK, 2);
            assertThat(by.ignored()).isEqualTo(2);
        }
        assertThat(by.out.results).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aConnectionThatIsClosedTakesNothing(Peer peer) {
        AnswersByHand by = threeWrites(peer);
        long heard = by.requester.connection.lastHeardNanos();
        by.pair.now += 1000;
        by.requester.connection.close();
        by.acknowledges(2, 3);
        assertThat(by.requester.connection.lastHeardNanos()).isEqualTo(heard);
        assertThat(by.out.results).isEmpty();
        assertThat(by.sends()).isEmpty();
        assertThat(by.requester.connection.mayStart(by.out, 0)).isFalse();
        assertThatThrownBy(() -> by.requester.connection.start(by.out, 0, 0, true))
                .isInstanceOf(IllegalStateException.class);
        assertThat(by.requester.connection.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aClosedConnectionGivesAReceiveBack() {
        RequestsByHand by = new RequestsByHand(Peer.URMA4J);
        by.inbox.post(1);
        by.answers(by.packet(0, Opcodes.SEND_FIRST, MTU));
        assertThat(by.inbox.posted()).isZero();
        by.responder.connection.close();
        assertThat(by.inbox.posted()).isEqualTo(1);
    }

    // ---- what a peer can execute

    @Test
    void aForeignPeerIsAskedForWhatRoceHas() {
        record Case(int opcode, int length, long operand, boolean isPossible) {}
        for (Case one : new Case[] {
            new Case(WorkOpcode.CAS, 8, 0, true),
            new Case(WorkOpcode.FADD, 8, 0, true),
            new Case(WorkOpcode.CAS, 4, 0, false),
            new Case(WorkOpcode.FADD, 4, 0, false),
            new Case(WorkOpcode.SWAP, 8, 0, false),
            new Case(WorkOpcode.SEND_IMM, 8, 0xFFFF_FFFFL, true),
            new Case(WorkOpcode.SEND_IMM, 8, 0x1_0000_0000L, false),
            new Case(WorkOpcode.WRITE_IMM, 8, -1, false),
            new Case(WorkOpcode.WRITE_NOTIFY, 8, 0, false)
        }) {
            AnswersByHand by = new AnswersByHand(Peer.FOREIGN);
            by.out.post(one.opcode, 0, one.length, 0, one.operand, 0);
            assertThat(by.sends()).as("%s", one).hasSize(one.isPossible ? 1 : 0);
            if (!one.isPossible) {
                assertThat(by.out.statuses()).containsExactly(WorkStatus.UNSUPPORTED_OPCODE_ERR);
            }
        }
    }

    @Test
    void anUrma4jPeerIsAskedForAtomicsOfFourAndEightBytes() {
        for (int length : new int[] {2, 4, 8, 16}) {
            AnswersByHand by = new AnswersByHand(Peer.SHARED);
            by.out.atomic(WorkOpcode.SWAP, 0, length, 0, 1, 0);
            assertThat(by.sends()).as("%d bytes", length).hasSize(length == 4 || length == 8 ? 1 : 0);
        }
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void withoutResourcesAtThePeerNothingIsRead(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, config -> config.reads(0, 16));
        by.out.read(0, 8, 0);
        by.sends();
        assertThat(by.out.statuses()).containsExactly(WorkStatus.UNSUPPORTED_OPCODE_ERR);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void twiceAWindowOfMessagesMayStart(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, config -> config.windowPackets(2));
        for (int i = 0; i < 10; i++) {
            by.out.write(8, 0);
        }
        int started = 0;
        while (by.requester.connection.mayStart(by.out, started)) {
            by.out.begun(started);
            by.requester.connection.start(by.out, started++, RequestsByHand.TARGET, true);
        }
        assertThat(started).isEqualTo(4);
        assertThat(by.sends()).as("a window").containsExactly(0, 1);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void atMostThePromisedReadsAreInFlight(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, config -> config.reads(2, 16));
        for (int i = 0; i < 3; i++) {
            by.out.read(0, 8, 0);
        }
        assertThat(by.sends()).containsExactly(0, 1);
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        assertThat(by.sends()).containsExactly(2);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aFencedRequestWaitsForTheReadsOfItsQueue(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.read(0, 8, 0);
        by.out.post(WorkOpcode.WRITE, WorkOpcode.FENCE, 0, 8, 0, 0, 0);
        assertThat(by.sends()).containsExactly(0);
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        assertThat(by.sends()).containsExactly(1);
        by.out.post(WorkOpcode.WRITE, WorkOpcode.FENCE, 0, 8, 0, 0, 0);
        assertThat(by.sends()).as("a WRITE holds up no fence").containsExactly(2);
    }

    @Test
    void aFenceDoesNotWaitForAnotherQueue() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        by.out.read(0, 8, 0);
        Outbox other = by.requester.outbox(0x101, 0x201);
        other.post(WorkOpcode.WRITE, WorkOpcode.FENCE, 0, 8, 0, 0, 0);
        assertThat(by.sends()).containsExactly(0, 1);
    }
}
