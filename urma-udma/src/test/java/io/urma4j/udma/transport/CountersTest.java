package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.ConnectionConfig.Kind.RELIABLE_CONNECTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Packet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a connection shows of its work. */
class CountersTest {
    private final Pair pair = new Pair(RELIABLE_CONNECTED, ConnectionConfig.Builder::selective, Pair.Faults.NONE, 7);
    private final Outbox out = pair.left.outbox();

    private static Map<String, Long> counters(Pair.End side) {
        Map<String, Long> counters = new LinkedHashMap<>();
        side.connection.forEachCounter(counters::put);
        return counters;
    }

    @Test
    void aPacketThatWasLateCountsAsRetransmittedForNothing() {
        int late = pair.left.connection.config().firstSendPsn() + 5 & 0xFF_FFFF;
        int[] tries = {0};
        Packet[] kept = {null};
        pair.filter = (to, packet) -> {
            boolean isLate = to == pair.right && Bth.psn(packet.bytes()) == late && tries[0]++ == 0;
            kept[0] = isLate ? Pair.copy(packet) : kept[0];
            return !isLate;
        };
        out.write(14 * 1024, 0);
        pair.run();
        assertThat(counters(pair.left)).containsEntry("retransmitted", 1L).containsEntry("spurious", 0L);

        pair.right.receive(Objects.requireNonNull(kept[0]));
        out.write(1024, 0); // its acknowledgement tells of the other
        pair.run();

        assertThat(counters(pair.left))
                .containsEntry("retransmitted", 1L)
                .containsEntry("spurious", 1L)
                .containsEntry("timeouts", 0L);
        assertThat(counters(pair.right)).containsEntry("duplicates", 1L);
    }

    @Test
    void aRefusalCountsByItsKindAtBothEnds() {
        out.key(out.write(100, 0), 0x9999);

        pair.run();

        assertThat(counters(pair.left)).containsEntry("nakAccessReceived", 1L).containsEntry("nakInvalidReceived", 0L);
        assertThat(counters(pair.right)).containsEntry("nakAccessSent", 1L).containsEntry("nakOperationSent", 0L);
    }

    @Test
    void windowAndRoundTripAreThoseOfNow() {
        assertThat(counters(pair.left)).containsEntry("inFlight", 0L).containsEntry("rttNanos", 0L);
        out.write(14 * 1024, 0);
        pair.run();

        assertThat(counters(pair.left).get("window")).isPositive();
        assertThat(counters(pair.left).get("rttNanos")).isPositive();
        assertThat(counters(pair.left).get("rtoNanos"))
                .isGreaterThan(counters(pair.left).get("rttNanos"));
        assertThat(counters(pair.left)).containsEntry("inFlight", 0L);
    }

    @Test
    void theTextHasWhatHasHappened() {
        assertThat(pair.left.connection.traffic()).hasToString("counters");
        out.write(100, 0);
        pair.run();

        assertThat(pair.left.connection.traffic()).hasToString("counters sent 1 received 1 predicted 1");
    }
}
