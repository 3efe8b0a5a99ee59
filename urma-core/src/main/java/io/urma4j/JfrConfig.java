package io.urma4j;

import io.urma4j.internal.Nanos;
import java.time.Duration;

/**
 * Configuration of a receive queue. Created with {@link #builder}.
 *
 * @param id requested number, or 0 for any (S1.2)
 * @param depth maximum receive work requests; rounded up to a power of two
 * @param maxSges maximum buffers of a receive work request
 * @param minRnrTimer delay before a sender retransmits to this queue after it had no receive work request (S12.1); at most {@link
 *     DeviceAttributes.Limits#rnrTimerMicros}: 655.36 ms on udma, and 10 s on shm
 * @param policy whether senders need a token to import the queue
 * @param token the secret; ignored under {@link TokenPolicy#NONE}
 * @param allowInvalidate whether SEND_INVALIDATE is executed (S8.11)
 * @param rxThreshold event JFR_LIMIT when fewer receive work requests than this are left; 0 for never (S12.2)
 */
public record JfrConfig(
        TransportMode mode,
        OrderType orderType,
        int id,
        int depth,
        int maxSges,
        Duration minRnrTimer,
        TokenPolicy policy,
        Token token,
        boolean allowInvalidate,
        int rxThreshold) {

    public JfrConfig {
        minRnrTimer = Nanos.bounded(minRnrTimer);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects the values. Defaults: RM, depth 256, 4 buffers, 100 µs, a random token, no invalidation, no threshold. */
    public static final class Builder {
        private TransportMode mode = TransportMode.RM;
        private OrderType orderType = OrderType.DEF;
        private int id;
        private int depth = 256;
        private int maxSges = 4;
        private Duration minRnrTimer = Duration.ofNanos(100_000);
        private TokenPolicy policy = TokenPolicy.PLAIN_TEXT;
        private Token token = Token.random();
        private boolean allowInvalidate;
        private int rxThreshold;

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

        public Builder minRnrTimer(Duration minRnrTimer) {
            this.minRnrTimer = minRnrTimer;
            return this;
        }

        public Builder policy(TokenPolicy policy) {
            this.policy = policy;
            return this;
        }

        public Builder token(Token token) {
            this.token = token;
            return this;
        }

        public Builder allowInvalidate(boolean allowInvalidate) {
            this.allowInvalidate = allowInvalidate;
            return this;
        }

        public Builder rxThreshold(int rxThreshold) {
            this.rxThreshold = rxThreshold;
            return this;
        }

        public JfrConfig build() {
            return new JfrConfig(
                    mode, orderType, id, depth, maxSges, minRnrTimer, policy, token, allowInvalidate, rxThreshold);
        }
    }
}
