package io.urma4j.examples.blockstore.store;

/**
 * Where a block is. Equal ones have the same bytes: a slot gets another content only under another block or a later revision.
 *
 * @param revision of its content, as its writer counts
 * @param payloadCrc CRC32C of the bytes that its writer sent
 */
public record Stored(long revision, int lengthBytes, int payloadCrc, Place place) {
    /** A slot of a file. */
    record Place(SlotFile file, int slot) {
        void free() {
            file.free(slot);
        }
    }
}
