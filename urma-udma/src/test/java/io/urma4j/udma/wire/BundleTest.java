package io.urma4j.udma.wire;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BundleTest {
    private final Packet bundle = Packet.allocate();
    private final Packet packet = Packet.allocate();

    /** A packet of a connection, whose payload counts from its PSN on. */
    private static Packet write(Packet place, int psn, int payloadBytes) {
        place.begin(Opcodes.RC | Opcodes.WRITE_ONLY, 17, psn);
        Reth.put(place.bytes(), place.at(Header.RETH), 0x1000 + psn, 5, payloadBytes);
        for (int i = 0; i < payloadBytes; i++) {
            place.bytes().setByte(place.payloadAt() + i, psn + i);
        }
        return place;
    }

    /** Of as many packets as there are lengths. */
    private Packet bundle(int... payloads) {
        int bytes = Bundle.begin(write(bundle, 0, payloads[0]), payloads[0]);
        for (int i = 1; i < payloads.length; i++) {
            bytes = Bundle.add(bundle, bytes, write(packet, i, payloads[i]), payloads[i]);
        }
        bundle.lengthBytes(Bth.BYTES + bytes + Icrc.BYTES);
        return bundle;
    }

    @Test
    void whatIsPutInComesOut() {
        int[] payloads = {8, 0, 3, 512, 1};

        Packet made = bundle(payloads);

        assertThat(PacketCheck.of(made)).isNull();
        int at = Bundle.first();
        for (int i = 0; i < payloads.length; i++) {
            at = Bundle.take(made, at, packet);
            assertThat(PacketCheck.of(packet)).isNull();
            assertThat(Bth.psn(packet.bytes())).isEqualTo(i);
            assertThat(packet.payloadBytes()).isEqualTo(payloads[i]);
            byte[] is = packet.bytes()
                    .segment()
                    .asSlice(packet.payloadAt(), payloads[i])
                    .toArray(JAVA_BYTE);
            assertThat(is).isEqualTo(pattern(i, payloads[i]));
        }
        assertThat(at).isEqualTo(Bundle.end(made));
        assertThat(PacketText.of(made)).isEqualTo("BUNDLE of 5 packets");
    }

    @Test
    void packetsInTheirPlaceMakeTheSameBundle() {
        int[] payloads = {8, 0, 3, 512, 1};
        Packet inPlace = Packet.allocate();
        int bytes = Bundle.begin(write(inPlace, 0, payloads[0]), payloads[0]);
        for (int i = 1; i < payloads.length; i++) {
            Packet next = requireNonNull(inPlace.makeWithin(Bundle.next(bytes)));
            bytes = Bundle.add(inPlace, bytes, write(next, i, payloads[i]), payloads[i]);
        }
        inPlace.lengthBytes(Bth.BYTES + bytes + Icrc.BYTES);

        Packet copied = bundle(payloads);
        assertThat(inPlace.lengthBytes()).isEqualTo(copied.lengthBytes());
        assertThat(MemorySegment.mismatch(
                        inPlace.bytes().segment(),
                        0,
                        bytes + Bth.BYTES,
                        copied.bytes().segment(),
                        0,
                        bytes + Bth.BYTES))
                .as("the first byte that differs")
                .isEqualTo(-1);
        int at = Bundle.first();
        for (int i = 0; at < Bundle.end(inPlace); i++) {
            Packet one = inPlace.within(Bundle.packetAt(at));
            one = one == null ? requireNonNull(inPlace.makeWithin(Bundle.packetAt(at))) : one;
            at = Bundle.take(inPlace, at, one);
            assertThat(PacketCheck.of(one)).isNull();
            assertThat(Bth.psn(one.bytes())).isEqualTo(i);
            assertThat(one.payloadBytes()).isEqualTo(payloads[i]);
        }
    }

    @Test
    void aPacketHasNoPlaceBetweenWordsNorAtTheEnd() {
        assertThat(bundle.makeWithin(18)).isNull();
        assertThat(bundle.makeWithin(Packet.MAX_ROCE_BYTES)).isNull();
        assertThat(bundle.within(16)).isNull();
        assertThat(bundle.makeWithin(16)).isNotNull().isSameAs(bundle.within(16));
    }

    private static byte[] pattern(int psn, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (psn + i);
        }
        return bytes;
    }

    @Test
    void itsLengthIsKnownBefore() {
        int entries = 0;
        for (int length : new int[] {8, 0, 3, 512, 1}) {
            entries += Bundle.entryBytes(Opcodes.RC | Opcodes.WRITE_ONLY, length);
        }

        assertThat(bundle(8, 0, 3, 512, 1).payloadBytes()).isEqualTo(entries);
    }

    @Test
    void anEmptyOneIsNoBundle() {
        bundle.begin(Opcodes.BUNDLE, 0, 0);
        bundle.lengthBytes(Bth.BYTES + Icrc.BYTES);

        assertThat(PacketCheck.of(bundle)).isEqualTo(Drop.BUNDLE);
    }

    @Test
    void whatIsCutIsDropped() {
        int whole = bundle(8, 16).lengthBytes();
        List<Integer> sound = new ArrayList<>();

        for (int length = Bth.BYTES + Icrc.BYTES; length <= whole; length++) {
            bundle.lengthBytes(length);
            if (PacketCheck.of(bundle) == null) {
                sound.add(length);
            }
        }

        int first = Bth.BYTES + Bundle.entryBytes(Opcodes.RC | Opcodes.WRITE_ONLY, 8) + Icrc.BYTES;
        assertThat(sound).containsExactly(first, whole);
    }

    /** Datagrams and control messages go by other doors; and nothing is to be taken apart twice. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                Opcodes.BUNDLE,
                Opcodes.CNP,
                Opcodes.UD_SEND_ONLY_IMM64,
                Opcodes.UD | Opcodes.SEND_ONLY,
                Opcodes.UC | Opcodes.SEND_ONLY,
                0xFF
            })
    void onlyPacketsOfConnectionsBelongThere(int opcode) {
        NativeMemory bytes = bundle(8, 64).bytes();

        bytes.setByte(Bth.BYTES + 4, opcode);

        assertThat(PacketCheck.of(bundle)).isEqualTo(Drop.BUNDLE);
    }

    @Test
    void aPacketThatIsShorterThanItsHeadersIsDropped() {
        NativeMemory bytes = bundle(0, 64).bytes();
        bytes.setByte(Bth.BYTES + 4, Opcodes.RC | Opcodes.COMPARE_SWAP);
        assertThat(PacketCheck.of(bundle)).isEqualTo(Drop.BUNDLE);

        Bth.padCount(bundle(0, 64).bytes().from(Bth.BYTES + 4), 1);
        assertThat(PacketCheck.of(bundle)).isEqualTo(Drop.BUNDLE);
    }

    @Test
    void itHasNoPaddingAndNoOtherVersion() {
        bundle(8, 8);
        Bth.padCount(bundle.bytes(), 1);
        assertThat(PacketCheck.of(bundle)).isEqualTo(Drop.BUNDLE);

        bundle(8, 8);
        Fields.u8(bundle.bytes(), Bth.BYTES + 4 + 1, 1);
        assertThat(PacketCheck.of(bundle)).isEqualTo(Drop.BUNDLE);
    }
}
