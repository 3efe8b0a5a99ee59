package io.urma4j.socket;

/** Why a connection is TCP. */
public enum FallbackReason {
    /** It is not, or its connect has not begun. */
    NONE,
    /** The process or this port uses TCP alone, by its settings. */
    SETTING,
    /** The address is of another host that is in none of the networks of the settings, or of no IP socket. */
    NOT_LOCAL,
    /** The process has no device for shared memory; a log line says why. */
    NO_DEVICE,
    /** No listener of urma4j has published the address, or its host does not answer. */
    NO_LISTENER,
    /** The two processes have not finished their greeting yet. A later connection will find it done. */
    NOT_READY,
    /** The two processes have different versions; a log line names both. */
    OTHER_VERSION,
    /**
     * The rings of this process or of the peer have no memory left, by their setting; or the peer's process refuses this one, as
     * it does beyond 1,024 peers, and a log line says why.
     */
    MEMORY,
    /** No local port could be bound before the connection, or too many connections to one process begin at once. */
    PORTS,
    /** The listener accepted nothing from this port in time, as behind a proxy or another network namespace. */
    NOT_TAKEN,
    /** Connections to this address were not taken a short time ago. */
    LEFT_ALONE,
    /** The connection was accepted, and its client offered no rings. */
    NO_OFFER
}
