package io.urma4j;

import io.urma4j.internal.descriptor.DescriptorCodec;

/**
 * The key of a window for one importer or peer of the segment; passed by any side channel (S7.10). It is useless to other
 * importers, and invalid once its home has revoked the window.
 *
 * @param importNumber of the import that it is for; negative if it is for every import of the segment by one peer
 * @param slot of the generation at its home
 * @param generation of the slot while the key is valid
 * @param offset of the window in the segment
 */
public record WindowKey(long importNumber, int slot, long generation, long offset, long lengthBytes, Access access) {
    /** Its text form: one line without blanks, checksummed. */
    public String toText() {
        return DescriptorCodec.toText(this);
    }

    /**
     * Parses the text form; surrounding blanks are ignored.
     *
     * @throws DescriptorException if any character differs from what {@link #toText} wrote
     */
    public static WindowKey parse(String text) {
        return DescriptorCodec.parseWindowKey(text);
    }
}
