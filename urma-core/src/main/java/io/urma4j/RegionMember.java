package io.urma4j;

/**
 * A segment of a region.
 *
 * @param offset of its first byte in the region; it never moves
 */
public record RegionMember(long offset, SharedSegment segment) {
    public long lengthBytes() {
        return segment.descriptor().lengthBytes();
    }

    /** The access that the region grants to it. */
    public Access access() {
        return segment.descriptor().access();
    }

    long end() {
        return offset + lengthBytes();
    }
}
