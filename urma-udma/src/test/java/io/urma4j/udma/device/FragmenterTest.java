package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Reassembly;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A port with few places, on a path that has become narrow. */
class FragmenterTest {
    private static final int MTU = 4096;
    private static final int NARROW = 400;

    private int narrowedBytes = NARROW;
    private final Route route = new Route() {
        @Override
        public int mtuBytes() {
            return MTU;
        }

        @Override
        public int narrowedBytes() {
            return narrowedBytes;
        }

        @Override
        public long eidHigh() {
            return 0;
        }

        @Override
        public long eidLow() {
            return 1;
        }

        @Override
        public int port() {
            return 4791;
        }
    };

    private final Places port = new Places();
    private final OutgoingBatch batch = new OutgoingBatch(port);
    private final Reassembly reassembly = new Reassembly(MTU);

    private static final class Places implements Port {
        final List<Packet> sent = new ArrayList<>();
        int free = 100;
        private @Nullable Packet begun;

        @Override
        public @Nullable Packet begin(Route to) {
            if (free == 0) {
                return null;
            }
            begun = Packet.allocate(MTU);
            return begun;
        }

        @Override
        public void end(int payloadBytes) {
            Packet packet = Objects.requireNonNull(begun);
            packet.lengthBytes(packet.pad(payloadBytes) + Icrc.BYTES);
            sent.add(packet);
            free--;
        }

        @Override
        public boolean flush() {
            return free == 0;
        }
    }

    private static void fill(@Nullable Packet place, int psn, int payloadBytes) {
        Packet packet = Objects.requireNonNull(place);
        packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x123, psn);
        for (int i = 0; i < payloadBytes; i++) {
            packet.bytes().setByte(packet.payloadAt() + i, psn + 31 * i);
        }
    }

    private void send(int psn, int payloadBytes) {
        fill(batch.begin(route), psn, payloadBytes);
        batch.end(payloadBytes);
    }

    private static byte[] bytes(Packet packet) {
        return packet.bytes()
                .segment()
                .asSlice(0, packet.lengthBytes() - Icrc.BYTES)
                .toArray(JAVA_BYTE);
    }

    private static byte[] expected(int psn, int payloadBytes) {
        Packet packet = Packet.allocate(MTU);
        fill(packet, psn, payloadBytes);
        packet.lengthBytes(packet.pad(payloadBytes) + Icrc.BYTES);
        return bytes(packet);
    }

    private List<byte[]> received() {
        List<byte[]> all = new ArrayList<>();
        for (Packet packet : port.sent) {
            assertThat(packet.lengthBytes()).isLessThanOrEqualTo(NARROW);
            Packet whole = packet.opcode() == Opcodes.FRAGMENT ? reassembly.add(packet, 0) : packet;
            if (whole != null) {
                all.add(bytes(whole));
            }
        }
        return all;
    }

    @Test
    void aLongPacketIsCutAndAShortOneIsNot() {
        send(1, 4095);
        send(2, 0);
        send(3, NARROW - 16);
        send(4, NARROW - 15);
        batch.flush();

        assertThat(received())
                .containsExactly(expected(1, 4095), expected(2, 0), expected(3, NARROW - 16), expected(4, NARROW - 15));
        assertThat(port.sent).hasSize(11 + 1 + 1 + 2);
        assertThat(batch.fragments()).isEqualTo(13);
    }

    @Test
    void theRestWaitsForSpaceAndNoOtherPacketBeginsBefore() {
        port.free = 4;
        send(1, 4095);
        assertThat(batch.flush()).isTrue();
        assertThat(batch.begin(route)).isNull();
        assertThat(batch.isFull()).isTrue();

        port.free = 3;
        assertThat(batch.flush()).isTrue();
        assertThat(port.sent).hasSize(7);

        port.free = 100;
        batch.beginStep();
        send(2, 1000);
        assertThat(batch.flush()).isFalse();

        assertThat(received()).containsExactly(expected(1, 4095), expected(2, 1000));
        assertThat(batch.isFull()).isFalse();
    }

    @Test
    void aPacketBehindOneThatWaitsOnARouteThatIsWideAgainLeavesWhole() {
        port.free = 4;
        send(1, 4095);
        batch.flush();
        narrowedBytes = Route.NOT_NARROWED;

        port.free = 100;
        send(2, NARROW - 16);
        batch.flush();

        assertThat(received()).containsExactly(expected(1, 4095), expected(2, NARROW - 16));
        assertThat(batch.fragments()).isEqualTo(11);
    }
}
