package io.urma4j.udma.capture;

import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Packet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes packets to a capture file that Wireshark opens: the classic format, of Ethernet, with nanoseconds. Seen from the
 * inside, packets have no frame; so their addresses of Ethernet are made up of the ends of their IP addresses, and what a
 * router may change of the IP header is as a sender has it.
 *
 * <p>Several ports may share one: any thread. A file that has reached its limit, or cannot be written, takes no more
 * packets, and says so; no other component is affected.
 */
public final class PcapWriter implements AutoCloseable {
    /** No limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    private static final FileAttribute<?> OWNER_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final int ETHERNET_BYTES = 14;
    private static final int LONGEST_FRAME_BYTES = 1 << 18; // as tcpdump says: a damaged datagram may have 64 KiB
    private static final int UDP_BYTES = 8;
    private static final short LOCALLY_MADE = 0x0200; // prefix of a locally administered Ethernet address

    private final Path file;
    private final FileChannel channel;
    private final InstantSource clock;
    private final long limitBytes;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 18).order(ByteOrder.BIG_ENDIAN);
    private long writtenBytes;
    private long packets;
    private long leftOut;
    private @Nullable IOException trouble;

    private PcapWriter(Path file, FileChannel channel, InstantSource clock, long limitBytes) {
        this.file = file;
        this.channel = channel;
        this.clock = clock;
        this.limitBytes = limitBytes;
    }

    /**
     * Begins a file; one that is there is overwritten, unless another process is writing it: then the number of this process is
     * put into the name, before its ending.
     *
     * @param limitBytes the file does not get longer; {@link #UNLIMITED}
     */
    public static PcapWriter create(Path file, long limitBytes, InstantSource clock) throws IOException {
        PcapWriter writer = tryCreate(file, limitBytes, clock);
        String number = "." + ProcessHandle.current().pid();
        for (int i = 2; writer == null; i++) {
            writer = tryCreate(withNumber(file, number), limitBytes, clock);
            number = "." + ProcessHandle.current().pid() + "-" + i;
        }
        return writer;
    }

    private static @Nullable PcapWriter tryCreate(Path file, long limitBytes, InstantSource clock) throws IOException {
        FileChannel channel = openForItsOwner(file);
        try {
            if (!lock(channel)) {
                channel.close();
                return null;
            }
            channel.truncate(0);
            PcapWriter writer = new PcapWriter(file, channel, clock, limitBytes);
            writer.begin();
            return writer;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** One that is made here is for its owner alone: the greetings in it tell the secrets of connections. */
    private static FileChannel openForItsOwner(Path file) throws IOException {
        Set<OpenOption> options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean isPosix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        return isPosix ? FileChannel.open(file, options, OWNER_ALONE) : FileChannel.open(file, options);
    }

    private static boolean lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // another writer in this process has it
        }
    }

    private static Path withNumber(Path file, String number) {
        String name = String.valueOf(file.getFileName());
        int dot = name.lastIndexOf('.');
        return file.resolveSibling(dot > 0 ? name.substring(0, dot) + number + name.substring(dot) : name + number);
    }

    private synchronized void begin() throws IOException {
        buffer.putInt(PcapReader.MAGIC_NANOS)
                .putShort((short) 2)
                .putShort((short) 4)
                .putInt(0)
                .putInt(0)
                .putInt(LONGEST_FRAME_BYTES)
                .putInt(PcapReader.ETHERNET);
        writtenBytes = PcapReader.FILE_HEADER_BYTES;
        drain();
    }

    /** A packet with its ICRC, under headers that the ICRC is right for. */
    public synchronized void packet(Packet packet, IpHeaders headers) {
        int ipBytes = headers.isIpv4() ? Ethernet.IPV4_BYTES : Ethernet.IPV6_BYTES;
        int frameBytes = ETHERNET_BYTES + ipBytes + UDP_BYTES + packet.lengthBytes();
        long after = writtenBytes + PcapReader.FRAME_HEADER_BYTES + frameBytes;
        if (after > limitBytes || trouble != null) {
            leftOut++;
            return;
        }
        if (buffer.remaining() < PcapReader.FRAME_HEADER_BYTES + frameBytes) {
            flush();
        }
        Instant now = clock.instant();
        buffer.putInt((int) now.getEpochSecond())
                .putInt(now.getNano())
                .putInt(frameBytes)
                .putInt(frameBytes);
        ethernet(headers, packet.lengthBytes());
        packet.copyTo(buffer);
        writtenBytes = after;
        packets++;
    }

    /** Destination, source, type; then the headers, from whose addresses the first two are made. */
    private void ethernet(IpHeaders headers, int packetBytes) {
        int at = buffer.position();
        buffer.position(at + ETHERNET_BYTES);
        headers.unmask(buffer, packetBytes);
        boolean ipv4 = headers.isIpv4();
        int sourceEnd = at + ETHERNET_BYTES + (ipv4 ? 12 : 20);
        int destinationEnd = at + ETHERNET_BYTES + (ipv4 ? 16 : 36);
        buffer.putShort(at, LOCALLY_MADE).putInt(at + 2, buffer.getInt(destinationEnd));
        buffer.putShort(at + 6, LOCALLY_MADE).putInt(at + 8, buffer.getInt(sourceEnd));
        buffer.putShort(at + 12, (short) (ipv4 ? Ethernet.IPV4 : Ethernet.IPV6));
    }

    /** Has everything in the file that was handed over. */
    public synchronized void flush() {
        try {
            drain();
        } catch (IOException e) {
            trouble = e;
            buffer.clear();
        }
    }

    private void drain() throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }

    /** The file, which may have this process's number in its name. */
    public Path file() {
        return file;
    }

    /** Packets in the file. */
    public synchronized long packets() {
        return packets;
    }

    /** Packets that are not, since the file is as long as it may be, or cannot be written. */
    public synchronized long leftOut() {
        return leftOut;
    }

    @Override
    public synchronized void close() throws IOException {
        if (!channel.isOpen()) {
            return;
        }
        try (channel) {
            flush();
        }
        if (trouble != null) {
            throw trouble;
        }
    }

    @Override
    public synchronized String toString() {
        return "capture " + file + ", " + packets + " packets written"
                + (leftOut > 0 ? ", " + leftOut + " left out" : "")
                + (trouble == null ? "" : ", failed: " + trouble.getMessage());
    }
}
