package io.urma4j.internal.pipe;

/**
 * How long the reader of a pipe rests when it has found nothing more. One that is right behind the writer takes each line
 * from him while he writes to it, which makes both several times as slow. When it lets him get ahead, lines cross in long
 * runs; so it rests as long as that brings many messages, and tries now and then whether it would. For one thread.
 *
 * <p>A rest is worth it from about a message in 150 ns on. It is never longer than 7 µs, and who answers each message, or
 * sends one in a while, meets a short one in thousands.
 */
public final class ReaderPace {
    static final int RUNS_BETWEEN_TRIALS = 4096;
    static final int TRIAL_SPINS = 32; // of about 25 ns
    static final int MAX_SPINS = 256;

    private int spins; // of the last rest; 0 for none
    private int untilTrial = RUNS_BETWEEN_TRIALS;

    /**
     * Tells for how many spins to rest.
     *
     * @param messages read since the last time that there was nothing; more than 0
     */
    public int restAfter(int messages) {
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
