package io.urma4j.examples.blockstore.load;

import io.urma4j.examples.blockstore.store.Checksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a client did, in a file that outlives its kill. A write is noted before it begins, and when it is acknowledged. So after a
 * kill, the next life of the client knows what a read may return. The file needs no force: it is to survive its process, not the
 * machine. Records of 32 bytes, big-endian; one that a kill has torn is cut off:
 *
 * <pre>
 *    0  kind         u32  1 attempt, 2 acknowledged or read
 *    4  lengthBytes  u32  of an attempt
 *    8  block        u64
 *   16  revision     u64
 *   24  crc          u32  CRC32C of bytes 0…23
 *   28  zero         u32
 * </pre>
 *
 * <p>Safe for any number of threads.
 */
final class Journal implements AutoCloseable {
    private static final int RECORD_BYTES = 32;
    private static final int CRC_AT = 24;
    private static final int ATTEMPT = 1;
    private static final int ACKNOWLEDGED = 2;

    private final FileChannel channel; // guarded by this
    private final long recovered;

    private Journal(FileChannel channel, long recovered) {
        this.channel = channel;
        this.recovered = recovered;
    }

    /** Where a journal is replayed to. */
    interface Reader {
        void attempted(long block, long revision, int lengthBytes);

        void acknowledged(long block, long revision);
    }

    /** Opens or creates a journal, and replays what is there. */
    static Journal open(Path file, Reader reader) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        long whole = replay(channel, reader);
        channel.truncate(whole * RECORD_BYTES);
        channel.position(whole * RECORD_BYTES);
        return new Journal(channel, whole);
    }

    private static long replay(FileChannel channel, Reader reader) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size()));
        int count = 0;
        while (count >= 0 && bytes.hasRemaining()) {
            count = channel.read(bytes);
        }
        bytes.flip();
        long whole = 0;
        while (bytes.remaining() >= RECORD_BYTES) {
            ByteBuffer entry = bytes.slice(bytes.position(), RECORD_BYTES);
            if (Checksum.of(entry.slice(0, CRC_AT)) != entry.getInt(CRC_AT)) {
                break;
            }
            if (entry.getInt(0) == ATTEMPT) {
                reader.attempted(entry.getLong(8), entry.getLong(16), entry.getInt(4));
            } else {
                reader.acknowledged(entry.getLong(8), entry.getLong(16));
            }
            bytes.position(bytes.position() + RECORD_BYTES);
            whole++;
        }
        return whole;
    }

    /** Records that were there when it was opened. */
    long recovered() {
        return recovered;
    }

    void attempted(long block, long revision, int lengthBytes) throws IOException {
        append(ATTEMPT, block, revision, lengthBytes);
    }

    void acknowledged(long block, long revision) throws IOException {
        append(ACKNOWLEDGED, block, revision, 0);
    }

    private synchronized void append(int kind, long block, long revision, int lengthBytes) throws IOException {
        ByteBuffer entry = ByteBuffer.allocate(RECORD_BYTES)
                .putInt(kind)
                .putInt(lengthBytes)
                .putLong(block)
                .putLong(revision);
        entry.putInt(Checksum.of(entry.duplicate().flip())).putInt(0).flip();
        while (entry.hasRemaining()) {
            channel.write(entry);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        channel.close();
    }
}
