package io.urma4j;

/**
 * What a JFC is to be like.
 *
 * @param depth how many records it holds, rounded up to a power of two
 * @param lockFree the caller promises that one thread at a time polls it and posts to its queues (S9.5)
 */
public record JfcConfig(int depth, boolean lockFree) {
    /** 1024 records, any number of threads. */
    public static final JfcConfig DEFAULT = new JfcConfig(1024, false);

    public JfcConfig withDepth(int depth) {
        return new JfcConfig(depth, lockFree);
    }

    public JfcConfig withLockFree() {
        return new JfcConfig(depth, true);
    }
}
