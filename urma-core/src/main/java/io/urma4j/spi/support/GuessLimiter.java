package io.urma4j.spi.support;

/**
 * Slows down guesses of tokens (S7.6): those of each caller, and those of all callers together, since one attacker may be
 * many callers: children of one process, addresses of one host. A caller that holds something and has not guessed wrong
 * lately does not wait for the guesses of others. For one thread; time is handed in.
 *
 * @param <A> what tells one caller from another, and what nobody can pretend
 */
public final class GuessLimiter<A> {
    /** So much time each refusal costs all callers together: a token of 32 bits lasts for months. */
    public static final long COST_OF_ALL_NANOS = 10_000_000;

    /** So many are free before all wait; programs that start all at once with old tokens are fewer. */
    public static final int BURST_OF_ALL = 1000;

    private enum Callers {
        ALL
    }

    private final FailureLimiter<A> each = new FailureLimiter<>();
    private final FailureLimiter<Callers> all = new FailureLimiter<>(COST_OF_ALL_NANOS, BURST_OF_ALL);

    /** Notes a refusal. */
    public void failed(A caller, long nowNanos) {
        each.failed(caller, nowNanos);
        all.failed(Callers.ALL, nowNanos);
    }

    /**
     * How long the next answer has to wait.
     *
     * @param isKnown whether the caller was granted something before
     */
    public long delayNanos(A caller, boolean isKnown, long nowNanos) {
        boolean isTrusted = isKnown && each.debtNanos(caller, nowNanos) == 0;
        long ofAll = isTrusted ? 0 : all.delayNanos(Callers.ALL, nowNanos);
        return Math.max(each.delayNanos(caller, nowNanos), ofAll);
    }
}
