package io.urma4j.spi.support;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for a few instructions: one compare-and-set to take, one release store to give back.
 *
 * <p>Whoever releases it makes everything before visible to who takes it next. It is not reentrant and not fair. A
 * waiter spins, then yields, then sleeps in small steps, so that a holder that lost its processor gets one; a virtual
 * thread that sleeps frees its carrier. {@code ReentrantLock} costs twice as much uncontended: its release is a volatile
 * store, which is a full fence.
 */
public final class SpinLock {
    private static final VarHandle HELD;
    private static final int SPINS = 64;
    private static final int YIELDS = 16;
    private static final long SLEEP_NANOS = 20_000;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // through HELD
    private int held;

    /** Takes it when nobody has it. */
    public boolean tryAcquire() {
        return (int) HELD.getAcquire(this) == 0 && HELD.compareAndSet(this, 0, 1);
    }

    /** Takes it, waiting as long as somebody else has it. */
    public void acquire() {
        if (!HELD.compareAndSet(this, 0, 1)) {
            acquireContended();
        }
    }

    private void acquireContended() {
        int round = 0;
        while (!tryAcquire()) {
            if (round < SPINS) {
                Thread.onSpinWait();
            } else if (round < SPINS + YIELDS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(this, SLEEP_NANOS);
            }
            round++;
        }
    }

    public void release() {
        HELD.setRelease(this, 0);
    }

    @Override
    public String toString() {
        return (int) HELD.getAcquire(this) == 0 ? "Claim[free]" : "Claim[held]";
    }
}
