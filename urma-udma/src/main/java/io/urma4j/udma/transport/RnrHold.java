package io.urma4j.udma.transport;

/**
 * How long a requester sends nothing, since the receiver of its oldest message was not ready (RNR NAK), and how often it has
 * waited for that message. That is for a connection of one queue; on shared ones the queues wait.
 */
final class RnrHold {
    private static final long NOT_HELD = Long.MIN_VALUE;

    private final int retries;
    private long untilNanos = NOT_HELD;
    private int tries;

    RnrHold(ConnectionConfig config) {
        this.retries = config.rnrRetries();
    }

    /** Counts another try; false when it is one more than the limit. */
    boolean mayRetry() {
        return retries == ConnectionConfig.RNR_FOR_EVER || ++tries <= retries;
    }

    void hold(long nanos) {
        untilNanos = nanos;
    }

    boolean isHeld(long nowNanos) {
        return nowNanos < untilNanos;
    }

    /** Whether the end of a hold is awaited. */
    boolean isAwaited() {
        return untilNanos != NOT_HELD;
    }

    /** Forgets a hold that is over. */
    void runTimers(long nowNanos) {
        if (!isHeld(nowNanos)) {
            untilNanos = NOT_HELD;
        }
    }

    /** When the last hold ends; in the distant past if there was none. */
    long untilNanos() {
        return untilNanos;
    }

    /** A message was acknowledged: the next one has all tries. */
    void progressed() {
        tries = 0;
    }

    void clear() {
        untilNanos = NOT_HELD;
        tries = 0;
    }
}
