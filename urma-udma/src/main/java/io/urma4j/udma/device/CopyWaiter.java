package io.urma4j.udma.device;

/** Waits for copies of a {@link CopyPort}. */
@FunctionalInterface
public interface CopyWaiter {
    /** Waits for nothing. */
    CopyWaiter NONE = () -> {};

    /** One of its copies has ended, or may be tried once more. Called without a reason, it does no harm. */
    void copyEnded();
}
