package io.urma4j;

import java.security.SecureRandom;

/**
 * The 32-bit secret that opens a segment or a Jetty.
 *
 * <p>Its value is in no {@code toString}, log or exception (S1.3); {@link #value()} is the only way to it. Comparison
 * takes the same time wherever the values differ (S7.5).
 */
public final class Token {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final int value;

    private Token(int value) {
        this.value = value;
    }

    /** A token with a value from a secure random source. */
    public static Token random() {
        return new Token(RANDOM.nextInt());
    }

    /** A token with a value that was agreed on elsewhere. */
    public static Token of(int value) {
        return new Token(value);
    }

    /** The secret itself. */
    public int value() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        // one comparison of one word: no byte of it is looked at before another
        return other instanceof Token token && (token.value ^ value) == 0;
    }

    @Override
    public int hashCode() {
        return 0; // a hash of the secret would be the secret
    }

    @Override
    public String toString() {
        return "Token[hidden]";
    }
}
