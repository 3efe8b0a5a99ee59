package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.udma.udp.PortOptions;
import io.urma4j.udma.udp.UdpPort;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A flood of control datagrams in a peer's name leaves time for the card; a few at once have all that they need. */
class PeerMailTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.71.41");
    private static final Eid SOURCE = Eid.of(ADDRESS);
    private static final long COST_NANOS = 20_000;
    private static final long TURN_NANOS = 1_000; // of the card, between two looks at the mail
    private static final long SECOND_NANOS = 1_000_000_000;

    private long now = SECOND_NANOS;
    private long seen;
    private long mostAtOnce;

    private final UdpPort port = UdpPort.open(PortOptions.of(ADDRESS));
    private final EngineThread engine = new EngineThread("test-engine", port, () -> now);
    private final PeerMail mail = new PeerMail(engine, (source, datagram, at) -> {
        now += COST_NANOS;
        seen++;
    });

    @AfterEach
    void close() {
        engine.stop();
        engine.join();
        port.close();
    }

    private void take(int count) {
        for (int i = 0; i < count && !mail.isFull(); i++) {
            mail.take(SOURCE, ByteBuffer.allocate(8));
        }
    }

    /** One round of the engine, which waits no longer than it is told to. */
    private long round() {
        long before = seen;
        long delayNanos = mail.run(now);
        mostAtOnce = Math.max(mostAtOnce, seen - before);
        now += TURN_NANOS;
        return delayNanos;
    }

    @Test
    void aFewHundredAreSeenToWithoutAWait() {
        take(256);
        long began = now;

        while (round() == 0) {
            // there are more
        }

        assertThat(seen).isEqualTo(256);
        assertThat(now - began).isLessThan(256 * COST_NANOS * 11 / 10);
        assertThat(mail.run(now)).as("an empty box wants no turn").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aFloodTakesHalfOfTheTimeAndLeavesTheCardItsTurns() {
        long until = now + SECOND_NANOS;

        while (now < until) {
            take(64);
            round();
        }

        assertThat(seen * COST_NANOS).isBetween(SECOND_NANOS * 45 / 100, SECOND_NANOS * 55 / 100);
        assertThat(mostAtOnce).isLessThanOrEqualTo(8);
    }

    @Test
    void whatFindsNoPlaceIsDroppedAndWhatWaitsIsSeenToAfterAll() {
        take(5_000);
        assertThat(mail.isFull()).isTrue();

        long delayNanos = round();
        while (delayNanos != Long.MAX_VALUE) {
            now += delayNanos;
            delayNanos = round();
        }

        assertThat(seen).isEqualTo(1_024);
        assertThat(mail.isFull()).isFalse();
    }
}
