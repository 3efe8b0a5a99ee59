package io.urma4j.buffer;

/** What a {@link RegisteredBufferPool} does with the bytes of a lease that ends. */
public enum Scrub {
    /** The next owner of the memory may see them. */
    NONE,
    /** Overwrites them with zeros, on the thread that ends the last use. */
    ON_RELEASE
}
