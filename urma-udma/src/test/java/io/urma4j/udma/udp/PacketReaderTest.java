package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.Errno;
import io.urma4j.udma.wire.Drop;
import io.urma4j.udma.wire.Packet;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class PacketReaderTest {
    private static final int LIMIT = 10_000;

    /** Datagrams that are longer than any packet, and do not end. */
    private static final class TooLong implements Arrivals {
        private int received;

        @Override
        public int receive() {
            if (received == LIMIT) {
                return -Errno.EAGAIN;
            }
            received += most();
            return most();
        }

        @Override
        public int most() {
            return 8;
        }

        @Override
        public int receivedBytes(int datagram) {
            return 4096;
        }

        @Override
        public int segmentBytes(int datagram) {
            return 4096;
        }

        @Override
        public boolean isTruncated(int datagram) {
            return true;
        }

        @Override
        public int trafficClass(int datagram) {
            return 0;
        }

        @Override
        public void origin(int datagram, Origin origin) {
            throw new AssertionError("it is dropped for its length");
        }

        @Override
        public Packet view(int datagram, int at, int lengthBytes) {
            throw new AssertionError("it is dropped for its length");
        }
    }

    /** Any host can send them, and meanwhile the card sends nothing, and runs no timer. */
    @Test
    void datagramsThatAreTooLongCountForTheBatch() {
        PortCounters counters = new PortCounters();
        PacketReader reader = new PacketReader(InetAddress.ofLiteral("127.0.0.1"), 4791, counters, null, null);

        int datagrams = reader.receiveAll(new TooLong(), (packet, origin) -> {
            throw new AssertionError("no packet: " + packet);
        });

        assertThat(datagrams).isBetween(1, 128);
        assertThat(counters.count(Drop.TOO_LONG)).isEqualTo(datagrams);
    }
}
