package io.urma4j.tools;

import org.jspecify.annotations.Nullable;

/** Ranges of remote memory that a user requests. */
final class Ranges {
    private Ranges() {}

    /**
     * The length of the range that begins at {@code offset}.
     *
     * @param asked null for all up to the end
     * @throws CommandFailure if the range exceeds the segment, naming it
     */
    static long length(long offset, @Nullable Long asked, long segmentBytes) {
        if (offset > segmentBytes) {
            throw new CommandFailure("offset " + offset + " lies outside the segment of " + segmentBytes + " bytes");
        }
        long rest = segmentBytes - offset;
        if (asked == null) {
            return rest;
        }
        if (asked > rest) { // not offset + asked, which may overflow
            throw new CommandFailure("offset " + offset + " + length " + asked + " lies outside the segment of "
                    + segmentBytes + " bytes");
        }
        return asked;
    }
}
