package io.urma4j;

/** How a token travels and is checked (S7.4). Providers offer a subset, which the device's attributes list. */
public enum TokenPolicy {
    /** No token: whoever has the descriptor may import. */
    NONE,
    /** The token is compared in the clear. */
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
