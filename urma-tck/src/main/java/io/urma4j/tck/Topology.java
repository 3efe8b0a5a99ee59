package io.urma4j.tck;

/** Where home and initiator live. Each rule must hold in every topology. */
public enum Topology {
    /** Home and initiator are one context, which imports its own segments. */
    LOOPBACK,
    /** Two contexts of one opened library. */
    TWO_CONTEXTS,
    /** Two independent instances of the library, opened one after the other in one process. */
    TWO_INSTANCES,
    /** The home is a separate process. */
    TWO_PROCESSES
}
