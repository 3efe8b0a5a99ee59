package io.urma4j.examples.blockstore;

/** A block could not be read or written, and another attempt is of no use. */
public final class BlockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isCorrupt;

    BlockException(boolean isCorrupt, String message) {
        super(message);
        this.isCorrupt = isCorrupt;
    }

    /** Whether bytes failed their checksum: on the disk, or between the two sides. */
    public boolean isCorrupt() {
        return isCorrupt;
    }
}
