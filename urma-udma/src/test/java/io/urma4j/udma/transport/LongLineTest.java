package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.Pair.DutyCycle;
import io.urma4j.udma.transport.Pair.Faults;
import io.urma4j.udma.transport.Pair.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

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
    private static final int HEADER_BYTES = 76; // of a packet, at least

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
        pair.line = new Line(DELAY_NANOS, NANOS_OF_A_BYTE, QUEUE_BYTES, new DutyCycle(periodNanos, 0, openNanos));
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

    /**
     * READs fill a line whose queue is shorter than all that is asked for, as WRITEs do: one requester or three, each with
     * one queue or several, whose READs are open at once.
     */
    @ParameterizedTest
    @MethodSource("shortQueues")
    void readsUseAShortQueueAsWritesDo(ShortQueue one) {
        Outcome writes = one.run(WorkOpcode.WRITE);
        Outcome reads = one.run(WorkOpcode.READ);
        double ratio = (double) writes.nanos / reads.nanos;
        String figures = String.format("%s: WRITEs %s, READs %s, ratio %.2f", one, writes, reads, ratio);
        System.out.println("LongLineTest: " + figures);
        assertThat(ratio).as(figures).isGreaterThanOrEqualTo(0.8);
    }

    /** The second line is there in the long run only. */
    static Stream<ShortQueue> shortQueues() {
        return Stream.of(
                        new ShortQueue(DELAY_NANOS, NANOS_OF_A_BYTE, 1, 1, 1024, 16),
                        new ShortQueue(DELAY_NANOS / 10, NANOS_OF_A_BYTE / 10, 1, 1, 1024, 16))
                .limit(Boolean.getBoolean("urma.full") ? 2 : 1)
                .flatMap(one -> Stream.of(one, one.of(1, 8), one.of(3, 1), one.of(3, 8)))
                .flatMap(one -> Stream.of(one, one.with(1024, 32), one.with(1024, 64)))
                .flatMap(one -> Stream.of(one, one.with(4096, one.queuePackets)));
    }

    /** A line, and the requesters that share it. */
    record ShortQueue(long delayNanos, long byteNanos, int requesters, int queues, int mtuBytes, int queuePackets) {
        ShortQueue of(int manyRequesters, int manyQueues) {
            return new ShortQueue(delayNanos, byteNanos, manyRequesters, manyQueues, mtuBytes, queuePackets);
        }

        ShortQueue with(int bytes, int packets) {
            return new ShortQueue(delayNanos, byteNanos, requesters, queues, bytes, packets);
        }

        Outcome run(int opcode) {
            List<Pair> pairs = new ArrayList<>();
            List<Outbox> outboxes = new ArrayList<>();
            for (int i = 0; i < requesters; i++) {
                Pair pair = new Pair(Kind.SHARED, this::config, Faults.NONE, 1);
                pair.line = new Line(
                        delayNanos, byteNanos, (long) queuePackets * (mtuBytes + HEADER_BYTES), DutyCycle.ALWAYS);
                if (i > 0) {
                    pair.shareLineOf(pairs.getFirst());
                }
                pairs.add(pair);
                for (int queue = 0; queue < queues; queue++) {
                    outboxes.add(pair.left.outbox(QUEUE + queue, QUEUE));
                }
            }
            for (int i = 0; i < SHORT_COUNT; i++) {
                Outbox outbox = outboxes.get(i % outboxes.size());
                if (opcode == WorkOpcode.READ) {
                    outbox.read(0, SHORT_BYTES, 0);
                } else {
                    outbox.post(opcode, 0, SHORT_BYTES, 0, 0, 0);
                }
            }
            Pair first = pairs.getFirst();
            long start = first.now;
            while (!outboxes.stream().allMatch(Outbox::isIdle) && first.now - start < 200_000_000_000L) {
                Pair.runFor(pairs, delayNanos / 5);
            }
            assertThat(outboxes)
                    .flatMap(outbox -> outbox.results)
                    .hasSize(SHORT_COUNT)
                    .allMatch(result -> result.status() == WorkStatus.SUCCESS);
            int lost = pairs.stream()
                    .mapToInt(pair -> pair.left.lost + pair.right.lost)
                    .sum();
            double used = (double) SHORT_COUNT * SHORT_BYTES * byteNanos / (first.now - start);
            return new Outcome(first.now - start, used, lost);
        }

        private ConnectionConfig.Builder config(ConnectionConfig.Builder config) {
            return config.selective().mtuBytes(mtuBytes).reads(64, 64).timeout(1_000_000_000L, 1000);
        }

        @Override
        public String toString() {
            return String.format(
                    "%.0f Mbit/s, %d ms, %d requesters of %d queues, MTU %d, queue of %d packets",
                    8e3 / byteNanos, delayNanos / 1_000_000, requesters, queues, mtuBytes, queuePackets);
        }
    }

    record Outcome(long nanos, double used, int lost) {
        @Override
        public String toString() {
            return String.format("%.2f s, %.2f of the line, %d lost", nanos / 1e9, used, lost);
        }
    }
}
