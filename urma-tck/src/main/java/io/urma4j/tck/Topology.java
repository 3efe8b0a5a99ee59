package io.urma4j.tck;

/** Where home and initiator live. What a rule says must hold in each. */
public enum Topology {
    /** Home and initiator are one context, which imports its own segments. */
    LOOPBACK,
    /** Two contexts of one opened library. */
    TWO_CONTEXTS,
    /** Two libraries, opened one after the other in one process, that know nothing of each other. */
    TWO_INSTANCES,
    /** The home is a process of its own. */
    TWO_PROCESSES
}
