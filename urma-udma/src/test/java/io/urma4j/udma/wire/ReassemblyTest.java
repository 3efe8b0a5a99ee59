package io.urma4j.udma.wire;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReassemblyTest {
    private static final int MTU = 8192;
    private static final int CONNECTION = 0x400017;
    private static final int PART = 500;

    private final Reassembly reassembly = new Reassembly(MTU);
    private long now = Long.MAX_VALUE - 7; // of a clock that overflows

    /** A WRITE whose bytes depend on its PSN. */
    private static Packet write(int psn, int payloadBytes) {
        Packet packet = Packet.allocate(Packet.MAX_BYTES);
        packet.begin(Opcodes.RC | Opcodes.WRITE_ONLY, 17, psn);
        Reth.put(packet.bytes(), packet.at(Header.RETH), 0x1000, 5, payloadBytes);
        for (int i = 0; i < payloadBytes; i++) {
            packet.bytes().setByte(packet.payloadAt() + i, 31 * psn + i);
        }
        packet.lengthBytes(packet.pad(payloadBytes) + Icrc.BYTES);
        return packet;
    }

    private static List<Packet> fragments(Packet packet, int id, int partBytes) {
        List<Packet> all = new ArrayList<>();
        int length = packet.lengthBytes() - Icrc.BYTES;
        for (int at = 0; at < length; at += partBytes) {
            int bytes = Math.min(partBytes, length - at);
            Packet fragment = Packet.allocate(Packet.MAX_BYTES);
            FragmentEth.begin(fragment, CONNECTION, id, length, at, partBytes);
            fragment.bytes()
                    .segment()
                    .asSlice(fragment.payloadAt(), bytes)
                    .copyFrom(packet.bytes().segment().asSlice(at, bytes));
            fragment.lengthBytes(fragment.payloadAt() + bytes + Icrc.BYTES);
            assertThat(PacketCheck.of(fragment)).isNull();
            all.add(fragment);
        }
        return all;
    }

    private @Nullable Packet add(List<Packet> fragments) {
        Packet last = null;
        for (Packet fragment : fragments) {
            last = reassembly.add(fragment, now++);
        }
        return last;
    }

    private static byte[] bytes(@Nullable Packet packet) {
        assertThat(packet).isNotNull();
        return packet.bytes()
                .segment()
                .asSlice(0, packet.lengthBytes() - Icrc.BYTES)
                .toArray(JAVA_BYTE);
    }

    @ParameterizedTest
    @CsvSource({"1000, 500", "1, 256", "8192, 256", "8192, 8188", "4099, 1024", "472, 256"})
    void theLastFragmentGivesThePacket(int payloadBytes, int partBytes) {
        Packet packet = write(7, Math.max(payloadBytes, partBytes)); // at least two parts
        List<Packet> fragments = fragments(packet, 3, partBytes);

        for (Packet fragment : fragments.subList(0, fragments.size() - 1)) {
            assertThat(reassembly.add(fragment, now++)).isNull();
        }
        Packet whole = reassembly.add(fragments.getLast(), now++);

        assertThat(bytes(whole)).isEqualTo(bytes(packet));
        assertThat(PacketCheck.of(whole)).isNull();
    }

    @Test
    void orderAndDuplicatesDoNotMatter() {
        Random random = new Random(11);
        for (int i = 0; i < 200; i++) {
            Packet packet = write(i, 2000 + random.nextInt(6000));
            List<Packet> fragments = fragments(packet, i, PART);
            Collections.shuffle(fragments, random);
            Packet last = fragments.removeLast();

            assertThat(add(fragments)).isNull();
            assertThat(add(fragments)).as("once more").isNull();
            assertThat(bytes(reassembly.add(last, now++))).isEqualTo(bytes(packet));
        }
    }

    @Test
    void severalPacketsAreIncompleteAtATime() {
        List<Packet> packets = new ArrayList<>();
        List<Packet> lasts = new ArrayList<>();
        for (int i = 0; i < Reassembly.PLACES; i++) {
            packets.add(write(i, 3000));
            List<Packet> fragments = fragments(packets.getLast(), i, PART);
            lasts.add(fragments.removeLast());
            assertThat(add(fragments)).isNull();
        }

        for (int i = 0; i < Reassembly.PLACES; i++) {
            assertThat(bytes(reassembly.add(lasts.get(i), now++))).isEqualTo(bytes(packets.get(i)));
        }
    }

    @Test
    void theOldestIsGivenUpWhenOneMoreBegins() {
        List<Packet> lasts = new ArrayList<>();
        for (int i = 0; i <= Reassembly.PLACES; i++) {
            List<Packet> fragments = fragments(write(i, 3000), i, PART);
            lasts.add(fragments.removeLast());
            add(fragments);
        }

        assertThat(reassembly.add(lasts.get(1), now++)).isNotNull();
        assertThat(reassembly.add(lasts.get(0), now++)).isNull();
        assertThat(reassembly.add(lasts.get(2), now++)).isNotNull();
        assertThat(reassembly.toString()).contains("incomplete");
    }

    /** Identifications come again after 2²⁴ packets, and what is left of the first one has other bytes. */
    @Test
    void anIdentificationThatComesAgainMeansAnotherPacket() {
        List<Packet> before = fragments(write(1, 3000), 9, PART);
        reassembly.add(before.getFirst(), now++);
        now += Reassembly.MAX_AGE_NANOS;
        List<Packet> after = fragments(write(2, 3000), 9, PART);

        assertThat(add(after.subList(1, after.size())))
                .as("the first part is missing")
                .isNull();
        assertThat(bytes(reassembly.add(after.getFirst(), now++))).isEqualTo(bytes(write(2, 3000)));
    }

    @Test
    void partsOfAnotherLengthBelongToAnotherPacket() {
        Packet packet = write(1, 3000);
        List<Packet> some = fragments(packet, 9, PART);
        List<Packet> others = fragments(packet, 9, 2 * PART);
        Packet last = others.removeLast();
        add(some.subList(0, some.size() - 1));

        assertThat(add(others)).isNull();
        assertThat(bytes(reassembly.add(last, now++))).isEqualTo(bytes(packet));
        assertThat(bytes(reassembly.add(some.getLast(), now++))).isEqualTo(bytes(packet));
    }

    @Test
    void aMarkOfOneFragmentMarksThePacket() {
        List<Packet> fragments = fragments(write(1, 3000), 1, PART);
        Bth.forwardNotice(fragments.get(2).bytes(), true);

        Packet marked = add(fragments);
        assertThat(Bth.isForwardNotice(java.util.Objects.requireNonNull(marked).bytes()))
                .isTrue();
        Packet next = add(fragments(write(2, 3000), 2, PART));
        assertThat(Bth.isForwardNotice(java.util.Objects.requireNonNull(next).bytes()))
                .isFalse();
    }

    @Test
    void noPacketIsLongerThanThePathMtuAllows() {
        Reassembly small = new Reassembly(1024);

        for (Packet fragment : fragments(write(1, 1100), 1, PART)) {
            assertThat(small.add(fragment, now++)).isNull();
        }
        assertThat(small.toString()).isEqualTo("reassembly of packets up to 1092 bytes, 0 incomplete");
    }

    @Test
    void eachFieldIsChecked() {
        int length = 1000;
        assertThat(drop(length, 0, 500, 500)).isNull();
        assertThat(drop(length, 500, 500, 500)).isNull();
        assertThat(drop(length, 768, 256, 232)).isNull();
        assertThat(drop(length, 0, 500, 496)).as("cut").isEqualTo(Drop.FRAGMENT);
        assertThat(drop(length, 0, 500, 504)).as("too much").isEqualTo(Drop.FRAGMENT);
        assertThat(drop(length, 768, 256, 256)).as("beyond the end").isEqualTo(Drop.FRAGMENT);
        assertThat(drop(length, 1000, 500, 0)).as("at the end").isEqualTo(Drop.FRAGMENT);
        assertThat(drop(length, 4, 500, 500)).as("between two parts").isEqualTo(Drop.FRAGMENT);
        assertThat(drop(length, 0, 252, 252)).as("too short").isEqualTo(Drop.FRAGMENT);
        assertThat(drop(length, 0, 1000, 1000)).as("the only one").isEqualTo(Drop.FRAGMENT);
        assertThat(drop(1001, 500, 500, 501)).as("no multiple of 4").isEqualTo(Drop.FRAGMENT);
        assertThat(drop(length, 0, 501, 501)).as("no multiple of 4").isEqualTo(Drop.FRAGMENT);
        assertThat(drop(0xFFFC, 0, 500, 500)).as("longer than any packet").isEqualTo(Drop.FRAGMENT);
        assertThat(drop(length, 0, 0, 0)).as("nothing").isEqualTo(Drop.FRAGMENT);
    }

    private static @Nullable Drop drop(int lengthBytes, int offset, int partBytes, int payloadBytes) {
        Packet fragment = Packet.allocate(Packet.MAX_BYTES);
        FragmentEth.begin(fragment, CONNECTION, 1, lengthBytes, offset, partBytes);
        fragment.lengthBytes(fragment.payloadAt() + payloadBytes + Icrc.BYTES);
        return PacketCheck.of(fragment);
    }

    @Test
    void aFragmentSaysWhichPartItIs() {
        Packet second = fragments(write(7, 3000), 0x12, PART).get(1);

        assertThat(PacketText.of(second))
                .isEqualTo("FRAGMENT                QP 0x400017 PSN 0x000012, offset 500 of 3028, 500 bytes");
    }
}
