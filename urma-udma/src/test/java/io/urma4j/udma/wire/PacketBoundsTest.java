package io.urma4j.udma.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.urma4j.libc.NativeMemory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lengths and fields that decide what becomes of a packet, one beside their limit on either side. */
class PacketBoundsTest {
    private static final int ENTRY_BYTES = 4; // before each packet of a bundle

    /** In a place that takes more than a packet may have. */
    private static Packet packet(int opcode, int lengthBytes) {
        Packet packet = new Packet(NativeMemory.allocate(2 * Packet.MAX_BYTES));
        packet.begin(opcode, 0, 17, 0, 1);
        packet.lengthBytes(lengthBytes);
        return packet;
    }

    @Test
    void thePacketOfMostBytesIsTakenAndOneMoreIsNot() {
        int send = Opcodes.RC | Opcodes.SEND_ONLY;

        assertThat(PacketCheck.of(packet(send, Packet.MAX_BYTES))).isNull();
        assertThat(PacketCheck.of(packet(send, Packet.MAX_BYTES + 1))).isEqualTo(Drop.TOO_LONG);
    }

    /** No two peers agree on a length for what belongs to no connection, or to several. */
    @ParameterizedTest
    @ValueSource(ints = {Opcodes.UD | Opcodes.SEND_ONLY, Opcodes.UD_SEND_ONLY_IMM64, Opcodes.CNP, Opcodes.BUNDLE})
    void whatIsOfNoConnectionIsNoLongerThanRoceAllows(int opcode) {
        assertThat(PacketCheck.of(packet(opcode, Packet.MAX_ROCE_BYTES))).isNotEqualTo(Drop.TOO_LONG);
        assertThat(PacketCheck.of(packet(opcode, Packet.MAX_ROCE_BYTES + 1))).isEqualTo(Drop.TOO_LONG);
    }

    @Test
    void headersAloneAreTooShortWithoutTheirIcrc() {
        int send = Opcodes.RC | Opcodes.SEND_ONLY;

        assertThat(PacketCheck.of(packet(send, Bth.BYTES - 1))).isEqualTo(Drop.TOO_SHORT);
        assertThat(PacketCheck.of(packet(send, Bth.BYTES))).isEqualTo(Drop.CUT);
        assertThat(PacketCheck.of(packet(send, Bth.BYTES + Icrc.BYTES - 1))).isEqualTo(Drop.CUT);
        assertThat(PacketCheck.of(packet(send, Bth.BYTES + Icrc.BYTES))).isNull();
    }

    @Test
    void eachOpcodeIsCutOneByteBeforeTheEndOfItsHeaders() {
        for (int opcode = 0; opcode < 256; opcode++) {
            if (!Opcodes.isKnown(opcode) || opcode == Opcodes.BUNDLE || opcode == Opcodes.FRAGMENT) {
                continue;
            }
            int least = Opcodes.headerBytes(opcode) + Icrc.BYTES;
            assertThat(PacketCheck.of(packet(opcode, least)))
                    .as(Opcodes.name(opcode))
                    .isNull();
            assertThat(PacketCheck.of(packet(opcode, least - 1)))
                    .as(Opcodes.name(opcode))
                    .isIn(Drop.CUT, Drop.TOO_SHORT);
        }
    }

    @Test
    void aPacketInABundleIsWholeOrTheBundleIsDropped() {
        int acknowledgement = Opcodes.RC | Opcodes.ACKNOWLEDGE;
        int least = Opcodes.headerBytes(acknowledgement);
        for (int length = least - 1; length <= least + 1; length++) {
            Packet bundle = bundleOf(acknowledgement, length);
            assertThat(PacketCheck.of(bundle))
                    .as("a packet of %d bytes with headers of %d", length, least)
                    .isEqualTo(length < least ? Drop.BUNDLE : null);

            bundle.lengthBytes(bundle.lengthBytes() - 1);
            assertThat(PacketCheck.of(bundle)).as("one byte shorter").isEqualTo(Drop.BUNDLE);
            bundle.lengthBytes(bundle.lengthBytes() + 2);
            assertThat(PacketCheck.of(bundle)).as("one byte longer").isEqualTo(Drop.BUNDLE);
        }
    }

    /** SEND_ONLY has no header but the BTH: the shortest packet that there is. */
    @Test
    void aBundleOfTheShortestPacketIsWhole() {
        assertThat(PacketCheck.of(bundleOf(Opcodes.RC | Opcodes.SEND_ONLY, Bth.BYTES)))
                .isNull();
        assertThat(PacketCheck.of(bundleOf(Opcodes.RC | Opcodes.SEND_ONLY, Bth.BYTES - 1)))
                .isEqualTo(Drop.BUNDLE);
    }

    private static Packet bundleOf(int opcode, int entryBytes) {
        Packet bundle = packet(Opcodes.BUNDLE, Bth.BYTES + ENTRY_BYTES + entryBytes + Icrc.BYTES);
        Fields.u32(bundle.bytes(), Bundle.first(), entryBytes << Short.SIZE);
        Bth.put(bundle.bytes().from(Bundle.first() + ENTRY_BYTES), opcode, 0, 17, 0, 1);
        return bundle;
    }

    /** We are a full member of the default partition: a limited member may talk to us. */
    @ParameterizedTest
    @CsvSource({
        "0xFFFF, true",
        "0x7FFF, true",
        "0x1234, false",
        "0, false",
        "0x8000, false",
        "0x7FFE, false",
        "0xFFFE, false"
    })
    void aPacketOfAnotherPartitionIsDropped(String key, boolean taken) {
        Packet send = packet(Opcodes.RC | Opcodes.SEND_ONLY, Bth.BYTES + Icrc.BYTES);
        Bth.partitionKey(send.bytes(), Integer.decode(key));
        assertThat(PacketCheck.of(send)).isEqualTo(taken ? null : Drop.PARTITION);

        Packet bundle = bundleOf(Opcodes.RC | Opcodes.SEND_ONLY, Bth.BYTES);
        Bth.partitionKey(bundle.bytes().from(Bundle.first() + ENTRY_BYTES), Integer.decode(key));
        assertThat(PacketCheck.of(bundle)).isEqualTo(taken ? null : Drop.BUNDLE);
    }

    @Test
    void onlyWhatHasAManufacturersOpcodeIsOurs() {
        assertThat(Opcodes.isOurs(Opcodes.OURS_RC - 1)).isFalse();
        assertThat(Opcodes.isOurs(Opcodes.OURS_RC)).isTrue();
    }

    @Test
    void paddingFillsUpToFourBytesAndIsZero() {
        for (int payload = 0; payload <= 8; payload++) {
            Packet packet = packet(Opcodes.RC | Opcodes.SEND_ONLY, 64);
            packet.bytes().segment().asSlice(Bth.BYTES).fill((byte) 0xFF);

            int end = packet.pad(payload);

            assertThat(end % 4).as("%d bytes", payload).isZero();
            assertThat(end - Bth.BYTES).as("%d bytes", payload).isBetween(payload, payload + 3);
            for (int at = Bth.BYTES + payload; at < end; at++) {
                assertThat(packet.bytes().getByte(at)).as("byte %d", at).isZero();
            }
            assertThat(packet.bytes().getByte(end)).as("behind the padding").isEqualTo((byte) 0xFF);
        }
    }

    @Test
    void aPlaceTakesNoPacketThatIsLonger() {
        Packet packet = new Packet(NativeMemory.allocate(64));

        packet.lengthBytes(64);
        assertThat(packet.lengthBytes()).isEqualTo(64);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> packet.lengthBytes(65))
                .withMessageContaining("65");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> packet.lengthBytes(-1))
                .withMessageContaining("-1");
    }

    @Test
    void aManagementDatagramHasItsQueueItsKeyAndItsOpcode() {
        ByteBuffer datagram = ByteBuffer.wrap(new byte[] {1, 2, 3, 4});
        Packet right = packet(Opcodes.RC | Opcodes.SEND_ONLY, 0);
        Management.put(right, 5, datagram);
        right.lengthBytes(right.payloadAt() + 4 + Icrc.BYTES);
        assertThat(Management.isOne(right)).isTrue();
        assertThat(Management.datagram(right)).isEqualTo(datagram);

        Fields.u8(right.bytes(), right.at(Header.DETH) + 3, 1);
        assertThat(Management.isOne(right)).as("with another Q_Key").isFalse();
        Management.put(right, 5, datagram);
        Fields.u8(right.bytes(), 7, 2);
        assertThat(Management.isOne(right)).as("to another queue").isFalse();
        Management.put(right, 5, datagram);
        Fields.u8(right.bytes(), 0, Opcodes.UD | Opcodes.SEND_ONLY_IMM);
        right.lengthBytes(right.lengthBytes()); // reads the opcode
        assertThat(Management.isOne(right)).as("with another opcode").isFalse();
    }
}
