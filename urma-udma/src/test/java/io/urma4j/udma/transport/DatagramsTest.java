package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import org.junit.jupiter.api.Test;

class DatagramsTest {
    private static final int Q_KEY = 0x1111_1111;
    private static final int TARGET = 0x77;

    private final Pair pair = new Pair(Kind.RELIABLE_CONNECTED);
    private final Outbox out = new Outbox(0x33, TARGET, 8192);
    private final Inbox in = new Inbox(1000);
    private final Datagrams datagrams = new Datagrams(pair.left);

    private boolean send(long position) {
        out.begun(position);
        return datagrams.send(out, position, pair.left, TARGET, Q_KEY);
    }

    private Packet sent(long position) {
        pair.left.records = true;
        pair.filter = (to, packet) -> false;
        assertThat(send(position)).isTrue();
        return pair.left.sent.getLast();
    }

    @Test
    void aDatagramIsOverWhenItIsSentAndArrivesWithItsImmediate() {
        out.fill(1);
        Packet packet = sent(out.post(WorkOpcode.SEND_IMM, WorkOpcode.SOLICITED, 0, 99, 0, 0xFFFF_FFFFL, 0));
        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(packet.opcode()).isEqualTo(Opcodes.UD | Opcodes.SEND_ONLY_IMM);

        in.post(1);
        datagrams.receive(packet, in, Q_KEY, 7);

        Inbox.Arrival arrival = in.arrivals.getFirst();
        assertThat(arrival.immediate()).isEqualTo(0xFFFF_FFFFL);
        assertThat(arrival.lengthBytes()).isEqualTo(99);
        assertThat(arrival.solicited()).isTrue();
        assertThat(arrival.sourceQueue()).isEqualTo(0x33);
        assertThat(arrival.bytes().asSlice(0, 99).mismatch(out.buffer.asSlice(0, 99)))
                .isEqualTo(-1);
    }

    @Test
    void anotherQueueKeyDeliversNothing() {
        in.post(1);
        datagrams.receive(sent(out.send(10)), in, Q_KEY + 1, 0);

        assertThat(in.arrivals).isEmpty();
        assertThat(in.posted()).isEqualTo(1);
        assertThat(datagrams.wrongKeys()).isEqualTo(1);
    }

    @Test
    void withoutAReceiveItIsLostAndCounted() {
        Packet packet = sent(out.send(10));
        datagrams.receive(packet, in, Q_KEY, 0);
        datagrams.receive(packet, null, Q_KEY, 0);

        assertThat(datagrams.notReady()).isEqualTo(2);
    }

    @Test
    void whatDoesNotFitIsToldToTheReceiver() {
        in.post(1);
        datagrams.receive(sent(out.send(1001)), in, Q_KEY, 0);

        assertThat(in.arrivals).extracting(Inbox.Arrival::status).containsExactly(WorkStatus.LOC_LEN_ERR);
    }

    @Test
    void onlyShortMessagesAreDatagrams() {
        send(out.send(4097));
        send(out.write(8, 0));
        send(out.post(WorkOpcode.SEND_IMM, 0, 8, 0, 1L << 32, 0));

        assertThat(out.statuses())
                .containsExactly(
                        WorkStatus.LOC_LEN_ERR, WorkStatus.UNSUPPORTED_OPCODE_ERR, WorkStatus.UNSUPPORTED_OPCODE_ERR);
        assertThat(datagrams.sent()).isZero();
    }

    @Test
    void aPortWithoutRoomLeavesItUnsent() {
        pair.left.room = 0;
        assertThat(send(out.send(10))).isFalse();
        assertThat(out.results).isEmpty();
    }
}
