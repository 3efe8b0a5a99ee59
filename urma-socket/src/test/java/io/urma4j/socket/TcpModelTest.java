package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.socket.peering.SocketSettings;
import io.urma4j.tck.Seed;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random programs see the same from our channels and selectors as from the JDK's, over TCP and over rings. */
@Timeout(7200)
class TcpModelTest {
    private static final int SCENARIOS =
            Integer.getInteger("urma.inputs", Boolean.getBoolean("urma.full") ? 1_000_000 : 5_000);
    private static final int SCENARIOS_OVER_RINGS = Math.min(SCENARIOS, 20_000); // each has ports for a minute
    private static final int SCENARIOS_OVER_A_NETWORK =
            Integer.getInteger("urma.inputs", Boolean.getBoolean("urma.full") ? 5_000 : 200);
    private static final long NETWORK_NANOS = 500_000; // a step, and what the network carries of it
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int TRIES = 5;
    private static final int THREADS = 8; // a program mostly waits in selections

    private final SelectorProvider jdks = SelectorProvider.provider();
    private final SplittableRandom seeds = Seed.randomFor("TCP model"); // guarded by this
    private final AtomicInteger left = new AtomicInteger();
    private final LongAdder notes = new LongAdder();
    private final LongAdder repeated = new LongAdder();

    @Test
    void programsSeeWhatTheyWouldSeeOfTcp() throws Exception {
        compareAllWith(new UrmaSelectorProvider(), false, 0, SCENARIOS);
    }

    @Test
    void programsOverRingsSeeWhatTheyWouldSeeOfTcp() throws Exception {
        try (OverRings rings = new OverRings(TcpModelTest::withRoomAsOfTcp)) {
            compareAllOver(rings, 0, SCENARIOS_OVER_RINGS);
        }
    }

    /** Of closed channels whose keys are still registered: two that the other end writes to, and one that reads nothing any more. */
    @Test
    void programsThatOnceDifferedDoNot() throws Exception {
        long[] known = {6544324479876897241L, 8433023405325153182L, -2603121435062883258L};
        try (OverRings rings = new OverRings(TcpModelTest::withRoomAsOfTcp);
                OverRings network = OverRings.ofNetwork(TcpModelTest::withRoomAsOfTcp)) {
            for (long seed : known) {
                compare(rings.provider(), true, 0, seed);
                compare(network.provider(), true, NETWORK_NANOS, seed);
            }
        }
    }

    @Test
    void programsOverANetworkSeeWhatTheyWouldSeeOfTcp() throws Exception {
        try (OverRings rings = OverRings.ofNetwork(TcpModelTest::withRoomAsOfTcp)) {
            compareAllOver(rings, NETWORK_NANOS, SCENARIOS_OVER_A_NETWORK);
        }
    }

    /** As much as TCP holds of what these programs write. */
    private static SocketSettings withRoomAsOfTcp(SocketSettings settings) {
        return settings.withRingBytes(1 << 19).withMemoryBytes(4L << 30);
    }

    private void compareAllOver(OverRings rings, long delayNanos, int programs) throws Exception {
        Scenario.OVER_RINGS.reset();
        Scenario.OVER_TCP.reset();
        compareAllWith(rings.provider(), true, delayNanos, programs);
        System.out.printf(
                "TcpModelTest: %,d connections over rings, %,d over TCP %s%n",
                Scenario.OVER_RINGS.sum(), Scenario.OVER_TCP.sum(), Scenario.REASONS);
        assertThat(Scenario.OVER_RINGS.sum()).isGreaterThan(programs);
        assertThat(Scenario.OVER_TCP.sum()).isLessThan(programs / 100 + 1);
    }

    private void compareAllWith(SelectorProvider ours, boolean overRings, long delayNanos, int programs)
            throws Exception {
        left.set(programs);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                running.add(threads.submit(() -> {
                    compareAll(ours, overRings, delayNanos);
                    return null;
                }));
            }
            for (Future<?> thread : running) {
                await(thread);
            }
        } finally {
            threads.shutdownNow(); // an interrupt ends what a program waits for
            var _ = threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS); // before their node is closed
        }
        System.out.printf(
                "TcpModelTest: %,d programs, %,d results, %d comparisons repeated; seed %d%n",
                programs, notes.sum(), repeated.sum(), Seed.OF_RUN);
    }

    /** A program that takes so long waits for what does not come. */
    private static void await(Future<?> thread) throws Exception {
        while (true) {
            try {
                thread.get(1, TimeUnit.SECONDS);
                return;
            } catch (TimeoutException e) {
                assertThat(Scenario.runningFor(PATIENCE)).isEmpty();
            }
        }
    }

    private void compareAll(SelectorProvider ours, boolean overRings, long delayNanos) throws Exception {
        while (left.getAndDecrement() > 0) {
            try {
                compare(ours, overRings, delayNanos, nextSeed());
            } catch (Throwable e) {
                left.set(0); // the other threads end too
                throw e;
            }
        }
    }

    private synchronized long nextSeed() {
        return seeds.nextLong();
    }

    private void compare(SelectorProvider ours, boolean overRings, long delayNanos, long seed) throws Exception {
        List<String> expected = Scenario.run(jdks, seed, overRings, delayNanos);
        List<String> seen = Scenario.run(ours, seed, overRings, delayNanos);
        for (int again = 1; again < TRIES && !seen.equals(expected); again++) { // the kernel may have been late
            repeated.increment();
            System.out.printf("TcpModelTest: program %d differs: %s%n", seed, difference(expected, seen));
            expected = Scenario.run(jdks, seed, overRings, delayNanos);
            seen = Scenario.run(ours, seed, overRings, delayNanos);
        }
        assertThat(seen).as("seed %d; %s", seed, Seed.replayLine()).isEqualTo(expected);
        notes.add(seen.size());
    }

    private static String difference(List<String> expected, List<String> seen) {
        int same = 0;
        while (same < Math.min(expected.size(), seen.size())
                && expected.get(same).equals(seen.get(same))) {
            same++;
        }
        return "'" + (same < expected.size() ? expected.get(same) : "") + "', ours '"
                + (same < seen.size() ? seen.get(same) : "") + "'";
    }
}
