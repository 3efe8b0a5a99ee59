package io.urma4j;

/**
 * Configuration of a Jetty group. Created with {@link #builder}.
 *
 * @param id requested number, or 0 for any (S1.2)
 * @param choice which member receives a message
 * @param policy whether senders need a token to import the group; equal to that of each member
 * @param token the secret; equal to that of each member
 */
public record JettyGroupConfig(int id, Choice choice, TokenPolicy policy, Token token) {
    /** Which member receives a message. */
    public enum Choice {
        /** Round robin; members that are not ready are skipped. */
        ROUND_ROBIN,
        /** The same member for the same {@link WorkRequestList#targetHint}, while the members stay the same. */
        HASH_HINT
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects the values. Defaults: any number, round robin, a random token. */
    public static final class Builder {
        private int id;
        private Choice choice = Choice.ROUND_ROBIN;
        private TokenPolicy policy = TokenPolicy.PLAIN_TEXT;
        private Token token = Token.random();

        private Builder() {}

        public Builder id(int id) {
            this.id = id;
            return this;
        }

        public Builder choice(Choice choice) {
            this.choice = choice;
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

        public JettyGroupConfig build() {
            return new JettyGroupConfig(id, choice, policy, token);
        }
    }
}
