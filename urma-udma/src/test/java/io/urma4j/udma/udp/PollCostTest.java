package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.Errno;
import io.urma4j.udma.udp.PortCounters.Counter;
import io.urma4j.udma.wire.Packet;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** How often a poll asks the kernel for datagrams. */
class PollCostTest {
    private static final int MOST = 8;

    private final PortCounters counters = new PortCounters();
    private final PacketReader reader =
            new PacketReader(InetAddress.ofLiteral("127.0.71.2"), 4791, counters, null, null);

    private int calls;
    private int available;

    private int poll() {
        return reader.receiveAll(new Counted(), (_, _) -> {});
    }

    @Test
    void emptyPollIsOneCall() {
        assertThat(poll()).isZero();
        assertThat(calls).isEqualTo(1);
        assertThat(counters.count(Counter.RECEIVE_ERRORS)).isZero();
    }

    @Test
    void pollWithOneDatagramIsOneCall() {
        available = 1;

        assertThat(poll()).isEqualTo(1);
        assertThat(calls).isEqualTo(1);
    }

    @Test
    void onlyAFullBatchIsFollowedByAnotherCall() {
        available = MOST + 1;

        assertThat(poll()).isEqualTo(MOST + 1);
        assertThat(calls).isEqualTo(2);
    }

    /** Datagrams that are too long, so that the reader drops them. */
    private final class Counted implements Arrivals {
        @Override
        public int receive() {
            calls++;
            int count = Math.min(available, MOST);
            available -= count;
            return count == 0 ? -Errno.EAGAIN : count;
        }

        @Override
        public int most() {
            return MOST;
        }

        @Override
        public int receivedBytes(int datagram) {
            return 1;
        }

        @Override
        public int segmentBytes(int datagram) {
            return 1;
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
            throw new AssertionError("it is dropped before");
        }

        @Override
        public Packet view(int datagram, int at, int lengthBytes) {
            throw new AssertionError("it is dropped before");
        }
    }
}
