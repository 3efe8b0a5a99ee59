package io.urma4j.spi;

import org.jspecify.annotations.Nullable;

/**
 * Where work requests are posted.
 *
 * <p>The caller has checked ranges, access and opcode of every post; {@code flags} are the bits of {@code PostFlags}. A
 * post returns true if accepted and false if the queue is full. It throws {@code UrmaException} EINVAL if the queue is
 * closed, or if its state refuses the request. The four direct forms exist because the hot path must not create a request
 * object; {@link #post} takes all opcodes.
 */
public interface PostingQueue {
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
}
