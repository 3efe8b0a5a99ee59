package io.urma4j.udma.transport;

/** What a step may hold back for the next one, when the thread that drives the card returns at once: fewer packets cost less. */
public enum FlushHint {
    /** Send everything: the time of the next step is unknown. */
    FLUSH,

    /** A short run of requests may wait a little to be coalesced, while other requests are in flight. */
    HOLD_SHORT_REQUESTS,

    /** A pure acknowledgement may wait as well, to be piggybacked on a request. */
    HOLD_REQUESTS_AND_ACKS
}
