package io.urma4j;

/** The transport mode of queues (S5.1). */
public enum TransportMode {
    /** Reliable message: one queue, many targets; each work request names its target. */
    RM(1),
    /** Reliable connection: a Jetty bound to exactly one other. */
    RC(2),
    /** Unreliable message: datagrams of at most one MTU; SEND and SEND_IMM only. */
    UM(4);

    private final int value;

    TransportMode(int value) {
        this.value = value;
    }

    /** URMA's bit for this mode. */
    public int value() {
        return value;
    }

    /** The mode with the given bit, or {@code IllegalArgumentException}. */
    public static TransportMode of(int value) {
        for (TransportMode mode : values()) {
            if (mode.value == value) {
                return mode;
            }
        }
        throw new IllegalArgumentException("no transport mode has the number " + value);
    }
}
