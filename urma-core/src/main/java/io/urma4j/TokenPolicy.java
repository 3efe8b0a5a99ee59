package io.urma4j;

/** How a token is transmitted and checked (S7.4). Providers support a subset, listed by the device's attributes. */
public enum TokenPolicy {
    /** No token: every holder of the descriptor may import. */
    NONE,
    /** The token is compared in clear text. */
    PLAIN_TEXT,
    SIGNED,
    ALL_ENCRYPTED;

    private static final TokenPolicy[] BY_VALUE = values();

    /** URMA's number of this policy. */
    @SuppressWarnings("EnumOrdinal") // declared in the order of URMA's numbers
    public int value() {
        return ordinal();
    }

    /** The policy with the given number, or {@code IllegalArgumentException}. */
    public static TokenPolicy of(int value) {
        if (value < 0 || value >= BY_VALUE.length) {
            throw new IllegalArgumentException("no token policy has the number " + value);
        }
        return BY_VALUE[value];
    }
}
