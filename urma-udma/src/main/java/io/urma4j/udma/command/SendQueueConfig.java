package io.urma4j.udma.command;

import java.lang.foreign.MemorySegment;

/**
 * What a send queue is to be like. Made with {@link #builder}.
 *
 * @param number on the wire, 17…2²³−1, or 0 for any: the QP number of RC and UM queues and of what a Jetty receives
 * @param sourceId what peers' records name as the sender's queue: on connections that several queues share
 * @param kind how it sends
 * @param ring memory laid out as {@link io.urma4j.udma.ring.WqRing} says
 * @param depth elements of the ring, a power of two
 * @param strideBytes from one element to the next
 * @param cq where its records go
 * @param tag what its records and its events carry
 * @param receives handle of the receive queue when it is half of a Jetty, else 0
 * @param receiveCq where the records of what the Jetty receives go; 0 for the receive queue's
 * @param receiveTag what these records carry
 * @param queueKey of UM: what must be in datagrams to it
 * @param timeoutNanos of silence of its peer after which a work request fails
 * @param rnrRetry how often a message is repeated when its target has no receive work request: 0…6, 7 for ever
 * @param errorSuspend whether silence and a target that is not ready suspend it, and do not lead to ERROR
 * @param errorByTarget whether a failure affects the work requests to the same target alone
 */
public record SendQueueConfig(
        int number,
        int sourceId,
        Kind kind,
        MemorySegment ring,
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

    /** How a queue sends. */
    public enum Kind {
        /** By one connection of its own; born RESET, READY when connected. */
        RC,
        /** To any target, by the connection to the target's context. */
        RM,
        /** Datagrams. */
        UM
    }

    /** Begins with the queue's memory, for mode RM without a receive queue, 15 s, 7 rounds. */
    public static Builder builder(Kind kind, MemorySegment ring, int depth, int strideBytes, int cq) {
        return new Builder(kind, ring, depth, strideBytes, cq);
    }

    /** Collects the values. */
    public static final class Builder {
        private static final long DEFAULT_TIMEOUT_NANOS = 15_000_000_000L;
        private static final int FOR_EVER = 7;

        private final Kind kind;
        private final MemorySegment ring;
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

        private Builder(Kind kind, MemorySegment ring, int depth, int strideBytes, int cq) {
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

        /** It is half of a Jetty. */
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
