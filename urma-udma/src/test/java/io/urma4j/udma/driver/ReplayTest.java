package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.tck.Patience;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.udp.PortOptions;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A control datagram that arrives again and again is handled once in a moment; the PSN of its packet is not looked at. */
class ReplayTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.71.44");
    private static final Eid SENDER = Eid.of(ADDRESS);

    private final Adapter adapter =
            Adapter.open("udma9", Eid.of(ADDRESS), PortOptions.of(ADDRESS), CardOptions.DEFAULT);

    @AfterEach
    void close() {
        adapter.close();
    }

    private void come(int times, long nowNanos) {
        for (int i = 0; i < times; i++) {
            adapter.eventLoop().enter();
            try {
                adapter.controlArrived(ByteBuffer.allocate(56), SENDER.high(), SENDER.low(), nowNanos);
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
