package io.urma4j.udma.command;

/** Why the card refused a request of the peer of an RC queue. */
public enum Refusal {
    /** It was longer than its receive buffer, or in packets of another path MTU. */
    INVALID_REQUEST,
    /** It named memory that the peer must not use. */
    REMOTE_ACCESS,
    /** It could not be executed. */
    OPERATION
}
