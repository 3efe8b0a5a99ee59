package io.urma4j.internal.inspect;

import io.urma4j.Jfs;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.spi.PostingQueue;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.WorkRequest;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a provider's send queue while its context is measured. It measures the latency of each post, and
 * follows one signalled work request at a time to its record.
 */
public final class MeasuredSendQueue implements PostingQueue {
    private final Jfs jfs;
    private final PostingQueue provider;
    private final PerfMeter meter;
    private final PerfMeter.Run run;
    private final AtomicBoolean following = new AtomicBoolean();

    public MeasuredSendQueue(Jfs jfs, PostingQueue provider, PerfMeter meter, PerfMeter.Run run) {
        this.jfs = jfs;
        this.provider = provider;
        this.meter = meter;
        this.run = run;
    }

    Jfs jfs() {
        return jfs;
    }

    /** The work request that was followed has its record. */
    void ended(PerfStage stage, long nanos) {
        run.record(stage, nanos);
        following.set(false);
    }

    /** A post that is being measured. */
    private final class Post {
        private final PerfStage stage;
        private final boolean followed;
        private final long userContext;
        private final long begun = System.nanoTime();

        Post(PerfStage stage, long userContext, int flags) {
            this.stage = stage;
            this.followed = (flags & PostFlags.SIGNALLED_BIT) != 0 && following.compareAndSet(false, true);
            this.userContext = followed ? meter.follow(MeasuredSendQueue.this, userContext, stage, begun) : userContext;
        }

        boolean end(boolean accepted) {
            run.record(stage, System.nanoTime() - begun);
            if (!accepted) {
                refused();
            }
            return accepted;
        }

        void refused() {
            if (followed) {
                meter.forget(userContext);
                following.set(false);
            }
        }
    }

    @Override
    public boolean write(
            ProviderImport target,
            long targetOffset,
            ProviderSegment source,
            long sourceOffset,
            long lengthBytes,
            long userContext,
            int flags) {
        Post post = new Post(PerfStage.POST_WRITE, userContext, flags);
        try {
            return post.end(
                    provider.write(target, targetOffset, source, sourceOffset, lengthBytes, post.userContext, flags));
        } catch (RuntimeException e) {
            post.refused();
            throw e;
        }
    }

    @Override
    public boolean read(
            ProviderImport source,
            long sourceOffset,
            ProviderSegment destination,
            long destinationOffset,
            long lengthBytes,
            long userContext,
            int flags) {
        Post post = new Post(PerfStage.POST_READ, userContext, flags);
        try {
            return post.end(provider.read(
                    source, sourceOffset, destination, destinationOffset, lengthBytes, post.userContext, flags));
        } catch (RuntimeException e) {
            post.refused();
            throw e;
        }
    }

    @Override
    public boolean atomic(
            int opcode,
            ProviderImport target,
            long targetOffset,
            ProviderSegment result,
            long resultOffset,
            int sizeBytes,
            long operand,
            long expected,
            long userContext,
            int flags) {
        Post post = new Post(PerfStage.POST_ATOMIC, userContext, flags);
        try {
            return post.end(provider.atomic(
                    opcode,
                    target,
                    targetOffset,
                    result,
                    resultOffset,
                    sizeBytes,
                    operand,
                    expected,
                    post.userContext,
                    flags));
        } catch (RuntimeException e) {
            post.refused();
            throw e;
        }
    }

    @Override
    public boolean send(
            int opcode,
            @Nullable ProviderTarget target,
            ProviderSegment source,
            long sourceOffset,
            long lengthBytes,
            long immediate,
            long userContext,
            int flags) {
        Post post = new Post(PerfStage.POST_SEND, userContext, flags);
        try {
            return post.end(provider.send(
                    opcode, target, source, sourceOffset, lengthBytes, immediate, post.userContext, flags));
        } catch (RuntimeException e) {
            post.refused();
            throw e;
        }
    }

    @Override
    public boolean post(WorkRequest request) {
        long userContext = request.userContext;
        Post post = new Post(PerfStage.ofPost(Opcode.of(request.opcode)), userContext, request.flags);
        request.userContext = post.userContext;
        try {
            return post.end(provider.post(request));
        } catch (RuntimeException e) {
            post.refused();
            throw e;
        } finally {
            request.userContext = userContext; // the list is the user's, and may be posted again
        }
    }
}
