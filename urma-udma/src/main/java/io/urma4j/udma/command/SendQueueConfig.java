package io.urma4j.udma.command;

import io.urma4j.libc.NativeMemory;

/**
 * Configuration of a send queue. Created with {@link #builder}.
 *
 * @param number on the wire, 17…2²³−1, or 0 for any: the QP number of RC and UM queues, and of a Jetty's receive half
 * @param sourceId the sender's queue in peers' records, on connections that several queues share
 * @param kind the queue's mode
 * @param ring memory in the layout of {@link io.urma4j.udma.ring.WqRing}
 * @param depth elements of the ring, a power of two
 * @param strideBytes from one element to the next
 * @param cq completion queue of its records
 * @param tag in its records and events
 * @param receives handle of the receive queue if it is half of a Jetty, else 0
 * @param receiveCq completion queue of the Jetty's receive records; 0 for the receive queue's
 * @param receiveTag in these records
 * @param queueKey of UM: required in datagrams to it
 * @param timeoutNanos silence of its peer after which a work request fails
 * @param rnrRetry how often a message is retransmitted if its target has no receive work request: 0…6, 7 for no limit
 * @param errorSuspend whether silence and a target that is not ready suspend it instead of causing ERROR
 * @param errorByTarget whether a failure affects only the work requests to the same target
 */
public record SendQueueConfig(
        int number,
        int sourceId,
        Kind kind,
        NativeMemory ring,
        int depth,
        int strideBytes,
        int cq,
        int tag,
        int receives,
        int receiveCq,
        int receiveTag,
        int queueKey,
        long timeoutNanos,
        int rnrRetry,
        boolean errorSuspend,
        boolean errorByTarget) {

    /** The mode of a queue. */
    public enum Kind {
        /** On its own connection; initially RESET, READY when connected. */
        RC,
        /** To any target, on the connection with the target's context. */
        RM,
        /** Datagrams. */
        UM
    }

    /** Begins with the queue's memory. Defaults: mode RM without a receive queue, 15 s, 7 rounds. */
    public static Builder builder(Kind kind, NativeMemory ring, int depth, int strideBytes, int cq) {
        return new Builder(kind, ring, depth, strideBytes, cq);
    }

    /** Collects the values. */
    public static final class Builder {
        private static final long DEFAULT_TIMEOUT_NANOS = 15_000_000_000L;
        private static final int FOR_EVER = 7;

        private final Kind kind;
        private final NativeMemory ring;
        private final int depth;
        private final int strideBytes;
        private final int cq;
        private int number;
        private int sourceId;
        private int tag;
        private int receives;
        private int receiveCq;
        private int receiveTag;
        private int queueKey;
        private long timeoutNanos = DEFAULT_TIMEOUT_NANOS;
        private int rnrRetry = FOR_EVER;
        private boolean errorSuspend;
        private boolean errorByTarget;

        private Builder(Kind kind, NativeMemory ring, int depth, int strideBytes, int cq) {
            this.kind = kind;
            this.ring = ring;
            this.depth = depth;
            this.strideBytes = strideBytes;
            this.cq = cq;
        }

        public Builder number(int number) {
            this.number = number;
            return this;
        }

        public Builder sourceId(int sourceId) {
            this.sourceId = sourceId;
            return this;
        }

        public Builder tag(int tag) {
            this.tag = tag;
            return this;
        }

        /** Makes it half of a Jetty. */
        public Builder receives(int receiveQueue, int receiveCq, int receiveTag) {
            this.receives = receiveQueue;
            this.receiveCq = receiveCq;
            this.receiveTag = receiveTag;
            return this;
        }

        public Builder queueKey(int queueKey) {
            this.queueKey = queueKey;
            return this;
        }

        public Builder timeoutNanos(long timeoutNanos) {
            this.timeoutNanos = timeoutNanos;
            return this;
        }

        public Builder rnrRetry(int rnrRetry) {
            this.rnrRetry = rnrRetry;
            return this;
        }

        public Builder errorSuspend(boolean errorSuspend) {
            this.errorSuspend = errorSuspend;
            return this;
        }

        public Builder errorByTarget(boolean errorByTarget) {
            this.errorByTarget = errorByTarget;
            return this;
        }

        public SendQueueConfig build() {
            return new SendQueueConfig(
                    number,
                    sourceId,
                    kind,
                    ring,
                    depth,
                    strideBytes,
                    cq,
                    tag,
                    receives,
                    receiveCq,
                    receiveTag,
                    queueKey,
                    timeoutNanos,
                    rnrRetry,
                    errorSuspend,
                    errorByTarget);
        }
    }
}
