package io.urma4j.spi.support;

import io.urma4j.QueueState;

/**
 * What a provider does for the {@link SendOrder} of one of its send queues: it starts work requests, ends what a failure
 * gives up, and makes records. A provider implements it once, so that calls have one receiver.
 *
 * @param <E> the provider's entries
 * @param <P> the provider's peers
 */
public interface SendActions<E extends SendEntry<?, P>, P extends SendPeer> {
    /** Makes the entry of a place, once for each. */
    E newEntry();

    // ---- starting

    /** Whether a work request, which nothing before it blocks, has another reason to wait, such as a fence. */
    default boolean mustWait(E entry, P peer) {
        return false;
    }

    /**
     * Starts a work request, and says so to the order; or ends it.
     *
     * @return false when it is blocked, and still waits, or when it has failed
     */
    boolean begin(long position, E entry, long nowNanos);

    /** Whether a blocked work request blocks all behind it. */
    default boolean blocksAll(E blocked) {
        return false;
    }

    /** The order has more to do at the queue's next step. */
    default void wantStep() {}

    /** The number of waiting work requests has reached 0, or the queue begins or ends to drain. */
    default void demandChanged() {}

    // ---- ending

    /** The work request is over: no more of it is sent, and answers that still arrive are ignored. */
    default void left(E entry) {}

    /** The queue is about to enter a state. */
    void entering(QueueState next);

    /** The queue went to ERROR; the status is that of the work request that failed, or SUCCESS when none did. */
    void queueFailed(int cause);

    /** All work requests that had begun have ended: connections abandon them, and flows start anew. */
    void abandonAll();

    /** The same for one peer, since failures are a target's own. */
    default void abandon(P peer) {}

    /** What was in flight to the silent peer has ended; the peer may answer later. */
    void pause(P silent);

    /** Remembers the target at which the work request failed. */
    void blame(E failed, int status);

    /** Whether the work request is to a target that failed. */
    boolean isToFailed(E entry);

    /** The time of this step. */
    long nanos();

    // ---- records

    /** Makes the record of a work request that has its status, unless it is silent; false when it cannot be made now. */
    boolean record(long position, E entry);

    /** Everything before {@code head} has its record. */
    default void reported(long head) {}

    /** A suspended queue has nothing in flight any more; its marker follows. */
    default void drained() {}

    /** Makes the marker with that status behind the record of {@code position}; false when there is no room for it now. */
    boolean mark(int status, long position);

    /** The position of the next work request. */
    long posted();
}
