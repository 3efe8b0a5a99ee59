package io.urma4j;

/**
 * A segment's descriptor together with its token: all that an importer needs, as one line for any side channel.
 *
 * <p>The line contains the secret, which only {@link #toLine()} shows; {@code toString} does not.
 */
public record SharedSegment(SegmentDescriptor descriptor, Token token) {
    /** One line without blanks, checksummed; holds the token. */
    public String toLine() {
        return DescriptorCodec.toLine(this);
    }

    /**
     * Parses what {@link #toLine} wrote; surrounding blanks are ignored.
     *
     * @throws DescriptorException if any character was changed
     */
    public static SharedSegment parse(String line) {
        return DescriptorCodec.parseSharedSegment(line);
    }
}
