package io.urma4j.udma.capture;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads a capture file: the classic format, of either byte order, with micro- or nanoseconds, of Ethernet. For one thread
 * at a time.
 *
 * <pre>
 *  file    0 magic u32, 4 version 2 × u16, 8 zone, 12 accuracy, 16 longest frame, 20 link type
 *  frame   0 seconds u32, 4 fraction u32, 8 captured bytes u32, 12 bytes on the wire u32, 16 the bytes
 * </pre>
 */
public final class PcapReader implements Closeable {
    private static final int MAGIC_MICROS = 0xA1B2_C3D4;
    static final int MAGIC_NANOS = 0xA1B2_3C4D;
    private static final int MAGIC_PCAPNG = 0x0A0D_0D0A;
    static final int FILE_HEADER_BYTES = 24;
    private static final int LINK_TYPE = 20;
    static final int FRAME_HEADER_BYTES = 16;
    static final int ETHERNET = 1;

    /** No capture has longer ones; a longer length is damage, and memory is not given for it. */
    private static final int MAX_FRAME_BYTES = 1 << 18;

    private final Path file;
    private final InputStream in;
    private final ByteOrder order;
    private final long nanosPerFraction;
    private long frames;

    private PcapReader(Path file, InputStream in, ByteOrder order, long nanosPerFraction) {
        this.file = file;
        this.in = in;
        this.order = order;
        this.nanosPerFraction = nanosPerFraction;
    }

    /**
     * Opens a file.
     *
     * @throws IOException when it cannot be read, or is no such file; the message says what it is instead
     */
    public static PcapReader open(Path file) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        try {
            byte[] bytes = in.readNBytes(FILE_HEADER_BYTES);
            if (bytes.length < FILE_HEADER_BYTES) {
                throw new IOException(file + " ends within the header of a capture file, after " + bytes.length + " of "
                        + FILE_HEADER_BYTES + " bytes");
            }
            ByteBuffer header = ByteBuffer.wrap(bytes);
            ByteOrder order = byteOrder(file, header.getInt(0));
            header.order(order);
            if (header.getInt(LINK_TYPE) != ETHERNET) {
                throw new IOException(file + " has the link type " + header.getInt(LINK_TYPE) + ", not Ethernet");
            }
            return new PcapReader(file, in, order, header.getInt(0) == MAGIC_NANOS ? 1 : 1_000);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    private static ByteOrder byteOrder(Path file, int magic) throws IOException {
        if (magic == MAGIC_MICROS || magic == MAGIC_NANOS) {
            return ByteOrder.BIG_ENDIAN;
        }
        int reversed = Integer.reverseBytes(magic);
        if (reversed == MAGIC_MICROS || reversed == MAGIC_NANOS) {
            return ByteOrder.LITTLE_ENDIAN;
        }
        throw new IOException(
                magic == MAGIC_PCAPNG
                        ? file + " is a pcapng file; 'editcap -F pcap' makes a pcap file of it"
                        : file + " is no pcap file: it begins with " + String.format("0x%08x", magic));
    }

    /**
     * The next frame; null at the end.
     *
     * @throws IOException when the file ends within a frame, or says what cannot be
     */
    public @Nullable Frame next() throws IOException {
        byte[] head = in.readNBytes(FRAME_HEADER_BYTES);
        if (head.length == 0) {
            return null;
        }
        frames++;
        requireAll(head, FRAME_HEADER_BYTES);
        ByteBuffer header = ByteBuffer.wrap(head).order(order);
        long seconds = Integer.toUnsignedLong(header.getInt());
        long fraction = Integer.toUnsignedLong(header.getInt());
        int captured = header.getInt();
        long onWire = Integer.toUnsignedLong(header.getInt());
        if (captured < 0 || captured > MAX_FRAME_BYTES) {
            throw new IOException(file + ": frame " + frames + " says that it has " + Integer.toUnsignedLong(captured)
                    + " bytes, more than " + MAX_FRAME_BYTES);
        }
        byte[] bytes = in.readNBytes(captured);
        requireAll(bytes, captured);
        return new Frame(
                frames, seconds * 1_000_000_000L + fraction * nanosPerFraction, ByteBuffer.wrap(bytes), onWire);
    }

    private void requireAll(byte[] bytes, int expected) throws IOException {
        if (bytes.length < expected) {
            throw new EOFException(file + " ends within frame " + frames);
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    @Override
    public String toString() {
        return "capture " + file + ", " + frames + " frames read";
    }
}
