package io.urma4j;

import java.security.SecureRandom;

/**
 * The 32-bit secret that grants access to a segment or a Jetty.
 *
 * <p>Its value is in no {@code toString}, log or exception (S1.3); only {@link #value()} returns it. Comparison takes
 * constant time (S7.5).
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

    /** A token with a given value. */
    public static Token of(int value) {
        return new Token(value);
    }

    /** The secret itself. */
    public int value() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        // one comparison of one word: constant time
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
