package io.urma4j.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs as many seeds as fit into the time, each with header prediction and without, and prints a summary. */
final class Seeds {
    private static final int MOST_FAILURES = 5;

    private Seeds() {}

    /**
     * Runs a minimum of seeds, and more until the time or their number is used up.
     *
     * @param first of them
     * @throws AssertionError when one shows a violation, with the line that replays it
     */
    static void run(long first, long most, long budgetNanos, long least) {
        long start = System.nanoTime();
        Report total = Report.NOTHING;
        List<String> failures = new ArrayList<>();
        long done = 0;
        while (done < most
                && (done < least || System.nanoTime() - start < budgetNanos)
                && failures.size() < MOST_FAILURES) {
            long seed = first + done++;
            try {
                total = total.plus(Simulation.compare(seed));
            } catch (Violation e) {
                failures.add("seed " + seed + ": " + e.getMessage() + "\n  replay: urma simulate --seed " + seed
                        + " --trace\n  " + Simulation.describe(seed));
            }
        }
        System.out.println("Seeds: " + done + " from " + first + " on in "
                + Duration.ofNanos(System.nanoTime() - start).toMillis() + " ms, " + failures.size() + " violations; "
                + total);
        assertThat(failures).as("violations").isEmpty();
    }
}
