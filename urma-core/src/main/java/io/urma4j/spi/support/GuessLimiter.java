package io.urma4j.spi.support;

import java.util.function.BooleanSupplier;

/**
 * Slows down guesses of tokens (S7.6): per caller, and for all callers together, since one attacker may appear as many
 * callers: children of one process, or addresses of one host. A caller that holds an import and has not failed recently
 * does not wait for the failures of others. For one thread.
 *
 * @param <A> identifies a caller by something that cannot be forged
 */
public final class GuessLimiter<A> {
    /** The delay for all callers per refusal: guessing a token of 32 bits takes months. */
    public static final long COST_OF_ALL_NANOS = 10_000_000;

    /** The number of refusals without delay for all; programs that start together with old tokens stay below it. */
    public static final int BURST_OF_ALL = 1000;

    /** Maximum guesses that are delayed because their callers failed too often. */
    public static final int MAX_DELAYED = 256;

    private enum Callers {
        ALL
    }

    private final FailureLimiter<A> each = new FailureLimiter<>();
    private final FailureLimiter<Callers> all = new FailureLimiter<>(COST_OF_ALL_NANOS, BURST_OF_ALL);

    private int delayed;

    /**
     * Checks a token now, or later if its caller has failed too often.
     *
     * @param isKnown whether the caller holds an import
     * @param isRight checks the token, and answers
     * @param isAwaited whether the answer is still wanted, after a delay
     * @param whenFull runs instead if {@link #MAX_DELAYED} guesses are delayed already
     */
    public void check(
            ControlEngine engine,
            A caller,
            BooleanSupplier isKnown,
            BooleanSupplier isRight,
            BooleanSupplier isAwaited,
            Runnable whenFull) {
        long now = engine.nanos();
        long delayNanos = delayNanos(caller, isKnown.getAsBoolean(), now);
        if (delayNanos > 0) {
            delay(engine, now + delayNanos, whenFull, () -> {
                if (isAwaited.getAsBoolean()) {
                    check(engine, caller, isKnown, isRight, isAwaited, whenFull);
                }
            });
        } else if (!isRight.getAsBoolean()) {
            failed(caller, now);
        }
    }

    private void delay(ControlEngine engine, long untilNanos, Runnable whenFull, Runnable again) {
        if (delayed == MAX_DELAYED) {
            whenFull.run();
            return;
        }
        delayed++;
        engine.at(untilNanos, () -> {
            delayed--;
            again.run();
        });
    }

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
