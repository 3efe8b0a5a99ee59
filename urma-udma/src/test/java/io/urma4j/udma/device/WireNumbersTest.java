package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.urma4j.tck.Seed;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WireNumbersTest {
    private static final int LAST = 1 << 20;
    private static final int STEPS = 200_000;
    private static final int PEERS = 4096;

    private final WireNumbers<Integer> numbers = new WireNumbers<>(1, LAST);

    @Test
    void findsWhatAMapFindsWhateverComesAndGoes() {
        long seed = Seed.OF_RUN;
        Random random = new Random(seed);
        Map<Integer, Integer> model = new HashMap<>();
        for (int step = 0; step < STEPS; step++) {
            int number = 1 + random.nextInt(512); // few, so that many want one place
            if (random.nextInt(3) == 0) {
                numbers.remove(number);
                model.remove(number);
            } else {
                int put = numbers.put(number, step);
                assertThat(put).as("seed " + seed).isEqualTo(model.putIfAbsent(number, step) == null ? number : 0);
            }
            int asked = 1 + random.nextInt(512);
            assertThat(numbers.get(asked)).as("seed " + seed).isEqualTo(model.get(asked));
        }
        model.forEach((number, value) -> assertThat(numbers.get(number)).isEqualTo(value));
    }

    /** Each used to cost a copy of the table, and all of them together the square of that. */
    @Test
    void thePeersOfAProcessThatEndsLeaveWithoutACopyOfTheTable() {
        for (int i = 1; i <= PEERS; i++) {
            numbers.put(i, i);
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();

        for (int i = 1; i <= PEERS; i++) {
            numbers.remove(i);
        }

        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .as("bytes allocated by %d removals", PEERS)
                .isLessThan(PEERS);
        assertThat(numbers.get(PEERS)).isNull();
    }
}
