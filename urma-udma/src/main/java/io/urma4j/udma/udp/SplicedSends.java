package io.urma4j.udma.udp;

import io.urma4j.libc.Errno;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.PagePipe;
import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.wire.Packet;
import org.jspecify.annotations.Nullable;

/**
 * Sends packets with a long payload without any copy: the kernel refers to the pages of the payload, and the receiver's
 * system call copies from there. A copy by the sender would store into lines that the receiver's CPU has in its cache.
 *
 * <p>A store into the payload before the receiver has taken it makes the ICRC wrong: the packet counts as lost. Its
 * retransmission carries a copy ({@link Packet#mustCopy}).
 *
 * <p>At the first failure of the kernel the port splices no more, and gathers.
 */
final class SplicedSends implements AutoCloseable {
    /** A shorter payload is copied: its four system calls take longer than that. */
    static final int MIN_BYTES = 32 << 10;

    private static final int PAGE_BYTES = 4096;
    private static final int MAX_PAGES = 15; // of the 17 parts of a datagram (MAX_SKB_FRAGS); head and tail are two

    private final UdpSocket socket;
    private final Outbox outbox;
    private @Nullable PagePipe pipe;
    private long sent;

    /** @param isEnabled only then any datagram {@linkplain #isFor leaves} in this way */
    SplicedSends(UdpSocket socket, Outbox outbox, boolean isEnabled) {
        this.socket = socket;
        this.outbox = outbox;
        this.pipe = isEnabled && outbox.mtuBytes() >= MIN_BYTES ? pipe() : null;
    }

    private static @Nullable PagePipe pipe() {
        try {
            return PagePipe.create();
        } catch (LibcException | UnsupportedOperationException _) {
            return null; // the port has others
        }
    }

    /** Whether a datagram can leave in this way. */
    boolean isFor(int datagram) {
        if (pipe == null || outbox.referring(datagram) != 1 || outbox.count(datagram) != 1) {
            return false;
        }
        Packet packet = outbox.packet(outbox.firstSlot(datagram));
        return packet.payloadBytes() >= MIN_BYTES && packet.payload().scope().isAlive() && pages(packet) <= MAX_PAGES;
    }

    private static long pages(Packet packet) {
        long from = packet.payload().address() + packet.payloadOffset();
        return (from + packet.payloadBytes() - 1) / PAGE_BYTES - from / PAGE_BYTES + 1;
    }

    /** The bytes with which it begins. */
    int headBytes(int datagram) {
        return outbox.packet(outbox.firstSlot(datagram)).payloadAt();
    }

    /**
     * Sends a datagram.
     *
     * @param messages has its head and its address
     * @return 1; {@code -EAGAIN} if the socket is full; 0 if it must leave in another way
     */
    int send(UdpMessages messages, int datagram) {
        PagePipe through = pipe;
        if (through == null) {
            return 0;
        }
        int begun = socket.begin(messages, datagram);
        if (begun < 0) {
            return begun == -Errno.EAGAIN
                    ? begun
                    : 0; // a network that fails, or a kernel that refuses the segment size
        }
        Packet packet = outbox.packet(outbox.firstSlot(datagram));
        int bytes = packet.payloadBytes();
        int behind = packet.payloadAt() + bytes;
        if (through.move(packet.payload(), packet.payloadOffset(), bytes, socket)
                && socket.end(packet.bytes().segment(), behind, packet.lengthBytes() - behind)) {
            sent++;
            return 1;
        }
        socket.abandon(); // the peer drops what has left of it
        close();
        return 0;
    }

    /** How many datagrams have left. */
    long sent() {
        return sent;
    }

    @Override
    public void close() {
        PagePipe through = pipe;
        pipe = null;
        if (through != null) {
            through.close();
        }
    }

    @Override
    public String toString() {
        return pipe == null ? "no spliced sends" : "spliced sends by " + pipe;
    }
}
