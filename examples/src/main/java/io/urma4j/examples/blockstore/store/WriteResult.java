package io.urma4j.examples.blockstore.store;

/**
 * What became of a write.
 *
 * @param revision that the block has now
 */
public record WriteResult(Outcome outcome, long revision) {
    /** How a write ended. */
    public enum Outcome {
        /** The bytes are on the disk, by this write or by an earlier one of the same revision and checksum. */
        STORED,
        /** The block has a later revision, or other bytes of the same one; nothing was changed. */
        STALE,
        /** The files have their most bytes; nothing was changed. */
        FULL
    }
}
