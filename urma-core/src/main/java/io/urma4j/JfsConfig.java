package io.urma4j;

import io.urma4j.internal.Nanos;
import java.time.Duration;

/**
 * Configuration of a send queue, alone or as half of a Jetty. Created with {@link #builder}.
 *
 * @param id requested number, or 0 for any (S1.2)
 * @param depth maximum work requests accepted before their records are polled; rounded up to a power of two
 * @param maxSges maximum local ranges of a work request
 * @param maxInlineBytes maximum bytes of an inline payload
 * @param rnrRetry how often a message is retransmitted if the target has no receive work request: 0…6, or 7 for no limit
 *     (S12.1)
 * @param timeout after which a silent peer fails a work request with ACK_TIMEOUT_ERR (S12.3)
 * @param lockFree the caller guarantees that one thread at a time posts (S9.5)
 * @param errorSuspend a silent or lost peer, or a receiver that is not ready, suspends the queue, and unstarted requests
 *     are held until it is READY again; otherwise they cause ERROR like any failure (S6.10)
 * @param signalEvery signal every N-th work request regardless of its flags, so that unsignalled ones alone cannot fill the
 *     queue; 0 for none (S9.3)
 * @param errorScope the scope of a failure towards one target; a choice in mode RM (S6.12)
 * @param outOfOrderCompletion records need not be in posting order (S10.1): a provider may write them as work requests end,
 *     except {@linkplain PostFlags#completedInOrder those that request order}
 * @param priority 0…15, for devices that prioritise queues; the software devices serve all alike (S1.6)
 */
public record JfsConfig(
        TransportMode mode,
        OrderType orderType,
        int id,
        int depth,
        int maxSges,
        int maxInlineBytes,
        int rnrRetry,
        Duration timeout,
        boolean lockFree,
        boolean errorSuspend,
        int signalEvery,
        ErrorScope errorScope,
        boolean outOfOrderCompletion,
        int priority) {

    public JfsConfig {
        timeout = Nanos.bounded(timeout);
    }

    /** The highest priority. */
    public static final int MAX_PRIORITY = 15;

    /**
     * Defaults: RM, depth 256, 4 ranges, 208 inline bytes, 7 RNR rounds (no limit), 15 s, error scope of the queue,
     * priority 0.
     */
    public static final JfsConfig DEFAULT = builder().build();

    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from this configuration. */
    public Builder toBuilder() {
        return new Builder()
                .mode(mode)
                .orderType(orderType)
                .id(id)
                .depth(depth)
                .maxSges(maxSges)
                .maxInlineBytes(maxInlineBytes)
                .rnrRetry(rnrRetry)
                .timeout(timeout)
                .lockFree(lockFree)
                .errorSuspend(errorSuspend)
                .signalEvery(signalEvery)
                .errorScope(errorScope)
                .outOfOrderCompletion(outOfOrderCompletion)
                .priority(priority);
    }

    /** Collects the values; the defaults are those of {@link #DEFAULT}. */
    public static final class Builder {
        private TransportMode mode = TransportMode.RM;
        private OrderType orderType = OrderType.DEF;
        private int id;
        private int depth = 256;
        private int maxSges = 4;
        private int maxInlineBytes = 208;
        private int rnrRetry = 7;
        private Duration timeout = Duration.ofSeconds(15);
        private boolean lockFree;
        private boolean errorSuspend;
        private int signalEvery;
        private ErrorScope errorScope = ErrorScope.JETTY;
        private boolean outOfOrderCompletion;
        private int priority;

        private Builder() {}

        public Builder mode(TransportMode mode) {
            this.mode = mode;
            return this;
        }

        public Builder orderType(OrderType orderType) {
            this.orderType = orderType;
            return this;
        }

        public Builder id(int id) {
            this.id = id;
            return this;
        }

        public Builder depth(int depth) {
            this.depth = depth;
            return this;
        }

        public Builder maxSges(int maxSges) {
            this.maxSges = maxSges;
            return this;
        }

        public Builder maxInlineBytes(int maxInlineBytes) {
            this.maxInlineBytes = maxInlineBytes;
            return this;
        }

        public Builder rnrRetry(int rnrRetry) {
            this.rnrRetry = rnrRetry;
            return this;
        }

        public Builder timeout(Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        public Builder lockFree(boolean lockFree) {
            this.lockFree = lockFree;
            return this;
        }

        public Builder errorSuspend(boolean errorSuspend) {
            this.errorSuspend = errorSuspend;
            return this;
        }

        public Builder signalEvery(int signalEvery) {
            this.signalEvery = signalEvery;
            return this;
        }

        public Builder errorScope(ErrorScope errorScope) {
            this.errorScope = errorScope;
            return this;
        }

        public Builder outOfOrderCompletion(boolean outOfOrderCompletion) {
            this.outOfOrderCompletion = outOfOrderCompletion;
            return this;
        }

        public Builder priority(int priority) {
            this.priority = priority;
            return this;
        }

        public JfsConfig build() {
            return new JfsConfig(
                    mode,
                    orderType,
                    id,
                    depth,
                    maxSges,
                    maxInlineBytes,
                    rnrRetry,
                    timeout,
                    lockFree,
                    errorSuspend,
                    signalEvery,
                    errorScope,
                    outOfOrderCompletion,
                    priority);
        }
    }
}
