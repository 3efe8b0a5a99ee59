package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.CongestionNotices.LEAST_NANOS;
import static io.urma4j.udma.transport.ConnectionConfig.Kind.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A switch on the way marks packets: who receives them tells who sends them, and that one slows down. */
class CongestionNoticesTest {
    private static final int QUEUE = 0x100;
    private static final int TARGET = 0x200;

    private final List<Packet> notices = new ArrayList<>();

    private Pair marking(Kind kind) {
        Pair pair = new Pair(kind, ConnectionConfig.Builder::selective, Pair.Faults.NONE, 1);
        pair.filter = (to, packet) -> {
            if (packet.opcode() == Opcodes.CNP) {
                notices.add(Pair.copy(packet));
            } else if (to == pair.right) {
                Bth.notice(packet.bytes(), true, false);
            }
            return true;
        };
        return pair;
    }

    private static Outbox outbox(Pair pair, Kind kind) {
        return kind == SHARED ? pair.left.outbox(QUEUE, TARGET) : pair.left.outbox();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whoSentWhatWasMarkedIsTold(Kind kind) {
        Pair pair = marking(kind);
        Outbox out = outbox(pair, kind);
        out.write(100, 0);

        pair.run();

        assertThat(out.statuses()).containsExactly(0);
        assertThat(notices).hasSize(1);
        Packet notice = notices.getFirst();
        assertThat(notice.lengthBytes()).as("its length (WIRE §9)").isEqualTo(32);
        assertThat(Bth.isBackwardNotice(notice.bytes())).isTrue();
        assertThat(Bth.isForwardNotice(notice.bytes())).isFalse();
        assertThat(Bth.destinationQp(notice.bytes())).isEqualTo(Pair.LEFT);
        assertThat(Bth.psn(notice.bytes())).isZero();
        assertThat(pair.left.connection.traffic().count(Event.CNP_RECEIVED)).isEqualTo(1);
        assertThat(pair.right.connection.traffic().count(Event.MARKED)).isEqualTo(1);
    }

    /** Else two peers of whom a switch marks everything would answer each other for ever. */
    @Test
    void aNoticeThatIsMarkedItselfDrawsNone() {
        Pair.Faults longWay = new Pair.Faults(0, 0, 20 * LEAST_NANOS);
        Pair pair = new Pair(SHARED, ConnectionConfig.Builder::selective, longWay, 1);
        pair.filter = (_, packet) -> {
            notices.add(Pair.copy(packet));
            Bth.forwardNotice(packet.bytes(), true);
            return true;
        };
        Outbox out = outbox(pair, SHARED);
        out.write(100, 0);

        pair.runFor(1000 * LEAST_NANOS);

        assertThat(out.statuses()).containsExactly(0);
        assertThat(notices).filteredOn(packet -> packet.opcode() == Opcodes.CNP).hasSize(2);
        assertThat(pair.left.connection.traffic().count(Event.CNP_SENT)).isEqualTo(1);
        assertThat(pair.left.connection.traffic().count(Event.CNP_RECEIVED)).isEqualTo(1);
    }

    @Test
    void manyMarksDrawFewNotices() {
        Pair pair = marking(SHARED);
        Outbox out = outbox(pair, SHARED);
        long began = pair.now;
        for (int i = 0; i < 200; i++) {
            out.write(20_000, 0);
        }

        while (!out.isIdle()) {
            pair.runFor(10_000);
        }

        long most = 1 + (pair.now - began) / LEAST_NANOS;
        assertThat(pair.right.connection.traffic().count(Event.MARKED)).isEqualTo(4000);
        assertThat(notices).hasSizeBetween(2, (int) most);
    }

    @Test
    void aPortWithoutRoomIsToldLater() {
        Pair pair = marking(SHARED);
        pair.right.room = 0;
        Outbox out = outbox(pair, SHARED);
        out.write(100, 0);
        pair.runFor(1_000_000);
        assertThat(notices).isEmpty();

        pair.right.room = 10;
        pair.run();

        assertThat(notices).hasSize(1);
    }

    @Test
    void aMarkDrawsANoticeOnceTheIntervalIsOver() {
        RequestsByHand by = new RequestsByHand(Peer.URMA4J);
        long began = by.pair.now;
        int psn = 0;
        for (long atNanos : new long[] {0, LEAST_NANOS - 1, LEAST_NANOS, 2 * LEAST_NANOS - 1, 2 * LEAST_NANOS}) {
            Packet marked = by.write(psn++, Opcodes.WRITE_ONLY, 8, 8);
            Bth.notice(marked.bytes(), true, false);
            by.pair.now = began + atNanos;
            by.answers(marked);
            assertThat(by.responder.sent)
                    .filteredOn(packet -> packet.opcode() == Opcodes.CNP)
                    .as("after %d ns", atNanos)
                    .hasSize(atNanos % LEAST_NANOS == 0 ? 1 : 0);
        }
    }
}
