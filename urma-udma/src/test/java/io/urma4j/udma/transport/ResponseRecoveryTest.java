package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.ConnectionConfig.Kind.RELIABLE_CONNECTED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Between urma4j peers an answer that was lost is asked for again, and no other. */
class ResponseRecoveryTest {
    private static final int MTU = 1024;
    private static final int QUEUE = 0x100;
    private static final int TARGET = 0x200;
    private static final int INTO = 1 << 20; // of what comes back, in the buffer

    /** Answers that the network loses: by how far their PSN is from the first one, how often. */
    private final Map<Integer, Integer> losses = new HashMap<>();

    private int answers;

    /** PSNs that were used before the READs. */
    private int packetsBefore;

    private Pair pair(ConnectionConfig.Kind kind, UnaryOperator<ConnectionConfig.Builder> adjusted) {
        Pair pair = new Pair(kind, adjusted, Pair.Faults.NONE, 1);
        fill(pair);
        pair.filter = (to, packet) -> to == pair.right || lets(pair, packet);
        return pair;
    }

    private Pair selective() {
        return pair(RELIABLE_CONNECTED, ConnectionConfig.Builder::selective);
    }

    /** Opens the congestion window, so that a READ is one request. */
    private void open(Pair pair, Outbox out) {
        packetsBefore = 2048;
        Map<Integer, Integer> later = Map.copyOf(losses);
        losses.clear();
        out.write(packetsBefore * MTU / 2, 0);
        out.write(packetsBefore * MTU / 2, 0);
        pair.run();
        assertThat(pair.left.connection.toString()).contains("window 1024.0 of 1024 packets");
        fill(pair);
        losses.putAll(later);
        answers = 0;
    }

    private static void fill(Pair pair) {
        for (long at = 0; at < pair.right.region.bytes.byteSize(); at += 8) {
            pair.right.region.bytes.set(JAVA_LONG_UNALIGNED, at, at * 0x9E37_79B9_7F4A_7C15L);
        }
    }

    private boolean lets(Pair pair, Packet packet) {
        if (Opcodes.operation(packet.opcode()) == Opcodes.ACKNOWLEDGE) {
            return true;
        }
        int first = pair.left.connection.config().firstSendPsn();
        int index = Bth.psn(packet.bytes()) - first - packetsBefore & 0xFF_FFFF;
        int left = losses.getOrDefault(index, 0);
        losses.put(index, left - 1);
        answers += left > 0 ? 0 : 1;
        return left <= 0;
    }

    private static void assertRead(Pair pair, Outbox out, long to, int length, long from) {
        assertThat(out.buffer.asSlice(to, length).mismatch(pair.right.region.bytes.asSlice(from, length)))
                .as("what came of %d bytes", length)
                .isEqualTo(-1);
    }

    private static Traffic traffic(Pair pair) {
        return pair.left.connection.traffic();
    }

    @Test
    void onlyTheLostAnswerIsAskedForAgain() {
        Pair pair = selective();
        losses.put(5, 1);
        Outbox out = pair.left.outbox();
        out.read(INTO, 40 * MTU - 7, 3);

        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(traffic(pair).count(Event.TIMEOUT)).isZero();
        assertThat(traffic(pair).count(Event.RETRANSMITTED))
                .as("requests sent again")
                .isEqualTo(1);
        assertThat(answers).as("answers that came").isEqualTo(40);
        assertRead(pair, out, INTO, 40 * MTU - 7, 3);
    }

    @Test
    void eachGapIsAskedForByItselfAndInOneRoundTrip() {
        Pair pair = selective();
        Set.of(0, 3, 4, 5, 20, 30).forEach(index -> losses.put(index, 1));
        Outbox out = pair.left.outbox();
        open(pair, out);
        out.read(INTO, 40 * MTU, 0);
        long began = pair.now;

        while (!out.isIdle()) {
            pair.runFor(1_000);
        }

        assertThat(pair.now - began).as("time for two round trips").isLessThan(45_000);
        assertThat(traffic(pair).count(Event.RETRANSMITTED)).isEqualTo(4);
        assertThat(answers).isEqualTo(40);
        assertRead(pair, out, INTO, 40 * MTU, 0);
    }

    @Test
    void theLastAnswerIsMissedWhenTheNextReadIsAnswered() {
        Pair pair = selective();
        losses.put(9, 1);
        Outbox out = pair.left.outbox();
        out.read(INTO, 10 * MTU, 0);
        out.read(INTO + 10 * MTU, 10 * MTU, 10 * MTU);

        pair.run();

        assertThat(traffic(pair).count(Event.TIMEOUT)).isZero();
        assertThat(traffic(pair).count(Event.RETRANSMITTED)).isEqualTo(1);
        assertThat(answers).isEqualTo(20);
        assertRead(pair, out, INTO, 20 * MTU, 0);
    }

    @Test
    void whatIsLostOnceMoreIsAskedForOnceMore() {
        Pair pair = selective();
        losses.put(5, 3);
        Outbox out = pair.left.outbox();
        for (int i = 0; i < 40; i++) {
            out.read(INTO + 30L * MTU * i, 30 * MTU, 30L * MTU * i);
        }

        pair.run();

        assertThat(out.statuses()).hasSize(40).containsOnly(WorkStatus.SUCCESS);
        assertThat(traffic(pair).count(Event.TIMEOUT)).isZero();
        assertThat(traffic(pair).count(Event.RETRANSMITTED)).isEqualTo(3);
        assertThat(answers).isEqualTo(1200);
        assertRead(pair, out, INTO, 1200 * MTU, 0);
    }

    @Test
    void anAnswerThatTwoOthersOvertakeIsNotAskedForAgain() {
        Pair pair = selective();
        Packet[] late = {null};
        int slow = pair.left.connection.config().firstSendPsn() + 4;
        pair.filter = (to, packet) -> {
            boolean isSlow = to == pair.left && Bth.psn(packet.bytes()) == slow;
            late[0] = isSlow ? Pair.copy(packet) : late[0];
            return !isSlow;
        };
        pair.right.room = 7; // the slow one, and two behind it
        Outbox out = pair.left.outbox();
        out.read(INTO, 30 * MTU, 0);
        pair.runFor(1_000_000);

        pair.left.receive(Objects.requireNonNull(late[0]));
        pair.right.room = Integer.MAX_VALUE;
        pair.run();

        assertThat(traffic(pair).count(Event.RETRANSMITTED)).isZero();
        assertRead(pair, out, INTO, 30 * MTU, 0);
    }

    @ParameterizedTest
    @EnumSource(ConnectionConfig.Kind.class)
    void whatComesBehindAGapEndsInOrder(ConnectionConfig.Kind kind) {
        Pair pair = pair(kind, ConnectionConfig.Builder::selective);
        losses.put(7, 1);
        losses.put(20, 1); // of the first atomic
        boolean shared = kind != RELIABLE_CONNECTED;
        Outbox out = shared ? pair.left.outbox(QUEUE, TARGET) : pair.left.outbox();
        out.read(INTO, 20 * MTU, 0);
        out.atomic(WorkOpcode.FADD, 0, 8, 3 << 20, 1, 0);
        out.write(5 * MTU, 2 << 20);
        out.atomic(WorkOpcode.FADD, 8, 8, 3 << 20, 1, 0);
        out.read(INTO + 20 * MTU, 10 * MTU, 20 * MTU);
        out.write(5 * MTU, 2 << 20);

        pair.run();

        assertThat(out.results).extracting(Outbox.Result::position).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(out.statuses()).containsOnly(WorkStatus.SUCCESS);
        assertThat(pair.right.region.atomics).as("atomics that were executed").isEqualTo(2);
        assertThat(out.buffer.get(JAVA_LONG_UNALIGNED, 8)).isEqualTo(out.buffer.get(JAVA_LONG_UNALIGNED, 0) + 1);
        assertThat(traffic(pair).count(Event.TIMEOUT)).isZero();
        assertThat(traffic(pair).count(Event.RETRANSMITTED)).isEqualTo(2);
        assertRead(pair, out, INTO, 30 * MTU, 0);
    }

    @Test
    void aForeignPeerIsAskedForTheRestAsEver() {
        Pair pair = pair(RELIABLE_CONNECTED, ConnectionConfig.Builder::foreignPeer);
        losses.put(5, 1);
        losses.put(8, 1);
        Outbox out = pair.left.outbox();
        out.read(INTO, 40 * MTU, 0);

        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(answers).as("answers that came").isEqualTo(38 + 11); // what was on its way behind the first gap
        assertRead(pair, out, INTO, 40 * MTU, 0);
    }

    @Test
    void aLostRequestIsAskedForAgainAndCountsAsOnePacket() {
        Pair pair = new Pair(RELIABLE_CONNECTED, ConnectionConfig.Builder::selective, Pair.Faults.NONE, 1);
        fill(pair);
        int[] requests = {0};
        Outbox out = pair.left.outbox();
        open(pair, out);
        pair.filter = (to, packet) -> to == pair.left || requests[0]++ != 1;
        for (int i = 0; i < 4; i++) {
            out.read(INTO + 30L * MTU * i, 30 * MTU, 30L * MTU * i);
        }

        pair.run();

        assertThat(requests[0]).as("requests sent").isEqualTo(5);
        assertThat(traffic(pair).count(Event.RETRANSMITTED)).isEqualTo(1);
        assertThat(traffic(pair).count(Event.TIMEOUT)).isZero();
        assertThat(pair.left.connection.toString()).contains("loss 0.");
        assertRead(pair, out, INTO, 120 * MTU, 0);
    }

    /** Each part that is lost again waits for a timer, which must not stay doubled while other parts come. */
    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.2})
    void aForeignPeerOnALossyLineIsReadInSeconds(double loss) {
        Pair pair = new Pair(RELIABLE_CONNECTED, ConnectionConfig.Builder::foreignPeer, new Pair.Faults(loss, 0, 0), 7);
        pair.line = new Pair.Line(2_500_000, 0, Long.MAX_VALUE, Pair.DutyCycle.ALWAYS);
        fill(pair);
        Outbox out = pair.left.outbox();
        long began = pair.now;
        out.read(INTO, 1 << 20, 0);

        pair.run();

        System.out.printf(
                "ResponseRecoveryTest: 1 MiB from a foreign peer, 5 ms, %.0f %% lost each way: %.2f s; %s%n",
                100 * loss, (pair.now - began) / 1e9, pair.left.connection);
        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertRead(pair, out, INTO, 1 << 20, 0);
        assertThat(pair.now - began).isLessThan(15_000_000_000L);
    }

    // ---- how fast

    private static final int READS = 400;
    private static final int LENGTH = 64 << 10;

    private static long nanos(double loss, boolean selective) {
        Pair pair = new Pair(
                RELIABLE_CONNECTED, config -> selective ? config.selective() : config, new Pair.Faults(loss, 0, 0), 7);
        Outbox out = pair.left.outbox();
        for (int i = 0; i < READS; i++) {
            out.read(0, LENGTH, 0);
        }
        long began = pair.now;
        while (!out.isIdle()) {
            pair.runFor(10_000);
        }
        assertThat(out.statuses()).containsOnly(WorkStatus.SUCCESS);
        System.out.printf(
                "ResponseRecoveryTest: %d MiB read in %.2f ms with %.0f %% of loss%s; %s%n",
                (long) LENGTH * READS >> 20,
                (pair.now - began) / 1e6,
                100 * loss,
                selective ? "" : ", going back",
                pair.left.connection);
        return pair.now - began;
    }

    @Test
    void withOnePercentOfLossReadsKeepMostOfTheirSpeed() {
        long without = nanos(0, true);
        long back = nanos(0.01, false);
        long with = nanos(0.01, true);

        assertThat((double) without / with).as("speed beside that without loss").isGreaterThan(0.6);
        assertThat(with).isLessThan(back);
    }
}
