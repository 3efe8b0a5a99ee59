package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.RemoteSegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * §8: the results of atomics of several initiators on few words can be explained by one order of them all. The home
 * takes part as an initiator, from its own process when it has one.
 */
public abstract class LinearizabilityContract extends Contract {
    private static final Duration BUDGET =
            Boolean.getBoolean("urma.full") ? Duration.ofSeconds(20) : Duration.ofMillis(600);

    private static final int WORDS = 2;
    private static final int STEPS = Patience.amount(200, 20);
    private static final long SEGMENT_BYTES = 1 << 20;

    /** For the given device. */
    protected LinearizabilityContract(String device) {
        super(device);
    }

    /** S8.7: atomics on the same words, drawn at random, from threads and processes. */
    @Rule("S8.7")
    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void someOrderExplainsWhatEverybodySaw(int sizeBytes) throws Exception {
        var segment = pair.home().segment(SEGMENT_BYTES, Access.READ_WRITE_ATOMIC);
        var there = pair.home().importSegment(segment.shared());
        List<Hammer> here = List.of(hammer(pair.initiator(), segment), hammer(pair.anotherInitiator(), segment));
        var random = Seed.randomFor("histories of " + sizeBytes);
        var checker = new LinearizabilityChecker(sizeBytes);
        long end = System.nanoTime() + BUDGET.toNanos();
        int histories = 0;
        try (var threads = Executors.newFixedThreadPool(3)) {
            do {
                long first = WORDS * AtomicHammer.STRIDE * histories++ % SEGMENT_BYTES;
                for (int word = 0; word < WORDS; word++) {
                    segment.setWord(first + word * AtomicHammer.STRIDE, 0);
                }
                long seed = random.nextLong();
                List<Callable<List<AtomicStep>>> strikes = new ArrayList<>();
                strikes.add(() -> there.strike(first, WORDS, sizeBytes, seed, STEPS));
                var ready = new AtomicInteger();
                for (Hammer one : here) {
                    long own = seed + strikes.size();
                    strikes.add(() -> {
                        ready.incrementAndGet();
                        while (ready.get() < here.size()) {
                            Thread.onSpinWait(); // at the same time, or there is nothing to see
                        }
                        return AtomicHammer.strike(one.queue, one.remote, first, WORDS, sizeBytes, own, 2 * STEPS);
                    });
                }
                List<AtomicStep> history = new ArrayList<>();
                for (Future<List<AtomicStep>> seen :
                        threads.invokeAll(strikes, Patience.THREADS_SECONDS, TimeUnit.SECONDS)) {
                    history.addAll(seen.get());
                }
                assertThat(checker.objection(history)).isEmpty();
            } while (System.nanoTime() - end < 0);
        }
        assertThat(histories).isPositive();
    }

    private record Hammer(SendSide queue, RemoteSegment remote) {}

    private static Hammer hammer(Initiator initiator, HomeSegment segment) {
        return new Hammer(initiator.queue(), initiator.context().importSegment(segment.shared()));
    }
}
