package io.urma4j.udma.udp;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One buffer that the kernel fills with several packets, and views of these packets. A view of a position is created when
 * it is first needed, and cached. Beyond a limit, packets at new positions are copied instead, so that a hostile sender
 * cannot cause a view for every position.
 */
final class PacketViews {
    private static final int MAX_VIEWS = 1024;
    private static final int GRAIN = 4; // the length of RoCE packets is a multiple of it

    private final MemorySegment buffer;
    private final @Nullable Packet[] views;
    private @Nullable Packet copy; // made when it is first needed
    private int made;

    private PacketViews(MemorySegment buffer, int places) {
        this.buffer = buffer;
        this.views = new Packet[places];
    }

    /** Of a buffer for many packets. */
    static PacketViews ofRun(MemorySegment buffer) {
        return new PacketViews(buffer, (int) (buffer.byteSize() / GRAIN));
    }

    /** Of a buffer for one. */
    static PacketViews ofPacket(MemorySegment buffer) {
        return new PacketViews(buffer, 1);
    }

    MemorySegment buffer() {
        return buffer;
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
        int place = at / GRAIN;
        if (place >= views.length) {
            return null;
        }
        Packet view = views[place];
        if (view == null && made < MAX_VIEWS) {
            made++;
            view = new Packet(
                    NativeMemory.of(buffer.asSlice(at, Math.min(buffer.byteSize() - at, Packet.MAX_BYTES + GRAIN))));
            views[place] = view;
        }
        return view;
    }

    @Override
    public String toString() {
        return "buffer with views of " + made + " places";
    }
}
