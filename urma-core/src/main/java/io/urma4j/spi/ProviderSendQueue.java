package io.urma4j.spi;

import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.QueueState;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The send half: it accepts work requests in the caller's thread. */
public interface ProviderSendQueue extends PostingQueue {
    int id();

    int depth();

    QueueState state();

    /** What a peer needs to send to the Jetty of this queue, or to name this queue. */
    JettyDescriptor descriptor();

    /**
     * Moves to a state; the caller has checked that the move is legal. EINVAL, naming both states, if the queue has moved
     * meanwhile and the move is no longer legal.
     */
    void modify(QueueState next);

    /**
     * Returns never-started work requests of a drained queue in ERROR or SUSPENDED, as {@link CompletionRecord}s (S6.7,
     * S6.10).
     */
    int flush(long[] words, int maxRecords);

    /**
     * Goes to ERROR, drains, and flushes, without a marker (S6.11). Blocks at most {@code timeout}; throws {@code
     * UrmaException} ETIMEOUT if a request is still in progress then. No result is lost by that: another call, or a flush, returns it.
     *
     * @return a {@link CompletionRecord} for each work request without one, in posting order
     */
    long[] quiesce(Duration timeout);

    /**
     * Posts a transfer, whose blocks and access the caller has checked: one work request with one record, of the transfer's opcode
     * and length (S16). The provider asks each import once whether it was revoked. Its blocks have no order among themselves, and
     * its notice follows the last. Returns and throws as {@link #post(WorkRequest)}.
     */
    default boolean post(BlockTransfer transfer) {
        throw new UrmaException(
                UrmaStatus.EINVAL, this, "takes no prepared transfers: the device does not support them");
    }

    /** Connects an RC Jetty to its only peer (S5.7). */
    CompletableFuture<Void> bind(ProviderTarget target, Duration timeout);

    /** Whether the queue is in ERROR or SUSPENDED, and its drain marker has not been written yet. */
    boolean isDraining();

    /**
     * Unbinds, from any state; ends in RESET. A device may wait for a copy of the queue no longer than the timeout. Then the
     * future fails with ETIMEOUT, the queue stays in ERROR, and another call resets it.
     */
    CompletableFuture<Void> unbind(Duration timeout);

    /** An RM queue is about to send there: prepares the path early. */
    default void advise(ProviderTarget target) {
        // the import has prepared everything
    }

    /** A snapshot of its counters; EINVAL when closed, also by another thread while the call runs (S4.2). */
    Counters counters();

    /** Closes the queue; its unfinished work requests and records are discarded (S10.7). */
    void close();
}
