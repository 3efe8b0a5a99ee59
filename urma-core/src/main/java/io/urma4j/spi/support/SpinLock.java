package io.urma4j.spi.support;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for a few instructions: one compare-and-set to acquire, one release store to release.
 *
 * <p>All writes before a release are visible after the next acquire. The lock is neither reentrant nor fair. A waiter
 * spins, then yields, then sleeps in small steps, so that a preempted holder gets a CPU; a sleeping virtual thread releases
 * its carrier. {@code ReentrantLock} costs twice as much uncontended: its release is a volatile store, which is a full
 * fence.
 */
public final class SpinLock {
    private static final VarHandle HELD = FieldHandle.of(MethodHandles.lookup(), "held", int.class);
    private static final int SPINS = 64;
    private static final int YIELDS = 16;
    private static final long SLEEP_NANOS = 20_000;

    @SuppressWarnings("UnusedVariable") // through HELD
    private int held;

    /** Acquires the lock if it is free. A lost race is no branch here: it is so rare that the compiler would leave it out. */
    public boolean tryAcquire() {
        if ((int) HELD.getAcquire(this) != 0) {
            return false;
        }
        return HELD.compareAndSet(this, 0, 1);
    }

    /** Acquires the lock, and waits while it is held. */
    public void acquire() {
        if (!HELD.compareAndSet(this, 0, 1)) {
            acquireContended();
        }
    }

    /** Acquires the lock, and waits for it only if the caller insists; whether it is held now. */
    public boolean acquire(boolean insist) {
        if (insist) {
            acquire();
            return true;
        }
        return tryAcquire();
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
        return (int) HELD.getAcquire(this) == 0 ? "SpinLock[free]" : "SpinLock[held]";
    }
}
