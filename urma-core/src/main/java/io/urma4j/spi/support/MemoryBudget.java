package io.urma4j.spi.support;

/**
 * Spares most allocations the look at {@link MemoryLimits}, which reads a dozen files. What is found free there is good for
 * a second, and for a small part of it: as long as this process has taken no more than that, it need not look again.
 * Safe for any thread.
 */
public final class MemoryBudget {
    private static final long GOOD_FOR_NANOS = 1_000_000_000;

    /** One part in so many is given without a look: others take memory meanwhile. */
    private static final long PARTS = 64;

    private long leftBytes; // both guarded by this
    private long endNanos;

    /**
     * Takes memory, or refuses.
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
