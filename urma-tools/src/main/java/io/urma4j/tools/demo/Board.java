package io.urma4j.tools.demo;

/**
 * The second segment of the home, for what is not the content.
 * <pre>
 *    0  counter  u64  both initiators add to it
 * 4096  scratch       what the figures are measured on; a page away from the counter
 * </pre>
 */
final class Board {
    static final long COUNTER = 0;
    static final long SCRATCH = 4096;
    static final long SCRATCH_BYTES = 4 << 20;
    static final long BYTES = SCRATCH + SCRATCH_BYTES;

    private Board() {}
}
