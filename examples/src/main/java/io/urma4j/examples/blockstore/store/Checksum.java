package io.urma4j.examples.blockstore.store;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C, by which clients, server and files agree on the bytes of a block. */
public final class Checksum {
    private Checksum() {}

    /** Of the remaining bytes; the position stays. */
    public static int of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }
}
