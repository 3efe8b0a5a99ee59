package io.urma4j;

/**
 * What a Jetty group is to be like. Made with {@link #builder}.
 *
 * @param id wanted number, or 0 for any (S1.2)
 * @param choice which member takes a message
 * @param policy whether senders need a token to import it; that of each member
 * @param token the secret; that of each member
 */
public record JettyGroupConfig(int id, Choice choice, TokenPolicy policy, Token token) {
    /** Which member takes a message. */
    public enum Choice {
        /** One after the other; who is not ready is passed over. */
        ROUND_ROBIN,
        /** The same one for the same {@link WorkRequestList#targetHint}, while the members stay the same. */
        HASH_HINT
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects the values: any number, round robin, a random token. */
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
