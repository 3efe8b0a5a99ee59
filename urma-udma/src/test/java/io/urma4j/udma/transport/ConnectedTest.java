package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.ConnectionConfig.Kind.RELIABLE_CONNECTED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A connection of one queue, on a network that does what it should. */
class ConnectedTest {
    private final Pair pair = new Pair(RELIABLE_CONNECTED);
    private final Outbox out = pair.left.outbox();
    private final Inbox in = pair.right.inbox(64 << 10);

    private static Pair foreign() {
        return new Pair(RELIABLE_CONNECTED, ConnectionConfig.Builder::foreignPeer, Pair.Faults.NONE, 1);
    }

    @Test
    void messagesOfAnyLengthArriveInOrder() {
        out.fill(1);
        int[] lengths = {0, 1, 3, 1023, 1024, 1025, 2048, 5000, 60_000};
        in.post(lengths.length);
        for (int length : lengths) {
            out.send(length);
        }

        pair.run();

        assertThat(out.statuses()).containsOnly(WorkStatus.SUCCESS).hasSize(lengths.length);
        for (int i = 0; i < lengths.length; i++) {
            Inbox.Arrival arrival = in.arrivals.get(i);
            assertThat(arrival.lengthBytes()).isEqualTo(lengths[i]);
            assertThat(arrival.opcode()).isEqualTo(WorkOpcode.SEND);
            for (int at = 0; at < lengths[i]; at++) {
                assertThat(arrival.bytes().get(JAVA_BYTE, at)).isEqualTo(out.got(at));
            }
        }
    }

    @Test
    void immediatesArriveWithSendAndWrite() {
        in.post(4);
        out.post(WorkOpcode.SEND_IMM, 0, 10, 0, 0xFFFF_FFFFL, 0);
        out.post(WorkOpcode.SEND_IMM, 0, 3000, 0, 0x1234_5678_9ABCL, 0);
        out.post(WorkOpcode.WRITE_IMM, WorkOpcode.SOLICITED, 0, 10, 64, 7, 0);
        out.post(WorkOpcode.WRITE_IMM, 0, 3000, 64, Long.MIN_VALUE, 0);

        pair.run();

        assertThat(out.statuses()).containsExactly(0, 0, 0, 0);
        assertThat(in.arrivals)
                .extracting(Inbox.Arrival::immediate)
                .containsExactly(0xFFFF_FFFFL, 0x1234_5678_9ABCL, 7L, Long.MIN_VALUE);
        assertThat(in.arrivals)
                .extracting(Inbox.Arrival::opcode)
                .containsExactly(WorkOpcode.SEND_IMM, WorkOpcode.SEND_IMM, WorkOpcode.WRITE_IMM, WorkOpcode.WRITE_IMM);
        assertThat(in.arrivals).extracting(Inbox.Arrival::solicited).containsExactly(false, false, true, false);
        assertThat(in.arrivals.get(3).lengthBytes()).isEqualTo(3000);
    }

    @Test
    void writesAndReadsMoveEveryByteAndNoOther() {
        out.fill(3);
        out.write(100_001, 8);
        out.read(200_000, 100_001, 8);
        out.write(0, 0);
        out.read(0, 0, 0);

        pair.run();

        assertThat(out.statuses()).containsExactly(0, 0, 0, 0);
        for (int i = 0; i < 100_001; i++) {
            assertThat(pair.right.region.at(8 + i)).isEqualTo(out.got(i));
            assertThat(out.got(200_000 + i)).isEqualTo(out.got(i));
        }
        assertThat(pair.right.region.word(0)).isZero();
        assertThat(pair.right.region.at(8 + 100_001)).isZero();
    }

    @Test
    void atomicsBringTheOldValue() {
        out.atomic(WorkOpcode.FADD, 0, 8, 16, 5, 0);
        out.atomic(WorkOpcode.FADD, 8, 8, 16, 7, 0);
        out.atomic(WorkOpcode.CAS, 16, 8, 16, 100, 12);
        out.atomic(WorkOpcode.CAS, 24, 8, 16, 200, 12);
        out.atomic(WorkOpcode.SWAP, 32, 8, 16, 0xFF, 0);
        out.atomic(WorkOpcode.FAND, 40, 8, 16, 0x0F, 0);
        out.atomic(WorkOpcode.FOR, 48, 8, 16, 0x30, 0);
        out.atomic(WorkOpcode.FXOR, 56, 8, 16, 0x01, 0);
        out.atomic(WorkOpcode.FSUB, 64, 8, 16, 0x0E, 0);
        out.atomic(WorkOpcode.FADD, 72, 4, 20, -1, 0);

        pair.run();

        long[] old = {0, 5, 12, 100, 100, 0xFF, 0x0F, 0x3F, 0x3E};
        for (int i = 0; i < old.length; i++) {
            assertThat(out.buffer.get(JAVA_LONG_UNALIGNED, i * 8L))
                    .as("old value of atomic %d", i)
                    .isEqualTo(old[i]);
        }
        assertThat(pair.right.region.word(16)).isEqualTo(0xFFFF_FFFF_0000_0030L);
        assertThat(pair.right.region.atomics).isEqualTo(10);
    }

    @Test
    void writeNotifyStoresItsValueBehindTheBytes() {
        long position = out.post(WorkOpcode.WRITE_NOTIFY, 0, 3000, 0, 0, 0);
        out.notifyAt(position, Region.KEY, Region.BASE + 4096, 99);
        out.fill(1);

        pair.run();

        assertThat(out.statuses()).containsExactly(0);
        assertThat(pair.right.region.word(4096)).isEqualTo(99);
        assertThat(pair.right.region.at(2999)).isEqualTo(out.got(2999));
    }

    @Test
    void invalidationRevokesBeforeTheRecordIsThere() {
        in.post(1);
        out.post(WorkOpcode.SEND_INVALIDATE, 0, 10, 0, Region.KEY, 0);

        pair.run();

        assertThat(pair.right.region.isRevoked).isTrue();
        assertThat(in.arrivals.getFirst().opcode()).isEqualTo(WorkOpcode.SEND_INVALIDATE);
        assertThat(in.arrivals.getFirst().immediate()).isEqualTo(Region.KEY);
    }

    @Test
    void anInvalidationThatIsNotAllowedDeliversNothing() {
        in.allowsInvalidate = false;
        in.post(1);
        out.post(WorkOpcode.SEND_INVALIDATE, 0, 10, 0, Region.KEY, 0);

        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(pair.right.region.isRevoked).isFalse();
        assertThat(in.arrivals).isEmpty();
        assertThat(in.posted()).isEqualTo(1);
    }

    @Test
    void aWrongKeyMovesNoByteAndEndsTheConnection() {
        long first = out.write(100, 0);
        out.write(100, 0);
        out.key(first, 0x9999);
        out.fill(1);

        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR, WorkStatus.WR_FLUSH_ERR);
        assertThat(pair.left.failures).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(pair.right.refusals).containsExactly(Aeth.NAK_REMOTE_ACCESS);
        assertThat(pair.right.region.writes).isZero();
        assertThat(pair.left.connection.state()).isEqualTo(Connection.State.FAILED);
        assertThat(pair.right.connection.state()).isEqualTo(Connection.State.OPEN);
    }

    @Test
    void aRefusalThatIsLostIsRepeated() {
        int[] lost = {0};
        pair.filter = (to, packet) -> to == pair.right || lost[0]++ > 2;
        out.key(out.write(100, 0), 0x9999);

        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
    }

    @Test
    void whatCameBeforeARefusalIsAnsweredAgain() {
        int[] answers = {0};
        pair.filter =
                (to, packet) -> Opcodes.operation(packet.opcode()) != Opcodes.ATOMIC_ACKNOWLEDGE || answers[0]++ > 0;
        out.atomic(WorkOpcode.FADD, 0, 8, 16, 5, 0);
        long refused = out.write(8, 0);
        out.key(refused, 99);

        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(answers[0]).as("answers to the atomic").isGreaterThan(1);
        assertThat(pair.right.region.word(16)).as("added once").isEqualTo(5);
    }

    @Test
    void whatLiesOutsideTheRangeIsRefused() {
        out.write(100, (4 << 20) - 99);

        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(pair.right.region.writes).isZero();
    }

    @Test
    void aMessageThatDoesNotFitFailsAtBothEnds() {
        Inbox small = pair.right.inbox(1500);
        small.post(1);
        out.send(1501);

        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.REM_OPERATION_ERR);
        assertThat(small.arrivals).extracting(Inbox.Arrival::status).containsExactly(WorkStatus.LOC_LEN_ERR);
    }

    @Test
    void aReceiverThatIsNotReadyIsTriedAgainAfterItsTime() {
        out.send(10);
        out.send(20);
        pair.runFor(500_000);
        assertThat(out.results).isEmpty();
        long before = pair.left.connection.traffic().count(Event.SENT);
        pair.runFor(100_000); // the time is not over: 0.64 ms
        assertThat(pair.left.connection.traffic().count(Event.SENT)).isEqualTo(before);

        in.post(2);
        pair.run();

        assertThat(out.statuses()).containsExactly(0, 0);
        assertThat(in.arrivals).extracting(Inbox.Arrival::lengthBytes).containsExactly(10L, 20L);
    }

    @Test
    void aReceiverThatIsNeverReadyEndsTheRequestAfterTheRetries() {
        Pair impatient = new Pair(RELIABLE_CONNECTED, config -> config.rnrRetries(1), Pair.Faults.NONE, 1);
        Outbox queue = impatient.left.outbox();
        impatient.right.inbox(100);
        int[] sends = {0};
        impatient.filter = (to, packet) -> {
            sends[0] += to == impatient.right ? 1 : 0;
            return true;
        };
        queue.send(10);

        impatient.run();

        assertThat(queue.statuses()).containsExactly(WorkStatus.RNR_RETRY_CNT_EXC_ERR);
        assertThat(sends[0]).as("tries on the wire (WIRE §4.5)").isEqualTo(2);
    }

    @Test
    void whatWasNeverReadyGoesOnWhenItIsResumed() {
        Pair impatient = new Pair(RELIABLE_CONNECTED, config -> config.rnrRetries(0), Pair.Faults.NONE, 1);
        Outbox queue = impatient.left.outbox();
        Outbox back = impatient.right.outbox();
        Inbox inbox = impatient.right.inbox(100);
        queue.post(WorkOpcode.WRITE_IMM, 0, 5000, 0, 1, 0); // fails at its last packet
        impatient.run();
        assertThat(queue.statuses()).containsExactly(WorkStatus.RNR_RETRY_CNT_EXC_ERR);
        back.read(0, 5000, 0); // what the peer asks is answered all the time
        impatient.run();
        assertThat(back.statuses()).containsExactly(WorkStatus.SUCCESS);

        inbox.post(1);
        assertThat(impatient.left.connection.resume()).isTrue();
        queue.send(10);
        queue.read(0, 100, 0);
        impatient.run();

        assertThat(queue.statuses()).containsExactly(WorkStatus.RNR_RETRY_CNT_EXC_ERR, 0, 0);
        assertThat(inbox.arrivals).hasSize(1);
        assertThat(impatient.left.connection.resume()).isFalse();
    }

    @Test
    void whatComesLateOrIsKeptIsNotTakenForWhatFollowsAResumption() {
        Pair impatient =
                new Pair(RELIABLE_CONNECTED, config -> config.rnrRetries(0).selective(), Pair.Faults.NONE, 1);
        Outbox queue = impatient.left.outbox();
        Inbox inbox = impatient.right.inbox(100);
        int second = impatient.left.connection.config().firstSendPsn() + 1;
        List<Packet> late = new ArrayList<>();
        impatient.filter = (to, packet) -> {
            boolean isLate = to == impatient.right && late.isEmpty() && Bth.psn(packet.bytes()) == second;
            if (isLate) {
                late.add(Pair.copy(packet));
            }
            return !isLate;
        };
        queue.send(10);
        queue.send(20); // comes late
        queue.send(30); // is kept
        impatient.run();
        assertThat(queue.statuses())
                .containsExactly(WorkStatus.RNR_RETRY_CNT_EXC_ERR, WorkStatus.WR_FLUSH_ERR, WorkStatus.WR_FLUSH_ERR);

        inbox.post(4);
        assertThat(impatient.left.connection.resume()).isTrue();
        queue.send(40);
        impatient.runFor(1_000_000);
        late.forEach(impatient.right::receive);
        queue.send(50);
        impatient.run();

        assertThat(inbox.arrivals).extracting(Inbox.Arrival::lengthBytes).containsExactly(40L, 50L);
    }

    @Test
    void aPausedConnectionGoesOnWhereverThePeerIs() {
        Pair paused = new Pair(RELIABLE_CONNECTED, ConnectionConfig.Builder::selective, Pair.Faults.NONE, 1);
        Outbox queue = paused.left.outbox();
        Inbox inbox = paused.right.inbox(100);
        inbox.post(4);
        int[] packets = {0};
        paused.filter = (to, packet) -> packets[0]++ < 1; // the first arrives, and no answer
        queue.send(10);
        queue.send(20);
        queue.read(0, 9000, 0);
        paused.runFor(10_000_000);
        paused.left.connection.pause(paused.now);
        assertThat(queue.statuses())
                .containsExactly(WorkStatus.WR_FLUSH_ERR, WorkStatus.WR_FLUSH_ERR, WorkStatus.WR_FLUSH_ERR);

        assertThat(paused.left.connection.resume()).isTrue();
        queue.send(30);
        queue.read(0, 100, 0);
        paused.runFor(10_000_000); // the first word of it is lost, too
        paused.filter = (to, packet) -> true;
        paused.run();

        assertThat(queue.statuses()).endsWith(WorkStatus.WR_FLUSH_ERR, 0, 0);
        assertThat(inbox.arrivals).extracting(Inbox.Arrival::lengthBytes).containsExactly(10L, 30L);
    }

    @Test
    void whoeverPausesOnceMoreBeforeThePeerKnowsGoesOnAsWell() {
        Pair paused = new Pair(RELIABLE_CONNECTED, ConnectionConfig.Builder::selective, Pair.Faults.NONE, 1);
        Outbox queue = paused.left.outbox();
        paused.filter = (to, packet) -> false;
        queue.write(10, 0);
        paused.runFor(10_000_000);
        for (int i = 0; i < 3; i++) {
            paused.left.connection.pause(paused.now);
            paused.left.connection.resume(); // and the port had no room meanwhile
        }
        paused.filter = (to, packet) -> true;
        queue.write(20, 0);

        paused.run();

        assertThat(queue.statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR, 0);
    }

    /** Whoever hits the number of a connection would have an even chance to end it for good. */
    @Test
    void aPeerGoesOnNoFurtherAheadThanItCanHaveBeen() {
        Pair pair = new Pair(RELIABLE_CONNECTED, ConnectionConfig.Builder::selective, Pair.Faults.NONE, 1);
        Outbox queue = pair.left.outbox();
        queue.write(10, 0);
        pair.run();
        Packet resync = Packet.allocate();
        int expected = pair.left.connection.config().firstSendPsn() + 1;
        for (int ahead = ConnectionConfig.MAX_WINDOW_PACKETS + 1; ahead < 1 << 23; ahead *= 2) {
            resync.begin(Opcodes.OURS_RC | Opcodes.RESYNC, Pair.RIGHT, expected + ahead & 0xFF_FFFF);
            resync.lengthBytes(resync.payloadAt() + 4);
            pair.right.receive(resync);
        }
        queue.write(20, 0);

        pair.run();

        assertThat(queue.statuses()).containsExactly(0, 0);
        assertThat(pair.left.connection.traffic().count(Event.TIMEOUT)).isZero();
    }

    @Test
    void towardsOthersAPauseIsTheEnd() {
        Pair paused = new Pair(RELIABLE_CONNECTED, ConnectionConfig.Builder::foreignPeer, Pair.Faults.NONE, 1);
        Outbox queue = paused.left.outbox();
        queue.write(10, 0);
        paused.left.step();

        paused.left.connection.pause(paused.now);

        assertThat(queue.statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR);
        assertThat(paused.left.connection.resume()).isFalse();
    }

    @Test
    void aReceiverThatIsNotReadyForALongWriteWithImmediateIsTriedAgainFromItsLastPacket() {
        out.fill(9);
        out.post(WorkOpcode.WRITE_IMM, 0, 5000, 0, 1, 0);
        pair.runFor(3_000_000);
        in.post(1);

        pair.run();

        assertThat(out.statuses()).containsExactly(0);
        assertThat(in.arrivals).hasSize(1);
        assertThat(pair.right.region.at(4999)).isEqualTo(out.got(4999));
    }

    @Test
    void silenceEndsEverythingAfterTheRetries() {
        pair.filter = (to, packet) -> false;
        out.write(10, 0);
        out.write(10, 0);
        long started = pair.now;

        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.ACK_TIMEOUT_ERR, WorkStatus.WR_FLUSH_ERR);
        assertThat(pair.left.failures).containsExactly(WorkStatus.ACK_TIMEOUT_ERR);
        assertThat(pair.now - started).isGreaterThan(8 * 2_000_000_000L);
    }

    @Test
    void aFencedRequestStartsAfterAllEarlierReads() {
        out.read(0, 200_000, 0);
        long fenced = out.post(WorkOpcode.WRITE, WorkOpcode.FENCE, 0, 8, 0, 0, 0);
        pair.left.step();
        assertThat(pair.left.connection.mayStart(out, fenced)).isFalse();

        pair.run();

        assertThat(out.statuses()).containsExactly(0, 0);
    }

    @Test
    void aRequestWithoutEffectEndsInItsTurn() {
        out.write(10, 0);
        out.post(WorkOpcode.NOP, 0, 0, 0, 0, 0);
        out.write(10, 0);

        pair.run();

        assertThat(out.results).extracting(Outbox.Result::position).containsExactly(0L, 1L, 2L);
        assertThat(out.statuses()).containsExactly(0, 0, 0);
    }

    @Test
    void whatRoceDoesNotKnowIsRefusedTowardsOthers() {
        int[] ours = {
            WorkOpcode.SWAP, WorkOpcode.FSUB, WorkOpcode.FAND, WorkOpcode.FOR, WorkOpcode.FXOR, WorkOpcode.WRITE_NOTIFY
        };
        for (int opcode : ours) {
            Pair other = foreign();
            Outbox queue = other.left.outbox();
            queue.write(8, 0);
            queue.post(opcode, 0, 8, 0, 0, 0);
            other.run();
            assertThat(queue.statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.UNSUPPORTED_OPCODE_ERR);
        }
        Pair other = foreign();
        Outbox queue = other.left.outbox();
        queue.post(WorkOpcode.SEND_IMM, 0, 8, 0, 1L << 32, 0);
        other.run();
        assertThat(queue.statuses()).containsExactly(WorkStatus.UNSUPPORTED_OPCODE_ERR);
    }

    @Test
    void towardsOthersNoMorePacketsThanLinuxTakesAreUnacknowledged() {
        Pair other = foreign();
        Outbox queue = other.left.outbox();
        int[] sent = {0};
        other.filter = (to, packet) -> {
            sent[0] += to == other.right ? 1 : 0;
            return to == other.right;
        };
        queue.write(1 << 20, 0);

        other.runFor(1_000_000);

        assertThat(sent[0]).isBetween(1, 128);
    }

    @Test
    void acknowledgementsAreAskedForOnTheLastPacketAndEachSixtyFour() {
        pair.left.records = true;
        out.write(200 * 1024, 0);

        pair.run();

        int sinceAsked = 0;
        int longest = 0;
        for (Packet packet : pair.left.sent) {
            sinceAsked = Bth.asksForAcknowledgement(packet.bytes()) ? 0 : sinceAsked + 1;
            longest = Math.max(longest, sinceAsked);
        }
        assertThat(sinceAsked).isZero();
        assertThat(longest).isLessThanOrEqualTo(64);
    }

    @Test
    void acknowledgementsThatAreDueAtOnceBecomeOne() {
        for (int i = 0; i < 10; i++) {
            out.write(8, i * 8L);
        }
        pair.right.records = true;

        pair.run();

        assertThat(pair.right.sent).hasSize(1);
        Packet only = pair.right.sent.getFirst();
        assertThat(only.opcode()).isEqualTo(Opcodes.RC | Opcodes.ACKNOWLEDGE);
        assertThat(Aeth.msn(only.bytes(), only.at(Header.AETH))).isEqualTo(10);
    }

    @Test
    void anAcknowledgementThatIsHeldLeavesWithTheNextRequestAndBehindIt() {
        out.write(8, 0);
        pair.left.records = true;
        pair.left.step();
        pair.right.records = true;
        pair.left.sent.forEach(pair.right::receive);

        pair.right.connection.step(pair.now, FlushHint.HOLD_REQUESTS_AND_ACKS);
        assertThat(pair.right.sent).isEmpty();
        assertThat(pair.right.connection.hasLeft()).isTrue();

        pair.right.outbox().write(1500, 0); // one of one packet would bring it along
        pair.right.step();
        assertThat(pair.right.sent)
                .extracting(packet -> Opcodes.operation(packet.opcode()))
                .containsExactly(Opcodes.WRITE_FIRST, Opcodes.WRITE_LAST, Opcodes.ACKNOWLEDGE);
        assertThat(pair.right.connection.hasLeft()).isFalse();
    }

    @Test
    void nothingButAnAcknowledgementIsHeld() {
        out.read(0, 8, 0);
        out.atomic(WorkOpcode.FADD, 0, 8, 0, 1, 0);
        out.send(8); // nobody is ready
        pair.left.records = true;
        pair.left.step();
        pair.right.records = true;
        pair.left.sent.forEach(pair.right::receive);

        pair.right.connection.step(pair.now, FlushHint.HOLD_REQUESTS_AND_ACKS);

        assertThat(pair.right.sent)
                .extracting(packet -> Opcodes.operation(packet.opcode()))
                .containsExactly(Opcodes.READ_RESPONSE_ONLY, Opcodes.ATOMIC_ACKNOWLEDGE, Opcodes.ACKNOWLEDGE);
        assertThat(Aeth.kind(Aeth.syndrome(
                        pair.right.sent.getLast().bytes(),
                        pair.right.sent.getLast().at(Header.AETH))))
                .isEqualTo(Aeth.Kind.RNR_NAK);
        assertThat(pair.right.connection.hasLeft()).isFalse();
    }

    @Test
    void localMemoryThatIsGoneEndsTheRequest() {
        out.write(10, 0);
        pair.run();
        out.isBufferGone = true;
        out.write(10, 0);
        out.write(10, 0);

        pair.run();

        assertThat(out.statuses())
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.LOC_ACCESS_ERR, WorkStatus.WR_FLUSH_ERR);
    }

    @Test
    void aPortWithoutRoomLosesNothing() {
        pair.left.room = 3;
        out.write(10_000, 0);
        out.read(20_000, 10_000, 0);
        pair.runFor(20_000);
        pair.left.room = Integer.MAX_VALUE;
        pair.right.room = 2;
        pair.runFor(100_000);
        pair.right.room = Integer.MAX_VALUE;

        pair.run();

        assertThat(out.statuses()).containsExactly(0, 0);
    }

    @Test
    void aRevocationDuringAReadEndsItWithAnError() {
        out.read(0, 64 << 10, 0);
        pair.right.room = 10;
        pair.runFor(100_000);
        pair.right.region.isRevoked = true;
        pair.right.room = Integer.MAX_VALUE;

        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
    }

    @Test
    void whoseOwnerGivesUpHasItsRequestsFlushedAndItsReceiveGivenBack() {
        in.post(1);
        out.send(60_000);
        pair.left.room = 5;
        pair.runFor(50_000);
        assertThat(in.underWay()).isEqualTo(1);

        pair.right.connection.fail(WorkStatus.WR_FLUSH_ERR, pair.now);
        pair.left.connection.fail(WorkStatus.WR_FLUSH_ERR, pair.now);

        assertThat(in.posted()).isEqualTo(1);
        assertThat(out.statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR);
        assertThat(pair.left.connection.step(pair.now, FlushHint.FLUSH)).isFalse();
    }
}
