package io.urma4j.udma.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UnreadTest {
    private static final Path GOLDEN = Path.of("src", "test", "resources", "golden", "sample-rxe.pcap");
    private static final Set<Integer> PORTS = Set.of(4791);
    private static final int ETHERNET = 14;
    private static final int IPV4 = 20;
    private static final int IPV6 = 40;
    private static final int UDP = 17;
    private static final int RANDOM_FRAMES = 200_000;

    private static byte[] golden() throws IOException {
        try (PcapReader reader = PcapReader.open(GOLDEN)) {
            ByteBuffer bytes = reader.next().bytes();
            byte[] copy = new byte[bytes.remaining()];
            bytes.duplicate().get(copy);
            return copy;
        }
    }

    private static Frame whole(byte[] bytes) {
        return new Frame(1, 0, ByteBuffer.wrap(bytes), bytes.length);
    }

    /** With so many bytes of zeros at a place. */
    private static byte[] widened(byte[] bytes, int at, int by) {
        byte[] wider = new byte[bytes.length + by];
        System.arraycopy(bytes, 0, wider, 0, at);
        System.arraycopy(bytes, at, wider, at + by, bytes.length - at);
        return wider;
    }

    private static Frame tagged(int... types) throws IOException {
        byte[] bytes = golden();
        for (int type : types) {
            bytes = widened(bytes, 12, 4);
            ByteBuffer.wrap(bytes).putShort(12, (short) type);
        }
        return whole(bytes);
    }

    private static Unread why(Frame frame) {
        if (Datagram.of(frame, PORTS) != null) {
            assertThat(Unread.of(frame, PORTS))
                    .as("why a frame is not read that is")
                    .isNull();
        }
        return Unread.of(frame, PORTS);
    }

    @Test
    void tagsOfVlansAreReadWhateverTheirNumber() throws IOException {
        assertThat(Datagram.of(tagged(0x8100), Set.of(4791))).isNotNull();
        assertThat(Datagram.of(tagged(0x8100, 0x88A8), Set.of(4791))).isNotNull();
        assertThat(Datagram.of(tagged(0x8100, 0x9100, 0x88A8), Set.of(4791))).isNotNull();
        assertThat(why(tagged(0x8100, 0x88A8))).isNull();
    }

    /** Wherever it was cut; without its ports nothing says that it is something else. */
    @Test
    void aFrameThatWasCutIsNamed() throws IOException {
        byte[] bytes = golden();
        for (int captured = 0; captured < bytes.length; captured++) {
            assertThat(why(new Frame(1, 0, ByteBuffer.wrap(bytes, 0, captured).slice(), bytes.length)))
                    .as("%d of %d bytes", captured, bytes.length)
                    .isEqualTo(Unread.CUT);
        }
        assertThat(why(whole(bytes))).isNull();
    }

    @Test
    void whatGoesElsewhereIsNotNamed() throws IOException {
        byte[] bytes = golden();
        ByteBuffer.wrap(bytes).putShort(ETHERNET + IPV4, (short) 53).putShort(ETHERNET + IPV4 + 2, (short) 53);

        assertThat(why(whole(bytes))).isNull();
        assertThat(why(new Frame(1, 0, ByteBuffer.wrap(bytes, 0, 60).slice(), bytes.length)))
                .isNull();
    }

    @Test
    void fragmentsAreNamedTheFirstAndTheOthers() throws IOException {
        byte[] first = golden();
        first[ETHERNET + 6] = 0x20;
        byte[] later = golden();
        later[ETHERNET + 7] = 1;
        ByteBuffer.wrap(later).putShort(ETHERNET + IPV4 + 2, (short) 53); // these are bytes of its payload

        assertThat(why(whole(first))).isEqualTo(Unread.FRAGMENT);
        assertThat(why(whole(later))).isEqualTo(Unread.FRAGMENT);
    }

    @Test
    void optionsOfIpv4AreNamed() throws IOException {
        byte[] bytes = widened(golden(), ETHERNET + IPV4, 4);
        bytes[ETHERNET] = 0x46;

        assertThat(why(whole(bytes))).isEqualTo(Unread.IPV4_OPTIONS);
    }

    @Test
    void extensionHeadersOfIpv6AreNamed() {
        assertThat(why(whole(ipv6(4791)))).isNull();
        for (int header : new int[] {0, 43, 60}) {
            assertThat(why(whole(ipv6(4791, header)))).as("header %d", header).isEqualTo(Unread.IPV6_EXTENSIONS);
            assertThat(why(whole(ipv6(53, header)))).isNull();
        }
        assertThat(why(whole(ipv6(4791, 0, 60)))).isEqualTo(Unread.IPV6_EXTENSIONS);
        assertThat(why(whole(ipv6(4791, 44)))).isEqualTo(Unread.FRAGMENT);
        assertThat(why(whole(ipv6(4791, 0, 44)))).isEqualTo(Unread.FRAGMENT);
    }

    /** A datagram of 12 + 4 bytes to that port, behind extension headers of 8 bytes each. */
    private static byte[] ipv6(int port, int... headers) {
        ByteBuffer frame = ByteBuffer.allocate(ETHERNET + IPV6 + 8 * headers.length + 8 + 16);
        frame.putShort(12, (short) 0x86DD);
        frame.put(ETHERNET, (byte) 0x60).putShort(ETHERNET + 4, (short) (frame.capacity() - ETHERNET - IPV6));
        int nextAt = ETHERNET + 6;
        int at = ETHERNET + IPV6;
        for (int header : headers) {
            frame.put(nextAt, (byte) header);
            nextAt = at;
            at += 8;
        }
        frame.put(nextAt, (byte) UDP).putShort(at + 2, (short) port).putShort(at + 4, (short) 24);
        return frame.array();
    }

    /** Neither throws nor loops, whatever the bytes say. */
    @Test
    void anyBytesAreJudged() {
        long seed = Long.getLong("urma.seed", 17);
        System.out.printf("%,d random frames: -Durma.seed=%d%n", RANDOM_FRAMES, seed);
        Random random = new Random(seed);
        int[] types = {0x0800, 0x86DD, 0x8100, 0x88A8};
        for (int i = 0; i < RANDOM_FRAMES; i++) {
            byte[] bytes = new byte[random.nextInt(120)];
            random.nextBytes(bytes);
            if (bytes.length > ETHERNET + 10) {
                ByteBuffer.wrap(bytes).putShort(12, (short) types[random.nextInt(types.length)]);
                bytes[ETHERNET + (random.nextBoolean() ? 6 : 9)] = (byte) (random.nextBoolean() ? UDP : 0);
            }
            why(new Frame(1, 0, ByteBuffer.wrap(bytes), bytes.length + random.nextInt(2)));
        }
    }
}
