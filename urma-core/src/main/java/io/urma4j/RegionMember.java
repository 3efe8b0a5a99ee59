package io.urma4j;

/**
 * A segment of a region.
 *
 * @param offset in the region of its first byte; it never moves
 */
public record RegionMember(long offset, SharedSegment segment) {
    public long lengthBytes() {
        return segment.descriptor().lengthBytes();
    }

    /** What the region offers of it. */
    public Access access() {
        return segment.descriptor().access();
    }

    long end() {
        return offset + lengthBytes();
    }
}
