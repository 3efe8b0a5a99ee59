package io.urma4j.examples.blockstore;

import io.urma4j.examples.blockstore.store.Checksum;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The first 56 bytes of each message, big-endian. What follows depends on the kind.
 *
 * <pre>
 *    0  magic        u32  U4BS
 *    4  version      u8   1
 *    5  kind         u8   of a request, or the status of a reply
 *    6  credits      u16  of a reply: unfinished requests that the client may have; of a request: 0
 *    8  session      u64
 *   16  id           u64  of the request; its reply repeats it
 *   24  block        u64
 *   32  revision     u64  of the block's content
 *   40  lengthBytes  u32  of the block, or of the memory that it goes to
 *   44  payloadCrc   u32  CRC32C of the block's bytes
 *   48  zero         u32
 *   52  headCrc      u32  CRC32C of bytes 0…51
 * </pre>
 */
record Head(int kind, int credits, long session, long id, long block, long revision, int lengthBytes, int payloadCrc) {
    static final int BYTES = 56;

    private static final int MAGIC = 0x5534_4253;
    private static final int VERSION = 1;
    private static final int CRC_AT = 52;

    /** Writes it to the start of {@code to}. */
    void write(MemorySegment to) {
        ByteBuffer bytes = to.asSlice(0, BYTES).asByteBuffer();
        bytes.putInt(MAGIC).put((byte) VERSION).put((byte) kind).putShort((short) credits);
        bytes.putLong(session).putLong(id).putLong(block).putLong(revision);
        bytes.putInt(lengthBytes).putInt(payloadCrc).putInt(0);
        bytes.putInt(Checksum.of(bytes.slice(0, CRC_AT)));
    }

    /** Reads it from the start of {@code from}; refuses all but what {@link #write} wrote. */
    static Head read(MemorySegment from) {
        if (from.byteSize() < BYTES) {
            throw new BadMessageException("a message of " + from.byteSize() + " bytes, must have at least " + BYTES);
        }
        ByteBuffer bytes = from.asSlice(0, BYTES).asByteBuffer();
        if (bytes.getInt(0) != MAGIC || bytes.get(4) != VERSION) {
            throw new BadMessageException("a message of another protocol or version");
        }
        if (Checksum.of(bytes.slice(0, CRC_AT)) != bytes.getInt(CRC_AT) || bytes.getInt(48) != 0) {
            throw new BadMessageException("a message head that fails its checksum");
        }
        return new Head(
                bytes.get(5),
                Short.toUnsignedInt(bytes.getShort(6)),
                bytes.getLong(8),
                bytes.getLong(16),
                bytes.getLong(24),
                bytes.getLong(32),
                bytes.getInt(40),
                bytes.getInt(44));
    }
}
