package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.Pair.Faults;
import io.urma4j.udma.transport.Traffic.Event;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One work request at a time over a network that loses packets in each direction. The model beside it retransmits after the
 * shortest timeout and never waits longer: each round needs 1 / (1 − loss)² attempts.
 */
class LossyRoundsTest {
    private static final int QUEUE = 0x100;
    private static final int ROUNDS = Integer.getInteger("urma.rounds", 2_000);

    /**
     * Few rounds take most of the time. At a loss of 0.5 three of four attempts fail, and after 16 in a row each wait doubles
     * up to the timeout of a second. Of 2,000 rounds some 20 come that far, and in one run of nine a round needs 10 s, as
     * long as 800 others. So the time of one run says little, and the median of several counts.
     */
    private static final int RUNS = 5;

    private static final long RTT_NANOS = 20_000;
    private static final long SHORTEST_TIMEOUT_NANOS = 4_000_000;

    @ParameterizedTest
    @CsvSource({
        WorkOpcode.WRITE + ", 0.1",
        WorkOpcode.WRITE + ", 0.2",
        WorkOpcode.WRITE + ", 0.3",
        WorkOpcode.WRITE + ", 0.4",
        WorkOpcode.WRITE + ", 0.5",
        WorkOpcode.READ + ", 0.1",
        WorkOpcode.READ + ", 0.3",
        WorkOpcode.READ + ", 0.5",
        WorkOpcode.FADD + ", 0.1",
        WorkOpcode.FADD + ", 0.3",
        WorkOpcode.FADD + ", 0.5"
    })
    void roundsComeCloseToTheModel(int opcode, double loss) {
        long seed = Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));
        double[] ratios = new double[RUNS];
        for (int run = 0; run < RUNS; run++) {
            ratios[run] = ratioToTheModel(opcode, loss, seed + run);
        }
        Arrays.sort(ratios);
        assertThat(ratios[RUNS / 2])
                .as("seeds from %d, opcode %d, loss %.1f: %s", seed, opcode, loss, Arrays.toString(ratios))
                .isGreaterThanOrEqualTo(0.4);
    }

    private static double ratioToTheModel(int opcode, double loss, long seed) {
        Pair pair = new Pair(
                Kind.SHARED, config -> config.selective().timeout(1_000_000_000L, 1000), new Faults(loss, 0, 0), seed);
        Outbox outbox = pair.left.outbox(QUEUE, QUEUE);
        long start = pair.now;
        rounds(pair, outbox, opcode, ROUNDS);

        double attempts = 1 / ((1 - loss) * (1 - loss));
        double modelNanos = RTT_NANOS + (attempts - 1) * SHORTEST_TIMEOUT_NANOS;
        double ratio = modelNanos * ROUNDS / (pair.now - start);
        String figures = String.format(
                "opcode %d, loss %.1f each way, seed %d: %.0f rounds/s, model %.0f, ratio %.2f",
                opcode, loss, seed, ROUNDS * 1e9 / (pair.now - start), 1e9 / modelNanos, ratio);
        System.out.println("LossyRoundsTest: " + figures);
        assertThat(outbox.results).allMatch(result -> result.status() == WorkStatus.SUCCESS);
        return ratio;
    }

    /**
     * The path has become longer than the timeout, so that each packet is retransmitted before its answer comes. The answer says
     * that it is to the first transmission, which tells how long the path is now.
     */
    @ParameterizedTest
    @ValueSource(ints = {WorkOpcode.WRITE, WorkOpcode.READ, WorkOpcode.FADD})
    void roundTripThatHasGrownIsNoticed(int opcode) {
        Pair pair = new Pair(Kind.SHARED, config -> config.selective().timeout(1_000_000_000L, 1000), Faults.NONE, 1);
        Outbox outbox = pair.left.outbox(QUEUE, QUEUE);
        rounds(pair, outbox, opcode, 100);
        assertThat(pair.left.connection.traffic().count(Event.RETRANSMITTED)).isZero();
        pair.line = new Pair.Line(15_000_000, 0, Long.MAX_VALUE, Pair.DutyCycle.ALWAYS);

        rounds(pair, outbox, opcode, 4);
        long before = pair.left.connection.traffic().count(Event.RETRANSMITTED);
        rounds(pair, outbox, opcode, 100);

        assertThat(before).as("retransmissions until the timeout is right").isBetween(1L, 20L);
        assertThat(pair.left.connection.traffic().count(Event.RETRANSMITTED))
                .as("and later")
                .isEqualTo(before);
    }

    private static void rounds(Pair pair, Outbox outbox, int opcode, int count) {
        for (int i = 0; i < count; i++) {
            switch (opcode) {
                case WorkOpcode.READ -> outbox.read(0, 8, 0);
                case WorkOpcode.FADD -> outbox.atomic(WorkOpcode.FADD, 0, 8, 8, 1, 0);
                default -> outbox.write(8, 0);
            }
            while (!pair.left.isIdle()) {
                pair.runFor(RTT_NANOS);
            }
        }
    }
}
