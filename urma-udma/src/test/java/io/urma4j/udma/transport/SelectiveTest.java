package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.ConnectionConfig.Kind.RELIABLE_CONNECTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.PathMtu;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Between urma4j peers what was lost is sent again, and nothing else. */
class SelectiveTest {
    private static final int LENGTH = 64 << 10;
    private static final int WRITES = 400;

    private static Pair pair(double loss, boolean selective) {
        return new Pair(
                RELIABLE_CONNECTED, config -> selective ? config.selective() : config, new Pair.Faults(loss, 0, 0), 7);
    }

    /** Writes all of it, and returns how long that took. */
    private static long nanos(Pair pair) {
        Outbox out = pair.left.outbox();
        for (int i = 0; i < WRITES; i++) {
            out.write(LENGTH, 0);
        }
        long started = pair.now;
        while (!out.isIdle()) {
            pair.runFor(100_000);
        }
        assertThat(out.statuses()).containsOnly(WorkStatus.SUCCESS);
        return pair.now - started;
    }

    @Test
    void onlyTheLostPacketIsSentAgain() {
        Pair pair = pair(0, true);
        int lost = pair.left.connection.config().firstSendPsn() + 5 & 0xFF_FFFF;
        int[] tries = {0};
        pair.filter = (to, packet) -> to == pair.left || Bth.psn(packet.bytes()) != lost || tries[0]++ > 0;
        Outbox out = pair.left.outbox();
        out.fill(1);
        out.write(14 * 1024, 0);
        out.read(1 << 20, 14 * 1024, 0);

        pair.run();

        assertThat(out.statuses()).containsExactly(0, 0);
        assertThat(pair.left.connection.traffic().count(Event.RETRANSMITTED)).isEqualTo(1);
        assertThat(pair.left.connection.traffic().count(Event.TIMEOUT)).isZero();
        assertThat(out.buffer.asSlice(1 << 20, 14 * 1024).mismatch(out.buffer.asSlice(0, 14 * 1024)))
                .isEqualTo(-1);
    }

    /** Nothing that arrives shows such a loss, and the timeout is longer than a stall of the peer. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aLostPacketWithNothingBehindItIsProbedBeforeTheTimeout(int losses) {
        Pair pair = pair(0, true);
        Outbox out = pair.left.outbox();
        for (int i = 0; i < 20; i++) {
            out.write(8, 0);
            pair.runFor(1_000_000);
        }
        int[] tries = {0};
        pair.filter = (to, packet) -> to == pair.left || tries[0]++ >= losses;

        long started = pair.now;
        out.read(1 << 20, 8, 0);
        while (!out.isIdle()) {
            pair.runFor(50_000);
        }

        Traffic traffic = pair.left.connection.traffic();
        assertThat(traffic.count(Event.PROBE)).isEqualTo(1);
        assertThat(traffic.count(Event.TIMEOUT))
                .as("when the probe is lost, too")
                .isEqualTo(losses - 1);
        assertThat(traffic.count(Event.RETRANSMITTED)).isEqualTo(losses);
        assertThat(pair.now - started).isLessThan(losses == 1 ? 2_000_000L : 5_000_000L);
    }

    @Test
    void withOnePercentOfLossLittleMoreThanThatIsSentAgain() {
        Pair going = pair(0.01, true);
        long withLoss = nanos(going);
        Pair back = pair(0.01, false);
        long goingBack = nanos(back);
        long without = nanos(pair(0, true));

        Traffic traffic = going.left.connection.traffic();
        System.out.printf(
                "SelectiveTest: %d MiB take %.2f ms without loss, %.2f ms with 1 %% (%.2f %% sent again); going back"
                        + " %.2f ms (%.2f %%)%n",
                (long) LENGTH * WRITES >> 20,
                without / 1e6,
                withLoss / 1e6,
                100.0 * traffic.count(Event.RETRANSMITTED) / traffic.count(Event.SENT),
                goingBack / 1e6,
                100.0
                        * back.left.connection.traffic().count(Event.RETRANSMITTED)
                        / back.left.connection.traffic().count(Event.SENT));
        assertThat(traffic.count(Event.RETRANSMITTED)).isLessThan(traffic.count(Event.SENT) / 40);
    }

    @Test
    void noMorePacketsAreKeptThanThereIsRoomFor() {
        OutOfOrder kept = new OutOfOrder(PathMtu.LARGEST_OF_ROCE);
        Pair pair = pair(0, true);
        pair.left.records = true;
        pair.left.outbox().write(8, 0);
        pair.run();
        var packet = pair.left.sent.getFirst();

        assertThat(kept.keep(packet, 11, 10)).isTrue();
        assertThat(kept.keep(packet, 11, 10)).as("known already").isFalse();
        assertThat(kept.keep(packet, 12, 10)).as("a second one").isTrue();
        assertThat(kept.keep(packet, 14, 10)).as("13 is missing").isTrue();
        assertThat(kept.keep(packet, 15, 10)).as("nothing new is missing").isFalse();
        assertThat(kept.keep(packet, 13, 10)).as("13 was late").isTrue();
        assertThat(kept.keep(packet, 10 + OutOfOrder.SLOTS, 10))
                .as("too far ahead")
                .isFalse();
        assertThat(kept.get(10 + OutOfOrder.SLOTS)).isNull();
        assertThat(kept.tell(packet.bytes(), 12, 10)).isEqualTo(1);
        assertThat(packet.bytes().getByte(12)).isEqualTo((byte) 0b11111);
        NativeMemory report = NativeMemory.allocate(1);
        assertThat(kept.tell(report, 0, 10)).isEqualTo(1);
        assertThat(report.getByte(0)).as("and no byte behind it").isEqualTo((byte) 0b11111);
    }
}
