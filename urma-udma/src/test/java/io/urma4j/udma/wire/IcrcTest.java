package io.urma4j.udma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Worked examples of real Linux packets (WIRE §8.2), and what damage does. */
class IcrcTest {
    private static final long SECRET = 0x0123_4567_89AB_CDEFL;

    private final Icrc icrc = new Icrc();

    private static Packet packet(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        Packet packet = Packet.allocate();
        packet.bytes().segment().asByteBuffer().put(bytes);
        packet.lengthBytes(bytes.length);
        return packet;
    }

    private static Packet sendOfLinux() {
        return packet("04 b0 ff ff 00 00 00 11 80 ff ff f0 00 01 02 03 04 00 00 00 56 72 01 3b");
    }

    private static IpHeaders headersOfLinux() {
        return IpHeaders.ipv4(0x0a4d000c, 0x0a4d000b, 0xc121, IpHeaders.ROCE_PORT);
    }

    @Test
    void anIpv4PacketOfLinuxIsRight() {
        IpHeaders ip = headersOfLinux();
        ip.ipv4Id(0x1d1d);

        assertThat(icrc.of(sendOfLinux(), ip)).isEqualTo(0x3B017256);
        assertThat(icrc.isRight(sendOfLinux(), ip)).isTrue();
    }

    @Test
    void anIpv6PacketOfLinuxIsRight() {
        IpHeaders ip = IpHeaders.ipv6(0xfd77L << 48, 0xb, 0xfd77L << 48, 0xc, 0xc271, IpHeaders.ROCE_PORT);

        assertThat(icrc.isRight(packet("11 00 ff ff 00 00 00 19 00 ff ff f0 1f 00 00 01 3c ee 24 4a"), ip))
                .isTrue();
    }

    @Test
    void anUnknownIdentificationIsSolvedOutOfIt() {
        assertThat(icrc.recover(sendOfLinux(), headersOfLinux(), 0)).isEqualTo(0x1d1d | Icrc.DONT_FRAGMENT);
    }

    @Test
    void theByteThatRoutersChangeIsNotCovered() {
        Packet packet = sendOfLinux();
        IpHeaders ip = headersOfLinux();
        ip.ipv4Id(0x1d1d);
        Bth.notice(packet.bytes(), true, true);

        assertThat(icrc.isRight(packet, ip)).isTrue();
    }

    @Test
    void anyOtherFlippedBitIsFound() {
        IpHeaders ip = headersOfLinux();
        ip.ipv4Id(0x1d1d);
        for (int bit = 0; bit < sendOfLinux().lengthBytes() * Byte.SIZE; bit++) {
            if (bit / Byte.SIZE == Bth.NOTICES) {
                continue;
            }
            Packet packet = sendOfLinux();
            int at = bit / Byte.SIZE;
            Fields.u8(packet.bytes(), at, Fields.u8(packet.bytes(), at) ^ 1 << bit % Byte.SIZE);

            assertThat(icrc.isRight(packet, ip)).as("bit %d flipped", bit).isFalse();
            assertThat(icrc.recover(packet, ip, 0)).as("bit %d flipped", bit).isNotEqualTo(0x1d1d | Icrc.DONT_FRAGMENT);
            ip.ipv4Id(0x1d1d);
            ip.ipv4DontFragment(true);
        }
    }

    @Test
    void whatWeSealIsRightAtAnyLengthAndIdentification() {
        Random random = new Random(42);
        Packet packet = Packet.allocate(PathMtu.LARGEST);
        for (int length = 0; length <= PathMtu.LARGEST; length = next(length)) {
            int id = random.nextInt(1 << 16);
            IpHeaders ip = IpHeaders.ipv4(random.nextInt(), random.nextInt(), random.nextInt(1 << 16), 4791);
            ip.ipv4Id(id);
            packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, random.nextInt(Bth.MAX_24), random.nextInt(Bth.MAX_24));
            packet.end(length, ip, icrc);

            assertThat(icrc.isRight(packet, ip)).as("%d bytes", length).isTrue();
            for (int likely : new int[] {0, id, random.nextInt(1 << 16)}) {
                assertThat(icrc.recover(packet, ip, likely))
                        .as("%d bytes, %d thought likely", length, likely)
                        .isEqualTo(id | Icrc.DONT_FRAGMENT);
            }
            assertThat(packet.payloadBytes()).isEqualTo(length);
        }
    }

    /** The share of the headers is kept for the next packet of that length, and for no other length. */
    @Test
    void aLongPacketAfterAShortOneHasItsOwnIcrc() {
        IpHeaders kept = toPeer(true);
        Packet packet = Packet.allocate(PathMtu.LARGEST);
        for (int shorter = 0; shorter <= PathMtu.LARGEST - 32_768; shorter += 4) {
            packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 5, 6);
            packet.end(shorter, kept, icrc);
            packet.end(shorter + 32_768, kept, icrc);

            assertThat(icrc.isRight(packet, toPeer(true)))
                    .as("%d bytes more than %d", 32_768, shorter)
                    .isTrue();
        }
    }

    private static int next(int length) {
        return length < 70 ? length + 1 : length < 8192 ? length * 2 + 1 : length + 999;
    }

    // ---- with a secret

    private static IpHeaders toPeer(boolean ipv4) {
        return ipv4 ? IpHeaders.ipv4(1, 2, 4791, 4791) : IpHeaders.ipv6(1, 2, 3, 4, 4791, 4791);
    }

    private static Packet write(int length, IpHeaders ip) {
        Packet packet = Packet.allocate();
        packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 5, 6);
        packet.end(length, ip, new Icrc());
        return packet;
    }

    /** So the register of the CRC begins elsewhere, and all else is as it was. */
    @Test
    void theSecretOfRoceAreEightBytesOfOnes() {
        IpHeaders plain = headersOfLinux();
        plain.ipv4Id(0x1d1d);

        assertThat(icrc.of(sendOfLinux(), plain.secret(SECRET))).isNotEqualTo(0x3B017256);
        assertThat(icrc.of(sendOfLinux(), plain.secret(IpHeaders.NO_SECRET))).isEqualTo(0x3B017256);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPacketIsRightWithItsOwnSecretAlone(boolean ipv4) {
        for (int length : new int[] {0, 8, 64, 1000, 4096}) {
            IpHeaders ip = toPeer(ipv4);
            Packet sealed = write(length, toPeer(ipv4).secret(SECRET));
            Packet plain = write(length, toPeer(ipv4));

            assertThat(icrc.check(sealed, ip, SECRET, 0)).isNull();
            assertThat(icrc.check(sealed, ip, SECRET + 1, 0)).isEqualTo(Drop.ICRC);
            assertThat(icrc.check(sealed, ip, SECRET, 0)).as("once more").isNull();
            assertThat(icrc.check(plain, ip, SECRET, 0)).isEqualTo(Drop.NO_SECRET);
            assertThat(icrc.check(plain, ip, IpHeaders.NO_SECRET, 0)).isNull();
            Fields.u8(sealed.bytes(), 10, 77);
            assertThat(icrc.check(sealed, ip, SECRET, 0)).isEqualTo(Drop.ICRC);
        }
    }

    /** Of a peer with a secret only the few are taken that its runs have, or one guess in 2¹⁵ were right. */
    @Test
    void anIdentificationThatUrma4jDoesNotSendIsWrongWithASecret() {
        IpHeaders sending = toPeer(true).secret(SECRET);
        for (int id : new int[] {0, 1, Icrc.RUN_PACKETS - 1, Icrc.RUN_PACKETS, 0x1d1d, 0xFFFF}) {
            sending.ipv4Id(id);
            Packet packet = write(64, sending);
            Drop expected = id < Icrc.RUN_PACKETS ? null : Drop.ICRC;

            assertThat(icrc.check(packet, toPeer(true), SECRET, 0))
                    .as("identification %d", id)
                    .isEqualTo(expected);
        }
        sending.ipv4Id(0);
        sending.ipv4DontFragment(false);
        assertThat(icrc.check(write(64, sending), toPeer(true), SECRET, 0)).isEqualTo(Drop.ICRC);
    }

    @Test
    void aGuessedIcrcIsAsGoodAsNever() {
        Random random = new Random(7);
        IpHeaders ip = toPeer(true);
        int right = 0;
        for (int i = 0; i < 200_000; i++) {
            Packet packet = write(8, ip.secret(random.nextLong()));
            right += icrc.check(packet, ip, SECRET, 0) == null ? 1 : 0;
        }

        assertThat(right).isZero(); // without the bound on identifications six, on average
    }
}
