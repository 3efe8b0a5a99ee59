package io.urma4j.spi;

import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.QueueState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The send half: takes work requests in the caller's thread.
 *
 * <p>Every post has been checked for ranges, access and opcode; {@code flags} are the bits of {@code PostFlags}. It
 * returns true when accepted, false when the queue is full, and throws {@code UrmaException} EINVAL when the queue's
 * state refuses it or it is closed. The four direct forms exist because the hot path must not build a request object;
 * {@link #post} takes everything.
 */
public interface ProviderSendQueue {
    int id();

    int depth();

    QueueState state();

    /** What a peer needs to send to the Jetty that this queue is half of, or to name this queue. */
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

    /** One of the seven atomics; the old value lands at {@code resultOffset} of {@code result}. */
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

    /** Any work request. Nothing of {@code request} is kept after the call. */
    boolean post(WorkRequest request);

    /**
     * Moves to a state that the caller found legal; EINVAL naming both when the queue has moved meanwhile, and it no longer
     * is.
     */
    void modify(QueueState next);

    /**
     * Takes out never-started work requests of a drained queue in ERROR or SUSPENDED, as {@link CompletionRecord}s (S6.7,
     * S6.10).
     */
    int flush(long[] words, int maxRecords);

    /**
     * Goes to ERROR, drains, and flushes, and makes no marker (S6.11). Blocks at most {@code timeout}; throws {@code
     * UrmaException} ETIMEOUT when something is still under way then, and has changed nothing.
     *
     * @return a {@link CompletionRecord} for each work request that had none, in the order of posting
     */
    long[] quiesce(Duration timeout);

    /** Connects an RC Jetty with its only peer (S5.7). */
    CompletableFuture<Void> bind(ProviderTarget target, Duration timeout);

    /** Whether it is in ERROR or SUSPENDED, and the marker that says that it has drained is still to come. */
    boolean isDraining();

    /** Ends in RESET, unbound, from whatever state. */
    CompletableFuture<Void> unbind(Duration timeout);

    boolean isBound();

    /** An RM queue is about to send there: what can be set up early may be. */
    default void advise(ProviderTarget target) {
        // an import has set up all that there is
    }

    Counters counters();

    /** Stops the queue; unfinished work requests and records of it disappear (S10.7). */
    void close();
}
