package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.AnswersByHand.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.RnrTimer;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a requester sends again, what of it, and when it gives up; and what of its packets ask for an acknowledgement. */
class RetransmissionRulesTest {
    private static final long MS = 1_000_000;
    private static final int RNR = Aeth.rnrNak(12);

    private static List<Integer> afterTimeout(AnswersByHand by) {
        by.pair.now = by.requester.connection.deadlineNanos() - 1;
        assertThat(by.sends()).as("before the deadline").isEmpty();
        by.pair.now++;
        return by.sends();
    }

    // ---- timeouts

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aTimeoutHasAllRetransmittedAsFarAsTheWindowAllows(Peer peer) {
        AnswersByHand by = AnswersByHand.writes(peer, 3, config -> config);
        assertThat(afterTimeout(by)).containsExactly(0);
        assertThat(by.requester.connection.traffic().count(Event.TIMEOUT)).isEqualTo(1);
        by.acknowledges(0, 1);
        assertThat(by.sends()).startsWith(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void theFirstTimeoutProbesTheOldestIfOnlyLostPacketsAreRetransmitted(Peer peer) {
        AnswersByHand by = AnswersByHand.writes(peer, 3, ConnectionConfig.Builder::selective);
        assertThat(afterTimeout(by)).containsExactly(0);
        by.acknowledges(2, 3);
        assertThat(by.out.statuses()).as("the others had arrived").containsExactly(0, 0, 0);
        assertThat(by.requester.connection.traffic().count(Event.RETRANSMITTED)).isEqualTo(1);
        assertThat(by.requester.connection.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void theSecondTimeoutRetransmitsAllThatIsUnacknowledged(Peer peer) {
        AnswersByHand by = AnswersByHand.writes(peer, 3, ConnectionConfig.Builder::selective);
        afterTimeout(by);
        afterTimeout(by);
        by.acknowledges(0, 1);
        assertThat(by.sends()).containsExactly(1, 2);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aPeerThatDoesNotAnswerIsSilentAfterItsRetries(Peer peer) {
        AnswersByHand by = AnswersByHand.writes(peer, 2, config -> config.timeout(100 * MS, 2));
        long began = by.pair.now;
        while (by.requester.failures.isEmpty()) {
            by.pair.now = by.requester.connection.deadlineNanos();
            by.sends();
        }
        assertThat(by.requester.failures).containsExactly(WorkStatus.ACK_TIMEOUT_ERR);
        assertThat(by.pair.now - began).isBetween(300 * MS, 400 * MS);
        assertThat(by.out.statuses().length).isEqualTo(2);
        assertThat(by.out.statuses()[0]).isEqualTo(WorkStatus.ACK_TIMEOUT_ERR);
    }

    /** The bytes may have changed since the ICRC was computed. Foreign peers get no packet that is long enough to refer. */
    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aRetransmissionCarriesACopy(Peer peer) {
        AnswersByHand by = AnswersByHand.writes(peer, 2, ConnectionConfig.Builder::selective);
        assertThat(by.out.mayRefer).containsExactly(true, true);
        afterTimeout(by);
        assertThat(by.out.mayRefer).hasSizeGreaterThan(2);
        assertThat(by.out.mayRefer.subList(2, by.out.mayRefer.size())).containsOnly(false);
        by.acknowledges(1, 2);
        by.sends();
        by.out.mayRefer.clear();
        by.out.write(8, 0);
        by.sends();
        assertThat(by.out.mayRefer).as("of the next WRITE").containsExactly(true);
    }

    // ---- gaps

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aGapIsRetransmittedOnceInARoundTrip(Peer peer) {
        AnswersByHand by = AnswersByHand.writes(peer, 1, config -> config);
        by.pair.now += MS;
        by.acknowledges(0, 1);
        for (int i = 0; i < 3; i++) {
            by.out.write(8, 0);
        }
        assertThat(by.sends()).containsExactly(1, 2, 3);
        by.pair.now += MS;
        by.says(1, Aeth.NAK_SEQUENCE, 1);
        assertThat(by.sends()).containsExactly(1, 2, 3);
        by.pair.now += MS / 2;
        by.says(1, Aeth.NAK_SEQUENCE, 1);
        assertThat(by.sends()).as("of the packets behind the missing one").isEmpty();
        by.pair.now += MS / 2;
        by.says(1, Aeth.NAK_SEQUENCE, 1);
        assertThat(by.sends()).as("the retransmission was lost").startsWith(1);
    }

    // ---- a receiver that is not ready

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aReceiverThatIsNotReadyIsTriedWhenItsTimeIsOver(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.send(8);
        by.out.send(8);
        by.sends();
        long until = by.pair.now + RnrTimer.nanos(12);
        by.says(0, RNR, 0);
        assertThat(by.sends()).isEmpty();
        assertThat(by.requester.connection.deadlineNanos()).isEqualTo(until);
        by.pair.now = until - 1;
        assertThat(by.sends()).isEmpty();
        by.pair.now = until;
        assertThat(by.sends()).containsExactly(0, 1);
        by.acknowledges(1, 2);
        assertThat(by.requester.connection.deadlineNanos())
                .as("nothing is awaited")
                .isEqualTo(Long.MAX_VALUE);
    }

    /** The NAK was of an earlier transmission, and a later one has found a receive. */
    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aMessageThatWasTakenAfterAllEndsTheWaitForItsReceiver(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.send(8);
        by.out.send(8);
        assertThat(by.sends()).containsExactly(0, 1);
        by.says(0, RNR, 0);
        assertThat(by.sends()).isEmpty();
        by.acknowledges(0, 1);
        assertThat(by.sends()).containsExactly(1);
        by.acknowledges(1, 2);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.SUCCESS);
    }

    /** A copy may last longer than the hold. Its end has the connection stepped, and until then there is nothing to do. */
    @Test
    void aHoldThatIsOverIsNoDeadlineForAPayloadThatIsNotFetched() {
        AnswersByHand by = new AnswersByHand(Peer.URMA4J);
        by.out.send(8);
        by.sends();
        by.says(0, RNR, 0);
        by.out.isPayloadLate = true;
        by.pair.now += RnrTimer.nanos(12);

        assertThat(by.sends()).isEmpty();
        assertThat(by.requester.connection.deadlineNanos()).isEqualTo(Long.MAX_VALUE);

        by.out.isPayloadLate = false;
        assertThat(by.sends()).containsExactly(0);
    }

    // ---- which packets ask

    private List<Integer> asking(AnswersByHand by) {
        int first = Bth.psn(by.requester.sent.getFirst().bytes());
        return by.requester.sent.stream()
                .filter(packet -> Bth.asksForAcknowledgement(packet.bytes()))
                .map(packet -> Bth.psn(packet.bytes()) - first << 8 >> 8)
                .toList();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void theLastPacketOfAWindowAsks(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.write(40 * MTU, 0);
        assertThat(by.sends()).as("the first window").hasSize(16);
        assertThat(asking(by)).containsExactly(15);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void theLimitOfTheConnectionIsAWindowToo(int packets) {
        AnswersByHand by = new AnswersByHand(Peer.URMA4J, config -> config.windowPackets(packets));
        by.out.write(40 * MTU, 0);
        assertThat(by.sends()).hasSize(packets);
        assertThat(asking(by)).containsExactly(packets - 1);
    }

    @Test
    void aWindowHasEightAcknowledgementsIfOnlyLostPacketsAreRetransmitted() {
        AnswersByHand by = new AnswersByHand(Peer.URMA4J, ConnectionConfig.Builder::selective);
        by.out.write(40 * MTU, 0);
        by.sends();
        assertThat(asking(by)).containsExactly(1, 3, 5, 7, 9, 11, 13, 15);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void theLastPacketOfAMessageAsks(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.post(WorkOpcode.SEND, 0, 3 * MTU, 0, 0, 0);
        by.sends();
        assertThat(asking(by)).containsExactly(2);
    }

    @Test
    void theLastPacketOfAMessageBeginsTheCountToTheNextThatAsks() {
        AnswersByHand by = new AnswersByHand(Peer.URMA4J, ConnectionConfig.Builder::selective);
        by.out.write(8, 0);
        by.out.write(40 * MTU, 0);
        by.sends();
        assertThat(asking(by)).containsExactly(0, 2, 4, 6, 8, 10, 12, 14, 15);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void theLastPacketOfARetransmissionAsks(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, config -> config.windowPackets(4));
        by.out.write(40 * MTU, 0);
        assertThat(by.sends()).containsExactly(0, 1, 2, 3);
        by.says(1, Aeth.NAK_SEQUENCE, 1);
        assertThat(by.sends()).containsExactly(1, 2, 3, 4);
        assertThat(asking(by)).as("from the first on").containsExactly(2, 3);
    }

    // ---- payload that is gone

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aPayloadThatIsGoneEndsAConnectionOfOneQueueBehindWhatWasSent(Peer peer) {
        AnswersByHand by = AnswersByHand.writes(peer, 1, config -> config);
        by.out.isBufferGone = true;
        by.out.write(8, 0);
        by.out.write(8, 0);
        assertThat(by.sends()).isEmpty();
        assertThat(by.out.results).isEmpty();
        by.acknowledges(0, 1);
        assertThat(by.out.statuses())
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.LOC_ACCESS_ERR, WorkStatus.WR_FLUSH_ERR);
        assertThat(by.requester.failures).containsExactly(WorkStatus.LOC_ACCESS_ERR);
    }

    /** Only what was never sent is not sent any more. */
    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void whatWasSentBeforeAPayloadThatIsGoneIsTriedAgainWhenTheReceiverWasNotReady(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.send(8);
        assertThat(by.sends()).containsExactly(0);
        by.out.isBufferGone = true;
        by.out.write(8, 0);
        assertThat(by.sends()).isEmpty();
        by.out.isBufferGone = false;

        by.says(0, RNR, 0);
        by.pair.now += RnrTimer.nanos(12);

        assertThat(by.sends()).containsExactly(0);
        assertThat(by.requester.connection.deadlineNanos()).isNotEqualTo(Long.MAX_VALUE);
        by.acknowledges(0, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.LOC_ACCESS_ERR);
    }

    /** Two messages are in flight, and the payload of the second goes before its second packet. */
    private static AnswersByHand sendBeforeACutSend(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, config -> config.windowPackets(3));
        cutThird(by, 3, 8, 8, 2 * MTU);
        return by;
    }

    /** The window fills, the first message ends, and the next packet of the third finds its payload gone. */
    private static void cutThird(AnswersByHand by, int windowPackets, int... messages) {
        for (int bytes : messages) {
            by.out.send(bytes);
        }
        assertThat(by.sends())
                .isEqualTo(IntStream.range(0, windowPackets).boxed().toList());
        by.out.goneFrom = 2;
        by.acknowledges(0, 1);
        assertThat(by.sends()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aSendThatWasCutFailsWhenThoseBeforeItHaveEnded(Peer peer) {
        AnswersByHand by = sendBeforeACutSend(peer);

        by.says(1, RNR, 1);
        by.pair.now += RnrTimer.nanos(12);

        assertThat(by.sends()).containsExactly(1);
        by.acknowledges(1, 2);
        by.sends();
        assertThat(by.out.statuses())
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.SUCCESS, WorkStatus.LOC_ACCESS_ERR);
        assertThat(by.requester.failures).containsExactly(WorkStatus.LOC_ACCESS_ERR);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aSendThatWasCutEndsThoughItsReceiverWasNotReady(Peer peer) {
        AnswersByHand by = sendBeforeACutSend(peer);

        by.says(2, RNR, 2);
        by.pair.now += RnrTimer.nanos(12);

        assertThat(by.sends()).isEmpty();
        assertThat(by.out.statuses())
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.SUCCESS, WorkStatus.LOC_ACCESS_ERR);
    }

    /** The peer has all of the message that was cut, as far as it was sent, so that its packets are skipped. */
    @Test
    void nothingBehindASendThatWasCutIsSentInItsPlace() {
        AnswersByHand by =
                new AnswersByHand(Peer.URMA4J, config -> config.selective().windowPackets(5));
        cutThird(by, 5, 8, 8, 4 * MTU, 8);
        by.out.goneFrom = Long.MAX_VALUE;

        by.reports(1, 0b111, 1);

        assertThat(by.sends()).containsExactly(1);
        by.acknowledges(4, 2);
        assertThat(by.sends()).isEmpty();
        assertThat(by.out.statuses()).startsWith(WorkStatus.SUCCESS, WorkStatus.SUCCESS, WorkStatus.LOC_ACCESS_ERR);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void whatIsLostBeforeAPayloadThatIsGoneIsRetransmitted(Peer peer) {
        AnswersByHand by = AnswersByHand.writes(peer, 1, config -> config);
        by.out.isBufferGone = true;
        by.out.write(8, 0);
        assertThat(by.sends()).isEmpty();
        by.out.isBufferGone = false;

        assertThat(afterTimeout(by)).containsExactly(0);
        by.acknowledges(0, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.LOC_ACCESS_ERR);
    }

    @Test
    void aPayloadThatIsGoneFailsItsRequestAloneOnASharedConnection() {
        AnswersByHand by = AnswersByHand.writes(Peer.SHARED, 1, config -> config);
        by.out.isBufferGone = true;
        by.out.write(8, 0);
        assertThat(by.sends()).isEmpty();
        by.out.isBufferGone = false;
        by.out.write(8, 0);
        assertThat(by.sends()).containsExactly(1);
        by.acknowledges(1, 2);
        assertThat(by.out.statuses())
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.LOC_ACCESS_ERR, WorkStatus.SUCCESS);
    }

    // ---- requests that are abandoned

    @Test
    void anAbandonedMessageEndsNowAndIsEndedAtThePeerByOnePacket() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED, config -> config.windowPackets(2));
        by.out.send(4 * MTU);
        assertThat(by.sends()).containsExactly(0, 1);
        by.requester.connection.abandon(by.out, WorkStatus.WR_FLUSH_ERR);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR);
        by.acknowledges(1, 0);
        assertThat(by.sends()).containsExactly(2);
        Packet last = by.requester.sent.getFirst();
        assertThat(Opcodes.operation(last.opcode())).isEqualTo(Opcodes.RESYNC);
        assertThat(Bth.isSolicited(last.bytes())).as("it is the end").isTrue();
        by.acknowledges(2, 1);
        assertThat(by.out.statuses()).as("once").hasSize(1);
        assertThat(by.requester.connection.isIdle()).isTrue();
    }

    @Test
    void anAbandonedMessageThatWasNotSentLeavesNothing() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED, config -> config.windowPackets(1));
        by.out.write(8, 0);
        by.out.write(8, 0);
        assertThat(by.sends()).containsExactly(0);
        by.requester.connection.abandon(by.out, WorkStatus.WR_FLUSH_ERR);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR, WorkStatus.WR_FLUSH_ERR);
        by.acknowledges(0, 1);
        assertThat(by.sends()).isEmpty();
        assertThat(by.requester.connection.isIdle()).isTrue();
    }

    @Test
    void anotherQueueIsNotAbandoned() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        Outbox other = by.requester.outbox(0x101, 0x201);
        by.out.write(8, 0);
        other.write(8, 0);
        assertThat(by.sends()).containsExactly(0, 1);
        by.requester.connection.abandon(by.out, WorkStatus.WR_FLUSH_ERR);
        assertThat(other.results).isEmpty();
        by.acknowledges(1, 2);
        assertThat(other.statuses()).containsExactly(WorkStatus.SUCCESS);
    }

    // ---- long requests

    /** It is divided into messages, the first 32 at once; the rest when nothing else is to be sent. */
    @Test
    void aLongWriteLetsAnotherQueuePassAndNotItsOwn() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        Outbox other = by.requester.outbox(0x101, 0x201);
        by.out.write(100 * MTU, 0);
        by.out.write(8, 0);
        by.sends();
        assertThat(by.requester.connection.mayStart(by.out, 1))
                .as("behind a long one")
                .isFalse();
        other.write(8, 0);
        assertThat(by.requester.connection.mayStart(other, 0)).isTrue();
    }

    @Test
    void aLongWriteThatIsAbandonedEndsOnce() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        by.out.write(100 * MTU, 0);
        by.sends();
        by.requester.connection.abandon(by.out, WorkStatus.WR_FLUSH_ERR);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR);
        by.acknowledges(15, 16);
        assertThat(by.sends()).isEmpty();
        assertThat(by.requester.connection.isIdle()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aLongRequestEndsOnceWhenTheConnectionFails(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.write(100 * MTU, 0);
        by.out.read(0, 200 * MTU, 0);
        by.sends();
        by.requester.connection.fail(WorkStatus.ACK_TIMEOUT_ERR, by.pair.now);
        assertThat(by.out.statuses()[0]).isEqualTo(WorkStatus.ACK_TIMEOUT_ERR);
        assertThat(by.out.results).extracting(Outbox.Result::position).doesNotHaveDuplicates();
        assertThat(by.requester.connection.isIdle()).isTrue();
    }

    @Test
    void aRefusedLongWriteSendsNothingFurther() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        by.out.write(100 * MTU, 0);
        assertThat(by.sends()).hasSize(16);
        by.says(3, Aeth.NAK_REMOTE_ACCESS, 3);
        by.acknowledges(15, 15);
        assertThat(by.out.results).as("what is behind it was cut already").isEmpty();
        int more = by.sends().size();
        assertThat(more).isLessThan(32);
        by.acknowledges(15 + more, 15 + more);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(by.sends()).isEmpty();
    }
}
