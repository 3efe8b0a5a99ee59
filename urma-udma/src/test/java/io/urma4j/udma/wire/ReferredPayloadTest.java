package io.urma4j.udma.wire;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.Mapping;
import io.urma4j.libc.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A packet whose payload lies elsewhere. */
class ReferredPayloadTest {
    private static final int MTU = 61_440;
    private static final int OFFSET = 13;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(1 << 17, 64);
    private final PinnedMemory pinned = new PinnedMemory(memory);
    private final IpHeaders ip = IpHeaders.ipv4(0x0a4d000c, 0x0a4d000b, 0xc121, IpHeaders.ROCE_PORT);
    private final Icrc icrc = new Icrc();
    private final Packet packet = begun(true);

    ReferredPayloadTest() {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(JAVA_BYTE, i, (byte) (31 * i + (i >> 8)));
        }
    }

    private static Packet begun(boolean gathers) {
        Packet packet = new Packet(NativeMemory.allocate(Packet.maxBytes(MTU)), gathers);
        packet.bytes().segment().fill((byte) 0x55); // of an earlier packet
        packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x123, 7);
        return packet;
    }

    private Packet copied(int lengthBytes) {
        Packet copy = begun(false);
        MemorySegment.copy(memory, OFFSET, copy.bytes().segment(), copy.payloadAt(), lengthBytes);
        copy.end(lengthBytes, ip, icrc);
        return copy;
    }

    private static byte[] bytes(Packet packet) {
        return packet.bytes().segment().asSlice(0, packet.lengthBytes()).toArray(JAVA_BYTE);
    }

    @ParameterizedTest
    @ValueSource(ints = {Packet.MIN_REFERRED_BYTES, 20_001, 20_002, 20_003, MTU})
    void itsIcrcIsThatOfACopy(int lengthBytes) {
        packet.refer(pinned, OFFSET, lengthBytes);
        packet.end(lengthBytes, ip, icrc);

        assertThat(Icrc.in(packet)).isEqualTo(Icrc.in(copied(lengthBytes)));
        assertThat(packet.lengthBytes()).isEqualTo(copied(lengthBytes).lengthBytes());
        assertThat(packet.payloadBytes()).isEqualTo(lengthBytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {Packet.MIN_REFERRED_BYTES, 20_001, MTU})
    void onceCopiedItDoesNotSeeWhatBecomesOfItsMemory(int lengthBytes) {
        byte[] expected = bytes(copied(lengthBytes));
        packet.refer(pinned, OFFSET, lengthBytes);
        packet.end(lengthBytes, ip, icrc);

        packet.copyPayload();
        memory.fill((byte) 9);
        packet.copyPayload();

        assertThat(packet.refers()).isFalse();
        assertThat(bytes(packet)).isEqualTo(expected);
        assertThat(icrc.isRight(packet, ip)).isTrue();
    }

    @Test
    void ofClosedMemoryZerosLeaveAndNothingOfAnEarlierPacket() {
        packet.refer(pinned, OFFSET, MTU);
        packet.end(MTU, ip, icrc);
        arena.close();

        packet.copyPayload();

        assertThat(packet.bytes().segment().asSlice(packet.payloadAt(), MTU).toArray(JAVA_BYTE))
                .containsOnly(0);
        assertThat(icrc.isRight(packet, ip)).isFalse();
    }

    @Test
    void onlyLongPayloadsStayWhereTheyAre() {
        assertThat(packet.mayRefer(Packet.MIN_REFERRED_BYTES)).isTrue();
        assertThat(packet.mayRefer(Packet.MIN_REFERRED_BYTES - 1)).isFalse();
        assertThat(begun(false).mayRefer(MTU)).isFalse();
    }

    @Test
    void theNextPacketOfThePlaceBeginsAnew() {
        packet.mustCopy();
        assertThat(packet.mayRefer(MTU)).isFalse();

        packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x123, 8);
        assertThat(packet.mayRefer(MTU)).isTrue();
        packet.refer(pinned, OFFSET, MTU);
        packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x123, 9);

        assertThat(packet.refers()).isFalse();
    }

    @Test
    void offsetsCountFromTheMemoryAndEndBehindTwoGigabytes() {
        long whole = 3L << 30;
        MemorySegment large = Mapping.anonymous(whole, arena); // of which no page is touched
        PinnedMemory pin = new PinnedMemory(large);
        long end = Integer.MAX_VALUE - 4095;

        assertThat(pin.offset(large, 5, 16)).isEqualTo(5);
        assertThat(pin.offset(large.asSlice(4096, 8192), 5, 16)).isEqualTo(4101);
        assertThat(pin.offset(large, end - 16, 16)).isEqualTo(end - 16);
        assertThat(pin.offset(large, end - 15, 16)).isNegative();
        assertThat(pin.offset(large.asSlice(end, 4096), 0, 16)).isNegative();
    }
}
