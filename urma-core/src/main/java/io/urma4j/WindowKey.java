package io.urma4j;

import io.urma4j.internal.descriptor.DescriptorCodec;

/**
 * What opens a window of a segment to one of its importers; handed over by any side channel (S7.10). It opens nothing to
 * anybody else, and nothing any more once its home has taken the window back.
 *
 * @param importNumber of the import that it is for
 * @param slot where its home keeps the generation
 * @param generation that the slot has as long as the key is valid
 * @param offset of the window in the segment
 */
public record WindowKey(long importNumber, int slot, long generation, long offset, long lengthBytes, Access access) {
    /** Its text form: one line without blanks, checksummed. */
    public String toText() {
        return DescriptorCodec.toText(this);
    }

    /**
     * Reads the text form; blanks around it are ignored.
     *
     * @throws DescriptorException when any character is not as {@link #toText} wrote it
     */
    public static WindowKey parse(String text) {
        return DescriptorCodec.parseWindowKey(text);
    }
}
