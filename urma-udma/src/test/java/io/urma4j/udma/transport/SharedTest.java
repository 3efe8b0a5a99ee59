package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.ConnectionConfig.Kind.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A connection that the queues of two contexts share. */
class SharedTest {
    private static final int ALPHA = 0x100;
    private static final int BETA = 0x101;
    private static final int GAMMA = 0x200;
    private static final int DELTA = 0x201;

    private final Pair pair = new Pair(SHARED);
    private final Outbox alpha = pair.left.outbox(ALPHA, GAMMA);
    private final Outbox beta = pair.left.outbox(BETA, DELTA);
    private final Inbox gamma = pair.right.inbox(GAMMA, 64 << 10);
    private final Inbox delta = pair.right.inbox(DELTA, 64 << 10);

    private List<Long> lengths(Inbox inbox) {
        return inbox.arrivals.stream().map(Inbox.Arrival::lengthBytes).toList();
    }

    @Test
    void messagesFindTheirQueuesAndTellTheirSource() {
        gamma.post(2);
        delta.post(1);
        alpha.send(10);
        alpha.send(3000);
        beta.send(20);

        pair.run();

        assertThat(lengths(gamma)).containsExactly(10L, 3000L);
        assertThat(lengths(delta)).containsExactly(20L);
        assertThat(gamma.arrivals.getFirst().sourceQueue()).isEqualTo(ALPHA);
        assertThat(delta.arrivals.getFirst().sourceQueue()).isEqualTo(BETA);
    }

    @Test
    void aQueueThatIsNotReadyHoldsUpNobodyElse() {
        delta.post(3);
        alpha.send(10);
        beta.send(1);
        beta.send(2);
        beta.write(100, 0);
        beta.send(3);

        pair.runFor(2_000_000);

        assertThat(beta.statuses()).containsExactly(0, 0, 0, 0);
        assertThat(alpha.results).isEmpty();
        gamma.post(1);
        pair.run();
        assertThat(alpha.statuses()).containsExactly(0);
    }

    @Test
    void whatFollowsInAFlowThatIsNotReadyWaitsAndKeepsItsOrder() {
        for (int i = 1; i <= 20; i++) {
            alpha.send(i);
        }
        pair.filter = (to, packet) -> {
            // a receive comes between the first message and those behind it, which are on their way already
            if (gamma.arrivals.isEmpty() && to == pair.left) {
                gamma.post(gamma.posted() == 0 ? 20 : 0);
            }
            return true;
        };

        pair.run();

        List<Long> all = new ArrayList<>();
        for (long i = 1; i <= 20; i++) {
            all.add(i);
        }
        assertThat(lengths(gamma)).containsExactlyElementsOf(all);
        assertThat(alpha.statuses()).hasSize(20).containsOnly(0);
        assertThat(alpha.notReady).isPositive();
    }

    @Test
    void aRefusedRequestFailsAloneWhateverElseIsUnderWay() {
        delta.post(2);
        beta.send(5000);
        alpha.key(alpha.write(5000, 0), 0x9999);
        beta.send(6000);
        alpha.key(alpha.read(0, 3000, 0), 0x9999);
        alpha.key(alpha.atomic(WorkOpcode.FADD, 0, 8, 0, 1, 0), 0x9999);
        alpha.write(100, 0);
        beta.read(0, 100_000, 0);

        pair.run();

        int denied = WorkStatus.REM_ACCESS_ABORT_ERR;
        assertThat(alpha.statuses()).containsExactly(denied, denied, denied, WorkStatus.SUCCESS);
        assertThat(beta.statuses()).containsExactly(0, 0, 0);
        assertThat(pair.left.connection.state()).isEqualTo(Connection.State.OPEN);
        assertThat(pair.right.region.atomics).isZero();
    }

    /** The danger of a cumulative acknowledgement: it must not stand for what was refused. */
    @Test
    void aRefusalThatIsLostIsNeverTakenForASuccess() {
        int[] lost = {0};
        pair.filter = (to, packet) -> {
            boolean isNak = to == pair.left
                    && packet.opcode() == (Opcodes.RD | Opcodes.ACKNOWLEDGE)
                    && Aeth.kind(Aeth.syndrome(packet.bytes(), packet.at(Header.AETH))) == Aeth.Kind.NAK;
            return !isNak || lost[0]++ > 1;
        };
        beta.write(10, 0);
        alpha.key(alpha.write(10, 0), 0x9999);
        beta.write(10, 0);
        beta.write(10, 0);

        pair.run();

        assertThat(lost[0]).isGreaterThan(1);
        assertThat(alpha.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(beta.statuses()).containsExactly(0, 0, 0);
    }

    @Test
    void anRnrThatIsLostIsNeverTakenForASuccess() {
        int[] lost = {0};
        pair.filter = (to, packet) -> {
            boolean isRnr = to == pair.left
                    && packet.opcode() == (Opcodes.RD | Opcodes.ACKNOWLEDGE)
                    && Aeth.kind(Aeth.syndrome(packet.bytes(), packet.at(Header.AETH))) == Aeth.Kind.RNR_NAK;
            return !isRnr || lost[0]++ > 0;
        };
        alpha.send(5);
        beta.write(10, 0);
        pair.runFor(50_000_000);
        assertThat(alpha.results).isEmpty();
        gamma.post(1);

        pair.run();

        assertThat(alpha.statuses()).containsExactly(0);
        assertThat(gamma.arrivals).hasSize(1);
    }

    @Test
    void whatIsLeftOfARefusedMessageIsNotSent() {
        int[] packets = {0};
        pair.filter = (to, packet) -> {
            packets[0] += to == pair.right ? 1 : 0;
            return true;
        };
        alpha.key(alpha.write(900 << 10, 0), 0x9999);

        pair.run();

        assertThat(alpha.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(packets[0]).as("of 900 packets").isLessThan(200);
    }

    @Test
    void aLongWriteIsSeveralMessagesAndLetsOthersPass() {
        alpha.fill(5);
        alpha.write(3 << 20, 0);
        beta.write(8, 3 << 20);
        List<Integer> order = new ArrayList<>();
        pair.filter = (to, packet) -> {
            if (to == pair.right && Opcodes.has(packet.opcode(), Header.RETH)) {
                order.add(io.urma4j.udma.wire.Deth.sourceQp(packet.bytes(), packet.at(Header.DETH)));
            }
            return true;
        };

        pair.run();

        assertThat(order).hasSize(3 * 1024 + 1);
        assertThat(order.indexOf(BETA)).isBetween(1, 64);
        assertThat(alpha.statuses()).containsExactly(0);
        for (int i = 0; i < 3 << 20; i += 997) {
            assertThat(pair.right.region.at(i)).isEqualTo(alpha.got(i));
        }
    }

    /** So that they leave in runs, which the kernel cuts into equal parts. */
    @Test
    void allPacketsOfWritesHaveOneLength() {
        Set<Integer> lengths = new HashSet<>();
        alpha.write(8192, 0);
        alpha.write(64 << 10, 8192);
        pair.filter = (to, packet) -> {
            if (to == pair.right) {
                lengths.add(packet.lengthBytes());
            }
            return true;
        };

        pair.run();

        assertThat(lengths).hasSize(1);
        assertThat(alpha.statuses()).containsExactly(0, 0);
    }

    /** The same for what comes back. */
    @Test
    void allAnswersToReadsHaveOneLength() {
        Set<Integer> lengths = new HashSet<>();
        alpha.read(0, 64 << 10, 0);
        alpha.read(64 << 10, 8192, 0);
        pair.filter = (to, packet) -> {
            if (to == pair.left && Opcodes.operation(packet.opcode()) != Opcodes.ACKNOWLEDGE) {
                lengths.add(packet.lengthBytes());
            }
            return true;
        };

        pair.run();

        assertThat(lengths).hasSize(1);
        assertThat(alpha.statuses()).containsExactly(0, 0);
    }

    @Test
    void theReceiverIsToldTheWholeLengthOfALongWriteWithImmediate() {
        gamma.post(1);
        alpha.post(WorkOpcode.WRITE_IMM, 0, 3 << 20, 0, 7, 0);

        pair.run();

        assertThat(alpha.statuses()).containsExactly(0);
        assertThat(lengths(gamma)).containsExactly(3L << 20);
    }

    @Test
    void aLongWriteThatIsRefusedInItsMiddleEndsOnce() {
        alpha.write(3 << 20, 2 << 20);
        beta.write(8, 0);

        pair.run();

        assertThat(alpha.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(beta.statuses()).containsExactly(0);
    }

    @Test
    void longReadsComeWhole() {
        for (int i = 0; i < 2 << 20; i += 8) {
            pair.right.region.bytes.set(java.lang.foreign.ValueLayout.JAVA_LONG, i, i);
        }
        alpha.read(0, 2 << 20, 0);

        pair.run();

        assertThat(alpha.statuses()).containsExactly(0);
        assertThat(alpha.buffer.asSlice(0, 2 << 20).mismatch(pair.right.region.bytes.asSlice(0, 2 << 20)))
                .isEqualTo(-1);
    }

    @Test
    void invalidationAndLongImmediatesHaveOpcodesOfOurs() {
        gamma.post(2);
        alpha.post(WorkOpcode.SEND_IMM, 0, 2000, 0, -1L, 0);
        alpha.post(WorkOpcode.SEND_INVALIDATE, 0, 2000, 0, Region.KEY, 0);

        pair.run();

        assertThat(alpha.statuses()).containsExactly(0, 0);
        assertThat(gamma.arrivals).extracting(Inbox.Arrival::immediate).containsExactly(-1L, (long) Region.KEY);
    }

    @Test
    void aMessageForNobodyIsRefused() {
        Outbox lost = pair.left.outbox(0x102, 0x999);
        lost.send(10);
        beta.write(8, 0);

        pair.run();

        assertThat(lost.statuses()).containsExactly(WorkStatus.REM_OPERATION_ERR);
        assertThat(beta.statuses()).containsExactly(0);
    }

    @Test
    void aMessageThatDoesNotFitLeavesTheConnectionGoing() {
        Inbox small = pair.right.inbox(GAMMA, 1500);
        small.post(2);
        alpha.send(60_000);
        alpha.send(100);

        pair.run();

        assertThat(alpha.statuses()).containsExactly(WorkStatus.REM_OPERATION_ERR, WorkStatus.SUCCESS);
        assertThat(small.arrivals)
                .extracting(Inbox.Arrival::status)
                .containsExactly(WorkStatus.LOC_LEN_ERR, WorkStatus.SUCCESS);
    }

    @Test
    void silenceEndsTheRequestsOfAllQueues() {
        pair.filter = (to, packet) -> false;
        alpha.write(8, 0);
        beta.write(8, 0);

        pair.run();

        assertThat(alpha.statuses()).containsExactly(WorkStatus.ACK_TIMEOUT_ERR);
        assertThat(beta.statuses()).containsExactly(WorkStatus.ACK_TIMEOUT_ERR);
        assertThat(pair.left.failures).containsExactly(WorkStatus.ACK_TIMEOUT_ERR);
    }

    @Test
    void aQueueThatGivesUpEndsAtOnceAndTheOthersGoOn() {
        gamma.post(1);
        delta.post(2);
        pair.left.room = 20;
        beta.send(1000);
        alpha.send(60_000);
        beta.send(2000);
        pair.runFor(10_000);
        assertThat(gamma.underWay()).isEqualTo(1);

        pair.left.connection.abandon(alpha, WorkStatus.WR_FLUSH_ERR);
        alpha.isBufferGone = true;
        assertThat(alpha.statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR);
        pair.left.room = Integer.MAX_VALUE;
        pair.run();

        assertThat(beta.statuses()).containsExactly(0, 0);
        assertThat(gamma.arrivals).isEmpty();
        assertThat(gamma.posted()).isEqualTo(1);
        beta.send(3000);
        delta.post(1);
        pair.run();
        assertThat(beta.statuses()).containsExactly(0, 0, 0);
    }

    @Test
    void localMemoryThatIsGoneEndsItsRequestAlone() {
        alpha.isBufferGone = true;
        alpha.write(5000, 0);
        beta.write(8, 8);

        pair.run();

        assertThat(alpha.statuses()).containsExactly(WorkStatus.LOC_ACCESS_ERR);
        assertThat(beta.statuses()).containsExactly(0);
        assertThat(pair.right.region.writes).isEqualTo(1);
    }

    @Test
    void flowsThatAreHeldTakeNoMoreMemoryThanAWindowOfThem() {
        HeldFlows flows = new HeldFlows();
        for (long psn = 0; psn < 1_000_000; psn++) {
            flows.hold(HeldFlows.flow((int) psn, GAMMA), psn);
        }
        assertThat(flows.size()).isLessThanOrEqualTo(4 * ConnectionConfig.MAX_WINDOW_PACKETS);
        assertThat(flows.holds(HeldFlows.flow(999_999, GAMMA), 1_000_001)).isTrue();
        assertThat(flows.holds(HeldFlows.flow(999_999, GAMMA), 1_000_001 + ConnectionConfig.MAX_WINDOW_PACKETS))
                .isFalse();
        flows.release(HeldFlows.flow(999_998, GAMMA));
        assertThat(flows.holds(HeldFlows.flow(999_998, GAMMA), 1_000_001)).isFalse();
    }

    @Test
    void everyPacketNamesTheContextOfTheOtherEnd() {
        pair.left.records = true;
        pair.right.records = true;
        alpha.write(8, 0);
        pair.run();
        for (Packet packet : pair.left.sent) {
            assertThat(Opcodes.transport(packet.opcode())).isEqualTo(Opcodes.RD);
            assertThat(io.urma4j.udma.wire.Rdeth.endToEndContext(packet.bytes(), packet.at(Header.RDETH)))
                    .isEqualTo(Pair.RIGHT);
            assertThat(Bth.destinationQp(packet.bytes())).isEqualTo(GAMMA);
        }
    }
}
