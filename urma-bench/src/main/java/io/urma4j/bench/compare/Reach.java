package io.urma4j.bench.compare;

/** How far apart the two processes are. */
public enum Reach {
    /** They share memory. */
    MEMORY,
    /** They have the loopback interface between them. */
    NETWORK
}
