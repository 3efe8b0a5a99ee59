package io.urma4j.udma.udp;

import static java.util.Objects.requireNonNull;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.DatagramPlace;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One buffer that the kernel fills with several packets, and views of these packets. The first packet has its view from the
 * beginning, so that a buffer which is rarely needed allocates nothing then. A view of another position is created when it is
 * first needed, and cached. Beyond a limit, packets at new positions are copied instead, so that a hostile sender cannot cause a
 * view for every position.
 *
 * <p>The buffer is in use for the datagrams of one number, or it is a spare, which a connection keeps with its packet.
 */
final class PacketViews implements DatagramPlace {
    private static final int MAX_VIEWS = 1024;
    private static final int MAX_VIEWS_OF_SPARE = 64; // a connection may have many spares
    private static final int GRAIN = 4; // the length of RoCE packets is a multiple of it
    private static final int SPARE = -1;

    private final @Nullable SocketArrivals arrivals; // null: a packet that is kept is copied
    private final MemorySegment buffer;
    private final int places;
    private final Packet first;
    private @Nullable Packet @Nullable [] views; // of the other positions; made when one is first needed
    private @Nullable Packet copy; // made when it is first needed
    private int made;
    private int datagram = SPARE;

    /** @param holdsRuns whether it is filled with many packets, or with one */
    PacketViews(SocketArrivals arrivals, MemorySegment buffer, boolean holdsRuns) {
        this(arrivals, buffer, holdsRuns ? (int) (buffer.byteSize() / GRAIN) : 1);
    }

    private PacketViews(@Nullable SocketArrivals arrivals, MemorySegment buffer, int places) {
        this.arrivals = arrivals;
        this.buffer = buffer;
        this.places = places;
        NativeMemory place = place(0);
        this.first = arrivals == null ? new Packet(place) : new Packet(place, this);
    }

    /** A buffer for one packet, which is never a spare. */
    static PacketViews ofPacket(MemorySegment buffer) {
        return new PacketViews(null, buffer, 1);
    }

    MemorySegment buffer() {
        return buffer;
    }

    /** The number of the datagram that it receives is this one from now on. */
    void use(int number) {
        datagram = number;
    }

    /** The packet of that length at that position; bytes beyond the maximum of a packet are left out, but counted. */
    Packet at(int at, int lengthBytes) {
        Packet packet = at % GRAIN == 0 ? view(at) : null;
        if (packet == null || packet.bytes().lengthBytes() < lengthBytes) {
            packet = copy();
            int kept = Math.min(lengthBytes, Packet.MAX_BYTES);
            MemorySegment.copy(buffer, at, packet.bytes().segment(), 0, kept);
            packet.lengthBytes(kept);
            return packet;
        }
        packet.lengthBytes(lengthBytes);
        return packet;
    }

    private Packet copy() {
        Packet made = copy;
        if (made == null) {
            made = new Packet(NativeMemory.allocate(Packet.MAX_BYTES));
            copy = made;
        }
        return made;
    }

    private @Nullable Packet view(int at) {
        if (at == 0) {
            return first;
        }
        int place = at / GRAIN;
        if (place >= places) {
            return null;
        }
        @Nullable Packet[] others = others();
        Packet view = others[place];
        if (view == null && made < MAX_VIEWS) {
            made++;
            view = new Packet(place(at));
            others[place] = view;
        }
        return view;
    }

    private @Nullable Packet[] others() {
        @Nullable Packet[] others = views;
        if (others == null) {
            others = new Packet[places];
            views = others;
        }
        return others;
    }

    private NativeMemory place(int at) {
        long bytes = Math.min(buffer.byteSize() - at, Packet.MAX_BYTES + GRAIN);
        return NativeMemory.of(buffer.asSlice(at, bytes));
    }

    // ---- a packet that is kept

    @Override
    public Packet makeSpare() {
        return requireNonNull(arrivals).makeSpare().at(0, 0);
    }

    @Override
    public boolean exchange(Packet packet, Packet spare) {
        if (arrivals == null
                || datagram == SPARE
                || packet.lengthBytes() != arrivals.receivedBytes(datagram)
                || !(spare.datagram() instanceof PacketViews other)
                || other.arrivals != arrivals
                || other.datagram != SPARE) {
            return false;
        }
        arrivals.use(other, datagram);
        datagram = SPARE;
        if (made > MAX_VIEWS_OF_SPARE) {
            views = null;
            made = 0;
        }
        return true;
    }

    @Override
    public String toString() {
        return "buffer with views of " + made + " places" + (datagram == SPARE ? ", spare" : "");
    }
}
