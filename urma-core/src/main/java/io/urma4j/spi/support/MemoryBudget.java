package io.urma4j.spi.support;

/**
 * Caches {@link MemoryLimits}, which reads a dozen files, so that most allocations need no check. A result is valid for a
 * second, and for a small part of the free memory: until this process has allocated that much, it need not check again.
 * Safe for any thread.
 */
public final class MemoryBudget {
    private static final long GOOD_FOR_NANOS = 1_000_000_000;

    /** One part in this many can be allocated without a check: other processes allocate meanwhile. */
    private static final long PARTS = 64;

    private long leftBytes; // both guarded by this
    private long endNanos;

    /**
     * Takes memory from the budget, or refuses.
     *
     * @throws io.urma4j.UrmaException ENOMEM, as {@link MemoryLimits#check} says
     */
    public synchronized void take(Object object, long neededBytes, MemoryLimits limits) {
        long now = System.nanoTime();
        if (neededBytes > leftBytes || now - endNanos > 0) {
            leftBytes = limits.check(object, neededBytes) / PARTS;
            endNanos = now + GOOD_FOR_NANOS;
        } else {
            leftBytes -= neededBytes;
        }
    }
}
