package io.urma4j.spi;

import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.QueueState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The send half: it accepts work requests in the caller's thread.
 *
 * <p>The caller has checked ranges, access and opcode of every post; {@code flags} are the bits of {@code PostFlags}. A
 * post returns true if accepted and false if the queue is full. It throws {@code UrmaException} EINVAL if the queue is
 * closed, or if its state refuses the request. The four direct forms exist because the hot path must not create a request
 * object; {@link #post} takes all opcodes.
 */
public interface ProviderSendQueue {
    int id();

    int depth();

    QueueState state();

    /** What a peer needs to send to the Jetty of this queue, or to name this queue. */
    JettyDescriptor descriptor();

    boolean write(
            ProviderImport target,
            long targetOffset,
            ProviderSegment source,
            long sourceOffset,
            long lengthBytes,
            long userContext,
            int flags);

    boolean read(
            ProviderImport source,
            long sourceOffset,
            ProviderSegment destination,
            long destinationOffset,
            long lengthBytes,
            long userContext,
            int flags);

    /** Executes one of the seven atomics; writes the old value at {@code resultOffset} of {@code result}. */
    boolean atomic(
            int opcode,
            ProviderImport target,
            long targetOffset,
            ProviderSegment result,
            long resultOffset,
            int sizeBytes,
            long operand,
            long expected,
            long userContext,
            int flags);

    /** SEND, SEND_IMM or SEND_INVALIDATE; {@code immediate} is the token id for the last. */
    boolean send(
            int opcode,
            @Nullable ProviderTarget target,
            ProviderSegment source,
            long sourceOffset,
            long lengthBytes,
            long immediate,
            long userContext,
            int flags);

    /** Posts any work request. The provider keeps no reference to {@code request} after the call. */
    boolean post(WorkRequest request);

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
     * UrmaException} ETIMEOUT, and changes nothing, if a request is still in progress then.
     *
     * @return a {@link CompletionRecord} for each work request without one, in posting order
     */
    long[] quiesce(Duration timeout);

    /** Connects an RC Jetty to its only peer (S5.7). */
    CompletableFuture<Void> bind(ProviderTarget target, Duration timeout);

    /** Whether the queue is in ERROR or SUSPENDED, and its drain marker has not been written yet. */
    boolean isDraining();

    /** Unbinds, from any state; ends in RESET. */
    CompletableFuture<Void> unbind(Duration timeout);

    boolean isBound();

    /** An RM queue is about to send there: prepares the path early. */
    default void advise(ProviderTarget target) {
        // the import has prepared everything
    }

    Counters counters();

    /** Closes the queue; its unfinished work requests and records are discarded (S10.7). */
    void close();
}
