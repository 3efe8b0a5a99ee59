package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.AnswersByHand.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Header;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long requests are divided into messages, and what becomes of the rest if a message is refused or its queue gives up. */
class LongRequestRulesTest {
    private static final long MS = 1_000_000;
    private static final int RNR = Aeth.rnrNak(12);

    // ---- WRITEs of a shared connection

    @ParameterizedTest
    @ValueSource(ints = {32, 33})
    void aWriteOfUpTo32PacketsHoldsUpNoOtherRequestOfItsQueue(int packets) {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        by.out.write(packets * MTU, 0);
        by.out.write(8, 0);
        by.out.run(by.requester.connection, by.pair.now);
        assertThat(by.requester.connection.mayStart(by.out, 2)).isEqualTo(packets == 32);
    }

    @Test
    void longWritesOfTwoQueuesAlternate() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        Outbox other = by.requester.outbox(0x101, 0x201);
        by.out.write(200 * MTU, 0);
        other.write(200 * MTU, 0);
        List<Integer> sources = new ArrayList<>();
        while (sources.size() < 96) {
            by.pair.now += MS;
            by.sends();
            by.requester.sent.forEach(packet -> sources.add(Deth.sourceQp(packet.bytes(), packet.at(Header.DETH))));
            by.acknowledges(sources.size() - 1, sources.size());
        }
        List<Integer> behindTheFirst32OfEach = sources.subList(64, 96);
        assertThat(Collections.frequency(behindTheFirst32OfEach, RequestsByHand.SOURCE))
                .isEqualTo(16);
    }

    /** A step has sent its burst, all of it is acknowledged, and the next message of the WRITE does not exist yet. */
    private static AnswersByHand betweenTwoMessages() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        by.out.write(2000 * MTU, 0);
        int sent = 0;
        do {
            by.pair.now += MS;
            by.steps();
            sent += by.requester.sent.size();
            by.acknowledges(sent - 1, sent);
        } while (by.requester.sent.size() < 64);
        assertThat(by.out.results).isEmpty();
        return by;
    }

    @Test
    void aWriteThatIsBetweenTwoMessagesEndsWithItsConnection() {
        AnswersByHand by = betweenTwoMessages();
        by.requester.connection.fail(WorkStatus.ACK_TIMEOUT_ERR, by.pair.now);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.ACK_TIMEOUT_ERR);
        assertThat(by.requester.connection.isIdle()).isTrue();
    }

    @Test
    void aWriteThatIsBetweenTwoMessagesEndsWithItsQueue() {
        AnswersByHand by = betweenTwoMessages();
        by.requester.connection.abandon(by.out, WorkStatus.WR_FLUSH_ERR);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR);
        assertThat(by.requester.connection.isIdle()).isTrue();
        assertThat(by.sends()).isEmpty();
    }

    @Test
    void theRestOfAnAbandonedWriteThatHasNoPsnIsNotSent() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED, config -> config.windowPackets(2));
        by.out.write(4 * MTU, 0);
        assertThat(by.sends()).containsExactly(0, 1);
        by.requester.connection.abandon(by.out, WorkStatus.WR_FLUSH_ERR);
        by.acknowledges(1, 2);
        assertThat(by.sends()).isEmpty();
        assertThat(by.requester.connection.isIdle()).isTrue();
    }

    // ---- refusals

    /** A WRITE takes no receive: an RNR NAK refuses it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theRestOfARefusedWriteThatHasNoPsnIsNotSent(boolean isNotReady) {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        by.out.write(100 * MTU, 0);
        assertThat(by.sends()).hasSize(16);
        by.says(3, isNotReady ? RNR : Aeth.NAK_REMOTE_ACCESS, 3);
        by.acknowledges(15, 15);
        assertThat(by.sends()).as("its PSN was assigned").containsExactly(16);
        by.acknowledges(16, 16);
        assertThat(by.sends()).isEmpty();
        assertThat(by.requester.connection.mayStart(by.out, 1)).isTrue();
        assertThat(by.out.statuses())
                .containsExactly(isNotReady ? WorkStatus.REM_OPERATION_ERR : WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(by.out.notReady).isZero();
    }

    /** It would be repeated at once, for ever: a queue waits for its messages alone. */
    @ParameterizedTest
    @ValueSource(ints = {WorkOpcode.WRITE, WorkOpcode.READ, WorkOpcode.FADD})
    void anRnrNakRefusesWhatTakesNoReceive(int opcode) {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        by.out.post(opcode, 0, 8, 0, 1, 0);
        assertThat(by.sends()).containsExactly(0);
        by.says(0, RNR, 0);
        by.acknowledges(0, WorkOpcode.isFetch(opcode) ? 1 : 0);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.REM_OPERATION_ERR);
        assertThat(by.out.notReady).isZero();
        assertThat(by.sends()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {WorkOpcode.SEND, WorkOpcode.SEND_IMM, WorkOpcode.SEND_INVALIDATE, WorkOpcode.WRITE_IMM})
    void anRnrNakHasWhatTakesAReceiveWait(int opcode) {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        by.out.post(opcode, 0, 8, 0, 1, 0);
        assertThat(by.sends()).containsExactly(0);
        by.says(0, RNR, 0);
        by.acknowledges(0, 0);
        assertThat(by.out.results).isEmpty();
        assertThat(by.out.notReady).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theRestOfARefusedMessageIsNotSent(boolean isNotReady) {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        Outbox other = by.requester.outbox(0x101, 0x201);
        by.requester.room = 2;
        by.out.send(4 * MTU);
        assertThat(by.sends()).containsExactly(0, 1);
        by.requester.room = Integer.MAX_VALUE;
        by.says(0, isNotReady ? RNR : Aeth.NAK_REMOTE_OPERATION, 0);
        assertThat(by.sends()).isEmpty();
        other.write(8, 0);
        assertThat(by.sends()).as("the next PSN is free").containsExactly(2);
        by.acknowledges(2, 1);
        assertThat(other.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(by.out.results).hasSize(isNotReady ? 0 : 1);
        assertThat(by.out.notReady).isEqualTo(isNotReady ? 1 : 0);
    }

    // ---- READs

    @ParameterizedTest
    @EnumSource(Peer.class)
    void atLeastFourReadsShareTheBudget(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, config -> config.reads(4, 16).readBudgetBytes(8 * MTU));
        by.out.read(0, 20 * MTU, 0);
        assertThat(by.sends()).containsExactly(0, 2, 4, 6);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void fewerReadsMayEachTakeTheBudget(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, config -> config.reads(3, 16).readBudgetBytes(5 * MTU));
        by.out.read(0, 10 * MTU, 0);
        assertThat(by.sends()).as("half of it").containsExactly(0);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void readsUpToTheBudgetAreInFlight(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, config -> config.reads(3, 16).readBudgetBytes(4 * MTU));
        by.out.read(0, 2 * MTU, 0);
        by.out.read(0, 2 * MTU, 0);
        by.out.read(0, 8, 0);
        assertThat(by.sends()).containsExactly(0, 2);
    }
}
