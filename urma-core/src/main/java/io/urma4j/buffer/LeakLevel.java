package io.urma4j.buffer;

/** Which handles a {@link LeakDetector} tracks, and what it records of each. */
public enum LeakLevel {
    /** None. */
    OFF,
    /** One of 128, without its stack. */
    SAMPLED,
    /** One of 128, with the stack that acquired it. */
    STACK,
    /** All, with their stacks; for tests. */
    ALL
}
