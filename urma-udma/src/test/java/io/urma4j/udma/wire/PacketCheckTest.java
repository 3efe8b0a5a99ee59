package io.urma4j.udma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PacketCheckTest {
    private final Packet packet = Packet.allocate();

    private void is(int opcode, int lengthBytes) {
        packet.begin(opcode, 17, 1);
        packet.lengthBytes(lengthBytes);
    }

    @Test
    void aSendIsGood() {
        is(Opcodes.RC | Opcodes.SEND_ONLY, Bth.BYTES + 8 + Icrc.BYTES);

        assertThat(PacketCheck.of(packet)).isNull();
        assertThat(packet.payloadBytes()).isEqualTo(8);
    }

    @Test
    void eachReasonIsTold() {
        is(Opcodes.RC | Opcodes.SEND_ONLY, Bth.BYTES - 1);
        assertThat(PacketCheck.of(packet)).isEqualTo(Drop.TOO_SHORT);
        is(0xFF, 64);
        assertThat(PacketCheck.of(packet)).isEqualTo(Drop.UNKNOWN_OPCODE);
        is(Opcodes.RC | Opcodes.WRITE_ONLY, Bth.BYTES + Header.RETH.lengthBytes() + Icrc.BYTES - 1);
        assertThat(PacketCheck.of(packet)).isEqualTo(Drop.CUT);
        is(Opcodes.RC | Opcodes.SEND_ONLY, Bth.BYTES + Icrc.BYTES);
        Bth.padCount(packet.bytes(), 1);
        assertThat(PacketCheck.of(packet)).isEqualTo(Drop.CUT);
        is(Opcodes.RC | Opcodes.SEND_ONLY, 64);
        Fields.u8(packet.bytes(), 1, 1);
        assertThat(PacketCheck.of(packet)).isEqualTo(Drop.TRANSPORT_VERSION);
        is(Opcodes.BUNDLE, 64);
        assertThat(PacketCheck.of(packet)).isEqualTo(Drop.BUNDLE);
        is(Opcodes.FRAGMENT, 64);
        assertThat(PacketCheck.of(packet)).isEqualTo(Drop.FRAGMENT);
    }

    /** Everything that the check lets through can be read to its last field. */
    @Test
    void whateverComesNothingIsReadOutside() {
        long seed = Long.getLong("urma.seed", System.nanoTime());
        System.out.println("PacketCheckTest: seed " + seed + ", again with -Durma.seed=" + seed);
        Random random = new Random(seed);
        byte[] noise = new byte[128];
        int good = 0;
        int bundles = 0;
        int fragments = 0;
        for (int i = 0; i < 200_000; i++) {
            random.nextBytes(noise);
            int length = random.nextInt(noise.length + 1);
            if (random.nextBoolean()) {
                noise[1] &= (byte) 0xF0; // else most fall at the version, or at the partition
                noise[2] = (byte) 0xFF;
                noise[3] = (byte) 0xFF;
            }
            if (i % 4 == 0) {
                plausibleBundle(noise, random);
            } else if (i % 4 == 1) {
                length = plausibleFragment(noise, random);
            }
            Packet whole = Packet.of(java.util.Arrays.copyOf(noise, length));
            if (PacketCheck.of(whole) == null) {
                good++;
                bundles += Bundle.is(whole) ? 1 : 0;
                fragments += whole.opcode() == Opcodes.FRAGMENT ? 1 : 0;
                readAll(whole);
            }
        }
        assertThat(good).isGreaterThan(1_000);
        assertThat(bundles).isGreaterThan(100);
        assertThat(fragments).isGreaterThan(100);
    }

    /** Noise in which lengths may be right. */
    private static void plausibleBundle(byte[] noise, Random random) {
        noise[0] = (byte) Opcodes.BUNDLE;
        noise[1] = 0;
        noise[2] = (byte) 0xFF;
        noise[3] = (byte) 0xFF;
        for (int at = Bth.BYTES; at < noise.length - 8; at += 4 + noise[at + 1]) {
            noise[at] = 0;
            noise[at + 1] = (byte) (random.nextInt(5, 12) * 4);
            noise[at + 4] = (byte) (random.nextInt(24) | (random.nextBoolean() ? Opcodes.RD : 0));
            noise[at + 5] &= (byte) 0x30;
            noise[at + 6] = (byte) 0xFF;
            noise[at + 7] = (byte) 0xFF;
        }
    }

    /** Noise in which offset and lengths may be right: the last part of a packet, since the noise is short. */
    private static int plausibleFragment(byte[] noise, Random random) {
        noise[0] = (byte) Opcodes.FRAGMENT;
        noise[1] = 0;
        noise[2] = (byte) 0xFF;
        noise[3] = (byte) 0xFF;
        int part = 256 + 4 * random.nextInt(1000);
        int offset = part * (1 + random.nextInt(15));
        int payload = random.nextInt(104);
        int length = offset + payload;
        int[] words = {length, offset, part, random.nextInt(8) == 0 ? 1 : 0};
        for (int i = 0; i < words.length; i++) {
            noise[Bth.BYTES + 2 * i] = (byte) (words[i] >>> 8);
            noise[Bth.BYTES + 2 * i + 1] = (byte) words[i];
        }
        return Opcodes.headerBytes(Opcodes.FRAGMENT) + payload + Icrc.BYTES;
    }

    private static void readAll(Packet packet) {
        if (Bundle.is(packet)) {
            Bundle.apart(packet).forEach(PacketCheckTest::readAll);
            return;
        }
        for (Header header : Header.values()) {
            if (Opcodes.has(packet.opcode(), header)) {
                packet.bytes().segment().asSlice(packet.at(header), header.lengthBytes());
            }
        }
        assertThat(packet.bytes()
                        .segment()
                        .asSlice(packet.payloadAt(), packet.payloadBytes())
                        .byteSize())
                .isBetween(0L, 128L);
        assertThat(packet.toString()).isNotEmpty();
    }
}
