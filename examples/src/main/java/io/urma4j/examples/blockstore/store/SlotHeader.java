package io.urma4j.examples.blockstore.store;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What stands before the bytes of a block in its slot: 64 bytes, big-endian. Its checksum covers the header, and the header has
 * the checksum of the bytes. So a write that a kill has torn, at whatever byte, is found by one of the two.
 *
 * <pre>
 *    0  magic        u32  U4BK
 *    4  lengthBytes  u32  of the block
 *    8  block        u64
 *   16  revision     u64
 *   24  payloadCrc   u32  CRC32C of the block's bytes
 *   28  headerCrc    u32  CRC32C of bytes 0…27
 *   32  zeros
 * </pre>
 */
record SlotHeader(long block, long revision, int lengthBytes, int payloadCrc) {
    static final int BYTES = 64;

    private static final int MAGIC = 0x5534_424B;
    private static final int CRC_AT = 28;

    /** Its form, ready to be written. */
    ByteBuffer toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .putInt(lengthBytes)
                .putLong(block)
                .putLong(revision)
                .putInt(payloadCrc);
        bytes.putInt(Checksum.of(bytes.duplicate().flip()));
        return bytes.clear();
    }

    /** Reads a header; empty for bytes that no {@link #toBytes} wrote as a whole. */
    static Optional<SlotHeader> read(ByteBuffer bytes) {
        if (bytes.remaining() != BYTES || bytes.getInt(0) != MAGIC) {
            return Optional.empty();
        }
        if (Checksum.of(bytes.slice(0, CRC_AT)) != bytes.getInt(CRC_AT)) {
            return Optional.empty();
        }
        return Optional.of(new SlotHeader(bytes.getLong(8), bytes.getLong(16), bytes.getInt(4), bytes.getInt(24)));
    }
}
