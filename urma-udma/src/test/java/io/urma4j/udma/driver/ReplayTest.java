package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.tck.Patience;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.udp.PortOptions;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Management;
import io.urma4j.udma.wire.Packet;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who sends one control datagram again and again has it seen to once in a moment, whatever its PSN. */
class ReplayTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.71.44");
    private static final Source SENDER = new Source() {
        @Override
        public long eidHigh() {
            return Eid.of(ADDRESS).high();
        }

        @Override
        public long eidLow() {
            return Eid.of(ADDRESS).low();
        }

        @Override
        public int port() {
            return IpHeaders.ROCE_PORT;
        }
    };

    private final Adapter adapter = Adapter.open("udma9", Eid.of(ADDRESS), PortOptions.of(ADDRESS));
    private final Packet packet = Packet.allocate();

    @AfterEach
    void close() {
        adapter.close();
    }

    private void come(int times, long nowNanos) {
        IpHeaders headers = IpHeaders.ipv4(1, 2, IpHeaders.ROCE_PORT, IpHeaders.ROCE_PORT);
        for (int i = 0; i < times; i++) {
            Management.put(packet, i, ByteBuffer.allocate(56));
            packet.end(56, headers, new Icrc());
            adapter.eventLoop().enter();
            try {
                adapter.controlPacket(packet, SENDER, nowNanos);
            } finally {
                adapter.eventLoop().leave();
            }
        }
    }

    private long seenTo() {
        return adapter.engine()
                .ask(() -> CompletableFuture.completedFuture(adapter.control().received()))
                .join();
    }

    @Test
    void aReplayedDatagramIsSeenToOnceInAMoment() {
        come(100, 0);
        Patience.await("the first", () -> seenTo() > 0);
        come(1, RecentMail.MOMENT_NANOS);
        Patience.await("the one after a moment", () -> seenTo() > 1);

        assertThat(seenTo()).isEqualTo(2);
        assertThat(adapter.droppedAgain()).isEqualTo(99);
    }
}
