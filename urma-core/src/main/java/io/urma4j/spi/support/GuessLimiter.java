package io.urma4j.spi.support;

/**
 * Slows down guesses of tokens (S7.6): per caller, and for all callers together, since one attacker may appear as many
 * callers: children of one process, or addresses of one host. A caller that holds an import and has not failed recently
 * does not wait for the failures of others. For one thread; time is an argument.
 *
 * @param <A> identifies a caller by something that cannot be forged
 */
public final class GuessLimiter<A> {
    /** The delay for all callers per refusal: guessing a token of 32 bits takes months. */
    public static final long COST_OF_ALL_NANOS = 10_000_000;

    /** The number of refusals without delay for all; programs that start together with old tokens stay below it. */
    public static final int BURST_OF_ALL = 1000;

    private enum Callers {
        ALL
    }

    private final FailureLimiter<A> each = new FailureLimiter<>();
    private final FailureLimiter<Callers> all = new FailureLimiter<>(COST_OF_ALL_NANOS, BURST_OF_ALL);

    /** Records a refusal. */
    public void failed(A caller, long nowNanos) {
        each.failed(caller, nowNanos);
        all.failed(Callers.ALL, nowNanos);
    }

    /**
     * How long the next answer must be delayed.
     *
     * @param isKnown whether the caller holds an import
     */
    public long delayNanos(A caller, boolean isKnown, long nowNanos) {
        boolean isTrusted = isKnown && each.debtNanos(caller, nowNanos) == 0;
        long ofAll = isTrusted ? 0 : all.delayNanos(Callers.ALL, nowNanos);
        return Math.max(each.delayNanos(caller, nowNanos), ofAll);
    }
}
