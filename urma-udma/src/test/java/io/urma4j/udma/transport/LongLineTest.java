package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.Pair.Faults;
import io.urma4j.udma.transport.Pair.Line;
import io.urma4j.udma.transport.Pair.Turns;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection alone on a line of 10 Mbit/s and 50 ms in each direction uses it. */
class LongLineTest {
    private static final int QUEUE = 0x100;
    private static final int LENGTH_BYTES = 4 << 20;
    private static final int COUNT = 6;
    private static final long NANOS_OF_A_BYTE = 800;
    private static final long DELAY_NANOS = 50_000_000;
    private static final long QUEUE_BYTES = 140_000; // of 112 ms

    private static final int SHORT_BYTES = 64 << 10;
    private static final int SHORT_COUNT = 192;
    private static final long PACKET_BYTES = 1100;

    /** The line holds packets back for 30 ms now and then, or never: long messages and long writes alike. */
    @ParameterizedTest
    @CsvSource({
        WorkOpcode.SEND + ", 300000000, 300000000",
        WorkOpcode.SEND + ", 300000000, 270000000",
        WorkOpcode.WRITE + ", 300000000, 300000000",
        WorkOpcode.WRITE + ", 300000000, 270000000"
    })
    void longTransfersUseTheLine(int opcode, long periodNanos, long openNanos) {
        Pair pair = new Pair(Kind.SHARED, config -> config.selective().timeout(1_000_000_000L, 1000), Faults.NONE, 1);
        pair.line = new Line(DELAY_NANOS, NANOS_OF_A_BYTE, QUEUE_BYTES, new Turns(periodNanos, 0, openNanos));
        pair.right.inbox(QUEUE, LENGTH_BYTES).post(COUNT);
        Outbox outbox = pair.left.outbox(QUEUE, QUEUE);
        for (int i = 0; i < COUNT; i++) {
            outbox.post(opcode, 0, LENGTH_BYTES, 0, 0, 0);
        }
        long start = pair.now;

        pair.run();

        assertThat(outbox.results).hasSize(COUNT).allMatch(result -> result.status() == WorkStatus.SUCCESS);
        double used = (double) COUNT * LENGTH_BYTES * NANOS_OF_A_BYTE / (pair.now - start);
        String figures = String.format("used %.2f; %s", used, pair.left.connection.traffic());
        System.out.println("LongLineTest: " + figures);
        assertThat(used).as(figures).isGreaterThan(0.6);
    }

    /** READs fill a line whose queue is shorter than one of them as WRITEs do: a burst of answers would overflow it. */
    @ParameterizedTest
    @ValueSource(ints = {16, 32, 64})
    void readsUseAShortQueueAsWritesDo(int queuePackets) {
        long writes = nanosOfShort(WorkOpcode.WRITE, queuePackets);
        long reads = nanosOfShort(WorkOpcode.READ, queuePackets);
        double ratio = (double) writes / reads;
        String figures = String.format(
                "queue of %d packets: WRITEs use %.2f, READs %.2f of the line, ratio %.2f",
                queuePackets, shareOfShort(writes), shareOfShort(reads), ratio);
        System.out.println("LongLineTest: " + figures);
        assertThat(ratio).as(figures).isGreaterThanOrEqualTo(0.8);
    }

    private static double shareOfShort(long nanos) {
        return (double) SHORT_COUNT * SHORT_BYTES * NANOS_OF_A_BYTE / nanos;
    }

    private static long nanosOfShort(int opcode, int queuePackets) {
        Pair pair = new Pair(
                Kind.SHARED, config -> config.selective().reads(64, 64).timeout(1_000_000_000L, 1000), Faults.NONE, 1);
        pair.line = new Line(DELAY_NANOS, NANOS_OF_A_BYTE, queuePackets * PACKET_BYTES, Turns.ALWAYS);
        Outbox outbox = pair.left.outbox(QUEUE, QUEUE);
        for (int i = 0; i < SHORT_COUNT; i++) {
            if (opcode == WorkOpcode.READ) {
                outbox.read(0, SHORT_BYTES, 0);
            } else {
                outbox.post(opcode, 0, SHORT_BYTES, 0, 0, 0);
            }
        }
        long start = pair.now;
        pair.runFor(200_000_000_000L, pair.left::isIdle);
        assertThat(outbox.results).hasSize(SHORT_COUNT).allMatch(result -> result.status() == WorkStatus.SUCCESS);
        return pair.now - start;
    }
}
