package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.Pair.Disorder;
import io.urma4j.udma.transport.Pair.DutyCycle;
import io.urma4j.udma.transport.Pair.Faults;
import io.urma4j.udma.transport.Pair.Line;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Packet;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** A line on which packets overtake others: what is late is not lost, and a full window stays a full window. */
class DisorderTest {
    private static final long US = 1_000;
    private static final long MS = 1_000_000;
    private static final int QUEUE = 0x100;
    private static final int PIECE_BYTES = 64 << 10;
    private static final int MTU_BYTES = 1024;
    private static final int READ_BYTES = 256 << 10; // of answers that are asked for at once
    private static final int SEEDS = Boolean.getBoolean("urma.full") ? 10 : 1;

    /** The most of what is sent that may be sent again though it was only late. */
    private static final double SPURIOUS = 0.025;

    /** How much longer a transfer may take than without disorder. */
    private static final double LONGER = 1.3;

    /** The same where packets are lost as well. */
    private static final double LONGER_WITH_LOSS = 1.6;

    /** A connection alone on a line. */
    private record Case(String name, long delayNanos, long byteNanos, long queueBytes, int bytes) {
        Line line() {
            return new Line(delayNanos, byteNanos, queueBytes, DutyCycle.ALWAYS);
        }

        /** However fast the line is: each window waits for its late packets and answers, and for those that are sent again. */
        long windowsNanos(Disorder disorder, double loss, int windowPackets) {
            long late = disorder.nanos() * 5 / 4;
            long nanos = loss > 0 ? 4 * delayNanos + 4 * late : 2 * delayNanos + 2 * late;
            return nanos * bytes / MTU_BYTES / windowPackets;
        }
    }

    private static final Case SLOW = new Case("10 Mbit/s, 50 ms", 50 * MS, 800, 500_000, 4 << 20);
    private static final Case FAR = new Case("100 Mbit/s, 20 ms", 20 * MS, 80, 2_000_000, 16 << 20);
    private static final Case NEAR = new Case("1 Gbit/s, 1 ms", MS, 8, 1_000_000, 24 << 20);
    private static final List<Case> CASES = List.of(SLOW, FAR, NEAR);

    /** What is moved, and by whom. */
    private record Load(Kind kind, int opcode, boolean isSelective) {
        static final Load WRITES = new Load(Kind.SHARED, WorkOpcode.WRITE, true);
        static final Load MESSAGES = new Load(Kind.RELIABLE_CONNECTED, WorkOpcode.SEND, true);
        static final Load READS = new Load(Kind.RELIABLE_CONNECTED, WorkOpcode.READ, true);
        /** How many packets may wait for one that is missing. */
        int windowPackets() {
            return opcode == WorkOpcode.READ ? READ_BYTES / MTU_BYTES : ConnectionConfig.USUAL_WINDOW_PACKETS;
        }

        static final Load FOREIGN = new Load(Kind.RELIABLE_CONNECTED, WorkOpcode.WRITE, false);
    }

    /** @param lost packets of which one must be sent again: requests, or answers of READs */
    private record Outcome(long nanos, long sent, long resent, long lost, String figures) {
        double spurious() {
            return (double) Math.max(0, resent - lost) / sent;
        }
    }

    private static Outcome move(Case one, Load load, double loss, Disorder disorder, long seed) {
        Pair pair = new Pair(
                load.kind,
                config -> (load.isSelective ? config.selective() : config.foreignPeer())
                        .timeout(1_000_000_000L, 1000)
                        .mtuBytes(MTU_BYTES)
                        .readBudgetBytes(READ_BYTES),
                new Faults(loss, 0, 0),
                seed);
        pair.line = one.line();
        boolean isShared = load.kind == Kind.SHARED;
        Outbox outbox = isShared ? pair.left.outbox(QUEUE, QUEUE) : pair.left.outbox();
        Inbox inbox = isShared ? pair.right.inbox(QUEUE, PIECE_BYTES) : pair.right.inbox(PIECE_BYTES);
        outbox.write(8, 0);
        pair.run(); // the round trip is known
        pair.disorder = disorder;
        int count = one.bytes / PIECE_BYTES;
        inbox.post(count);
        for (int i = 0; i < count; i++) {
            outbox.post(load.opcode, 0, PIECE_BYTES, 0, 0, 0);
        }
        long start = pair.now;
        while (!outbox.isIdle() && pair.now - start < 300_000 * MS) {
            pair.runFor(MS / 10);
        }
        assertThat(outbox.results).hasSize(count + 1).allMatch(result -> result.status() == WorkStatus.SUCCESS);
        Traffic traffic = pair.left.connection.traffic();
        boolean isRead = load.opcode == WorkOpcode.READ;
        long sent = isRead ? pair.right.connection.traffic().count(Event.SENT) : traffic.count(Event.SENT);
        long lost = (long) pair.right.lost + (isRead ? pair.left.lost : 0);
        long nanos = pair.now - start;
        String figures = String.format(
                "%s, %.0f %% late by %.1f ms, %.0f %% lost, seed %d: %.3f s; %d sent again for %d lost; %s",
                one.name,
                100 * disorder.share(),
                disorder.nanos() / 1e6,
                100 * loss,
                seed,
                nanos / 1e9,
                traffic.count(Event.RETRANSMITTED),
                lost,
                pair.left.connection);
        return new Outcome(nanos, sent, traffic.count(Event.RETRANSMITTED), lost, figures);
    }

    private static Stream<Disorder> disorders(long... nanos) {
        return Arrays.stream(nanos)
                .boxed()
                .flatMap(by -> Stream.of(0.01, 0.1, 0.5).map(share -> new Disorder(share, by)));
    }

    // ---- between urma4j peers

    @TestFactory
    Stream<DynamicTest> writesWaitForWhatIsLate() {
        return tests(Load.WRITES, 500 * US, 2 * MS, 10 * MS);
    }

    @TestFactory
    Stream<DynamicTest> messagesWaitForWhatIsLate() {
        return tests(Load.MESSAGES, 2 * MS);
    }

    @TestFactory
    Stream<DynamicTest> readsWaitForWhatIsLate() {
        return tests(Load.READS, 2 * MS);
    }

    private static Stream<DynamicTest> tests(Load load, long... nanos) {
        return CASES.stream()
                .flatMap(one -> Stream.of(0.0, 0.01)
                        .flatMap(loss -> disorders(nanos)
                                .map(disorder -> DynamicTest.dynamicTest(
                                        one.name + ", " + loss + ", " + disorder,
                                        () -> assertGood(one, load, loss, disorder)))));
    }

    private static void assertGood(Case one, Load load, double loss, Disorder disorder) {
        long inOrder = move(one, load, 0, Disorder.NONE, 1).nanos;
        long may = Math.max(inOrder, one.windowsNanos(disorder, loss, load.windowPackets()));
        for (long seed = 1; seed <= SEEDS; seed++) {
            Outcome outcome = move(one, load, loss, disorder, seed);
            String figures = String.format(
                    "%.2f of the time in order (%.2f of what must be), %.2f %% too much; %s",
                    (double) outcome.nanos / inOrder,
                    (double) outcome.nanos / may,
                    100 * outcome.spurious(),
                    outcome.figures);
            System.out.println("DisorderTest: " + figures);
            assertThat((double) outcome.nanos / may).as(figures).isLessThan(loss > 0 ? LONGER_WITH_LOSS : LONGER);
            assertThat(outcome.spurious()).as(figures).isLessThan(SPURIOUS);
        }
    }

    // ---- others

    /** Whoever keeps nothing behind a gap must be sent all of that again; but once, however many packets show the gap. */
    @Test
    void forAForeignPeerItIsGoneBackOnceForAGap() {
        Pair pair = new Pair(Kind.RELIABLE_CONNECTED, ConnectionConfig.Builder::foreignPeer, Faults.NONE, 1);
        pair.line = NEAR.line();
        Outbox outbox = pair.left.outbox();
        outbox.write(8, 0);
        pair.run();
        int late = Psn.onWire(pair.left.connection.config().firstSendPsn() + 5L);
        int[] tries = {0};
        Packet[] kept = {null};
        pair.filter = (to, packet) -> {
            boolean isLate = to == pair.right && Bth.psn(packet.bytes()) == late && tries[0]++ == 0;
            kept[0] = isLate ? Pair.copy(packet) : kept[0];
            return !isLate;
        };
        outbox.write(16 * MTU_BYTES, 0);
        long start = pair.now;
        pair.runFor(NEAR.delayNanos + 80 * US); // eight of its packets are there, and those behind it gone
        pair.right.receive(Objects.requireNonNull(kept[0]));

        pair.run();

        Traffic traffic = pair.left.connection.traffic();
        assertThat(outbox.statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.SUCCESS);
        assertThat(traffic.count(Event.GAP_NAK)).as("of gaps").isEqualTo(2);
        assertThat(traffic.count(Event.RETRANSMITTED))
                .as("all from the late one on")
                .isEqualTo(12);
        assertThat(pair.left.connection.toString())
                .as("what was late is no loss")
                .contains("loss 0.00 %");
        assertThat(pair.now).isGreaterThan(start);
    }

    @Test
    void theWindowOfAForeignPeerStays() {
        Disorder disorder = new Disorder(0.01, 2 * MS);
        Outcome outcome = move(FAR, Load.FOREIGN, 0, disorder, 1);
        System.out.println("DisorderTest: foreign: " + outcome.figures);
        long late = FAR.bytes / MTU_BYTES / 100;
        long goingBack = late * (2 * FAR.delayNanos + 2 * disorder.nanos()); // a round trip for each that is late
        long windows = FAR.windowsNanos(Disorder.NONE, 0, ConnectionConfig.FOREIGN_WINDOW_PACKETS);

        assertThat(outcome.nanos).as(outcome.figures).isLessThan((long) (LONGER * (goingBack + windows)));
    }
}
