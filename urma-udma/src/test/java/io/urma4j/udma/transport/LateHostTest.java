package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Opcodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Hosts that share their CPUs with others, and look after the network only now and then: that is no full network. */
class LateHostTest {
    private static final int WRITES = 2000;
    private static final int QUEUE = 0x100;

    /** Each has a CPU for one millisecond in six, and never both at once. */
    @ParameterizedTest
    @EnumSource
    void hostsWithoutCpuKeepTheirWindow(Kind kind) {
        double knowing = packetsInATurn(kind, true, true);
        double halfKnowing = Math.min(packetsInATurn(kind, true, false), packetsInATurn(kind, false, true));
        double ignorant = packetsInATurn(kind, false, false);

        System.out.printf(
                "LateHostTest: %s: %.1f packets in a turn; %.1f when one end does not tell, %.1f when both do not%n",
                kind, knowing, halfKnowing, ignorant);
        assertThat(knowing).isGreaterThan(16);
        assertThat(halfKnowing).as("one of them is enough where both are late").isGreaterThan(16);
        assertThat(ignorant).as("or this test shows nothing").isLessThan(knowing / 4);
    }

    /** How many packets moved in each period. */
    private static double packetsInATurn(Kind kind, boolean senderKnows, boolean receiverKnows) {
        Pair pair = new Pair(kind, config -> config.selective().timeout(2_000_000_000L, 100), Pair.Faults.NONE, 1);
        pair.left.knowsLate = senderKnows;
        pair.right.knowsLate = receiverKnows;
        Outbox outbox = kind == Kind.SHARED ? pair.left.outbox(QUEUE, QUEUE) : pair.left.outbox();
        pair.run(); // the shortest round trip is seen while both have their CPUs
        for (int i = 0; i < 8; i++) {
            outbox.post(WorkOpcode.WRITE, 0, 8, 0, 0, 0);
            pair.run();
        }
        long period = 6_000_000;
        pair.left.dutyCycle = new Pair.DutyCycle(period, 0, 1_000_000);
        pair.right.dutyCycle = new Pair.DutyCycle(period, period / 2, 1_000_000);
        for (int i = 0; i < WRITES; i++) {
            outbox.post(WorkOpcode.WRITE, 0, 8, 0, 0, 0);
        }
        long start = pair.now;
        pair.run();
        assertThat(outbox.results).hasSize(WRITES + 8).allMatch(result -> result.status() == WorkStatus.SUCCESS);
        return (double) WRITES * period / (pair.now - start);
    }

    @Test
    void othersAreNotTold() {
        assertThat(lateAnswers(true)).isPositive();
        assertThat(lateAnswers(false)).isZero();
    }

    private static long lateAnswers(boolean peerIsOurs) {
        Pair pair = new Pair(
                Kind.RELIABLE_CONNECTED, config -> peerIsOurs ? config : config.foreignPeer(), Pair.Faults.NONE, 1);
        pair.right.dutyCycle = new Pair.DutyCycle(6_000_000, 3_000_000, 1_000_000);
        pair.right.records = true;
        Outbox outbox = pair.left.outbox();
        for (int i = 0; i < 100; i++) {
            outbox.post(WorkOpcode.WRITE, 0, 8, 0, 0, 0);
        }
        pair.run();
        return pair.right.sent.stream()
                .filter(packet -> Opcodes.isResponse(packet.opcode()) && Bth.isLate(packet.bytes()))
                .count();
    }
}
