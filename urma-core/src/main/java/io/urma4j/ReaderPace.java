package io.urma4j;

/**
 * How long the reader of a pipe pauses after an empty poll. A reader close behind the writer takes each line from the
 * writer while the writer stores to it, which makes both several times as slow. If the reader lets the writer get ahead,
 * lines cross in long runs. So it pauses as long as that produces many messages, and tries now and then whether it would.
 * For one thread.
 *
 * <p>A pause pays off from about a message in 150 ns on. It is never longer than 7 µs. A reader that replies to each
 * message, or a writer that sends one in a while, sees a short pause in thousands of messages.
 */
final class ReaderPace {
    static final int RUNS_BETWEEN_TRIALS = 4096;
    static final int TRIAL_SPINS = 32; // of about 25 ns
    static final int MAX_SPINS = 256;

    private int spins; // of the last rest; 0 for none
    private int untilTrial = RUNS_BETWEEN_TRIALS;

    /**
     * Returns for how many spins to pause.
     *
     * @param messages read since the last empty poll; more than 0
     */
    int restAfter(int messages) {
        if (spins == 0) {
            if (--untilTrial == 0) {
                untilTrial = RUNS_BETWEEN_TRIALS;
                spins = TRIAL_SPINS;
            }
        } else if (2 * messages >= spins) {
            spins = Math.min(2 * spins, MAX_SPINS);
        } else if (6 * messages < spins) {
            spins = 0;
        }
        return spins;
    }
}
