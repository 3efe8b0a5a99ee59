package io.urma4j;

/** A range of a segment that its home has granted to a peer, and can take back. Safe for any thread; no call waits. */
public sealed interface RangeGrant extends AutoCloseable permits WindowGrant, RoceGrant {
    /**
     * Revokes the range without waiting: an operation that has not started by now moves no byte. Idempotent.
     *
     * @return as {@link #isQuiet}
     */
    boolean takeBack();

    /**
     * Whether the range was revoked, and no operation on it is in progress: from then on no peer touches it by this grant, and it
     * can be reused. False while an operation lasts that had started before; only this range has to wait for it.
     */
    boolean isQuiet();

    /** {@link #takeBack}. */
    @Override
    void close();
}
