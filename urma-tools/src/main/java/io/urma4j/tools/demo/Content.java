package io.urma4j.tools.demo;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.InputFile;
import io.urma4j.tools.Line;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.LongConsumer;

/** The bytes that the demo transfers: the same in every process, from a file or from a formula. */
sealed interface Content extends AutoCloseable {
    /** The length of a chunk; a multiple of 8. */
    int CHUNK_BYTES = 1 << 20;

    long sizeBytes();

    /** Puts the bytes from {@code offset}, a multiple of 8, into the whole of {@code chunk}. */
    void fill(long offset, MemorySegment chunk) throws IOException;

    /** Describes the content to another process; {@link #of} parses it. */
    Line describe(Line line);

    @Override
    void close() throws IOException;

    /** Opens what {@link #describe} described. */
    static Content of(Line line) throws IOException {
        return line.values().containsKey("file")
                ? OfFile.open(new InputFile(Path.of(line.text("file")), line.number("size")))
                : new Generated(line.number("size"));
    }

    /** SHA-256 of all of it, in hex. */
    default String sha256(LongConsumer progress) throws IOException {
        MessageDigest digest = newSha256();
        byte[] chunk = new byte[CHUNK_BYTES];
        // a heap segment of longs could not be read into; one of bytes can, whatever its alignment
        MemorySegment memory = MemorySegment.ofArray(chunk);
        for (long at = 0; at < sizeBytes(); at += CHUNK_BYTES) {
            int length = (int) Math.min(CHUNK_BYTES, sizeBytes() - at);
            fill(at, memory.asSlice(0, length));
            digest.update(chunk, 0, length);
            progress.accept(at + length);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** A file's bytes. */
    record OfFile(InputFile file, FileChannel channel) implements Content {
        static OfFile open(InputFile file) throws IOException {
            return new OfFile(file, file.open());
        }

        @Override
        public long sizeBytes() {
            return file.sizeBytes();
        }

        @Override
        public void fill(long offset, MemorySegment chunk) throws IOException {
            ByteBuffer bytes = chunk.asByteBuffer();
            while (bytes.hasRemaining()) {
                if (channel.read(bytes, offset + bytes.position()) < 0) {
                    throw new CommandFailure("file '" + file.path() + "' became shorter while it was read");
                }
            }
        }

        @Override
        public Line describe(Line line) {
            return line.with("file", file.path()).with("size", sizeBytes());
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** Bytes without a pattern that a misplaced copy could hide in: each 8 are a mix of their own position. */
    record Generated(long sizeBytes) implements Content {
        private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

        @Override
        public void fill(long offset, MemorySegment chunk) {
            long words = chunk.byteSize() >>> 3;
            long first = offset >>> 3;
            for (long i = 0; i < words; i++) {
                chunk.set(WORD, i << 3, mix(first + i));
            }
            long last = mix(first + words);
            for (long at = words << 3; at < chunk.byteSize(); at++, last >>>= 8) {
                chunk.set(ValueLayout.JAVA_BYTE, at, (byte) last);
            }
        }

        /** Each bit of {@code position} changes about half the bits of the result. */
        private static long mix(long position) {
            long bits = (position + 1) * 0x9E3779B97F4A7C15L;
            bits = (bits ^ (bits >>> 32)) * 0xD6E8FEB86659FD93L;
            bits = (bits ^ (bits >>> 32)) * 0xD6E8FEB86659FD93L;
            return bits ^ (bits >>> 32);
        }

        @Override
        public Line describe(Line line) {
            return line.with("size", sizeBytes);
        }

        @Override
        public void close() {}
    }
}
