package io.urma4j.udma.udp;

import io.urma4j.libc.Mapping;
import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PathMtu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Outgoing packets, in slots of native memory, and their datagrams: one packet each, or a run of packets to one peer that
 * the kernel splits. All packets of a run have equal length, except the last, which may be shorter. The kernel numbers them
 * in their IPv4 identification from 0 on (WIRE §8.4), and the ICRC covers that number.
 *
 * <p>Slots are filled from the first on, and reused when all of them have left.
 */
final class Outbox {
    /** Maximum pending packets; fewer long ones. */
    static final int SLOTS = 256;

    private static final int LINE_BYTES = 64;
    private static final int MAX_PENDING_BYTES =
            SLOTS * Packet.MAX_ROCE_BYTES; // so that long packets stay in the cache
    private static final int MAX_SEGMENTS = Icrc.RUN_PACKETS; // of the kernel; since Linux 6.9 it takes 128
    private static final int MAX_DATAGRAM_BYTES = 0xFFFF - 20 - 8; // of an IPv4 packet with its headers

    private final Icrc icrc = new Icrc();
    private final MemorySegment[] places = new MemorySegment[SLOTS];
    private final Packet[] packets = new Packet[SLOTS];
    private final @Nullable UdpRoute[] routes = new UdpRoute[SLOTS];
    private final int[] ids = new int[SLOTS];
    private final int mtuBytes;
    private final int[] firstSlots = new int[SLOTS]; // by datagram
    private final int[] counts = new int[SLOTS];
    private final int[] segments = new int[SLOTS];
    private final int[] lengths = new int[SLOTS];
    private final int[] referring = new int[SLOTS]; // packets whose payload lies elsewhere
    private boolean runs;
    private boolean isRunOver;
    private int used;
    private int datagrams;
    private int sent;
    private int usedBytes;

    /**
     * Empty, for packets of that path MTU.
     *
     * @param gathers whether its packets may refer to payloads that lie elsewhere
     */
    Outbox(boolean runs, boolean gathers, int mtuBytes) {
        this.runs = runs;
        this.mtuBytes = mtuBytes;
        int slotBytes = (Packet.maxBytes(mtuBytes) + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
        MemorySegment memory = memory(mtuBytes, (long) SLOTS * slotBytes);
        for (int i = 0; i < SLOTS; i++) {
            places[i] = memory.asSlice((long) i * slotBytes, slotBytes);
            packets[i] = new Packet(NativeMemory.of(places[i]), gathers);
        }
    }

    /** Of long packets, a page that no packet has used takes no memory. */
    static MemorySegment memory(int mtuBytes, long bytes) {
        return mtuBytes > PathMtu.LARGEST_OF_ROCE
                ? Mapping.anonymous(bytes, Arena.ofAuto())
                : Arena.ofAuto().allocate(bytes, LINE_BYTES);
    }

    /** The path MTU of the port. */
    int mtuBytes() {
        return mtuBytes;
    }

    /** The memory of all slots, for the kernel. */
    MemorySegment[] places() {
        return places.clone();
    }

    boolean isFull() {
        return used == SLOTS || usedBytes >= MAX_PENDING_BYTES;
    }

    boolean isEmpty() {
        return sent == datagrams;
    }

    // ---- filling

    Packet begin(UdpRoute route) {
        routes[used] = route;
        return packets[used];
    }

    /**
     * Completes the last begun packet, and adds it to a datagram.
     *
     * @return whether a run has become full, so that waiting for more is useless
     */
    boolean end(int payloadBytes) {
        Packet packet = packets[used];
        int length = packet.payloadAt() + payloadBytes + (-payloadBytes & 3) + Icrc.BYTES;
        boolean joins = joins(length);
        int last = joins ? datagrams - 1 : begin(length);
        seal(used, payloadBytes, counts[last]);
        counts[last]++;
        lengths[last] += length;
        referring[last] += packet.refers() ? 1 : 0;
        usedBytes += length;
        used++;
        isRunOver = length < segments[last];
        return runs && !isRunOver && !hasRoomForOneMore(last);
    }

    private boolean joins(int length) {
        if (!runs || isRunOver || sent == datagrams) {
            return false;
        }
        int last = datagrams - 1;
        return route(firstSlots[last]).leadsWhere(route(used))
                && isOfConnection(firstSlots[last]) == isOfConnection(used)
                && length <= segments[last]
                && counts[last] < MAX_SEGMENTS
                && lengths[last] + length <= MAX_DATAGRAM_BYTES;
    }

    private boolean hasRoomForOneMore(int datagram) {
        return counts[datagram] < MAX_SEGMENTS && lengths[datagram] + segments[datagram] <= MAX_DATAGRAM_BYTES;
    }

    private int begin(int length) {
        firstSlots[datagrams] = used;
        counts[datagrams] = 0;
        segments[datagrams] = length;
        lengths[datagrams] = 0;
        referring[datagrams] = 0;
        return datagrams++;
    }

    private void seal(int slot, int payloadBytes, int id) {
        UdpRoute route = route(slot);
        if (route.isIpv4()) {
            route.headers().ipv4Id(id);
        }
        ids[slot] = id;
        packets[slot].end(payloadBytes, route.headers(), icrc);
    }

    // ---- sending

    /** The first datagram that has not left. */
    int next() {
        return sent;
    }

    /** How many have not left. */
    int waiting() {
        return datagrams - sent;
    }

    int firstSlot(int datagram) {
        return firstSlots[datagram];
    }

    /** Packets in it. */
    int count(int datagram) {
        return counts[datagram];
    }

    int lengthBytes(int datagram) {
        return lengths[datagram];
    }

    /** Length at which the kernel splits a datagram of several packets. */
    int segmentBytes(int datagram) {
        return segments[datagram];
    }

    Packet packet(int slot) {
        return packets[slot];
    }

    /** Whether its sender slows down for marks: no sender does for datagrams and control messages. */
    boolean isOfConnection(int slot) {
        int opcode = packets[slot].opcode();
        return !Opcodes.has(opcode, Header.DETH) || Opcodes.has(opcode, Header.RDETH);
    }

    /** How many packets of a datagram refer to payloads that lie elsewhere. */
    int referring(int datagram) {
        return referring[datagram];
    }

    /** The pending packets stay: their payloads are copied, for their memory may change, or may be unmapped, before they leave. */
    void copyPayloads() {
        for (int datagram = sent; datagram < datagrams; datagram++) {
            for (int slot = firstSlots[datagram]; slot < firstSlots[datagram] + counts[datagram]; slot++) {
                packets[slot].copyPayload();
            }
            referring[datagram] = 0;
        }
    }

    /** The identification that the ICRC of the packet covers. */
    int id(int slot) {
        return ids[slot];
    }

    UdpRoute route(int slot) {
        UdpRoute route = routes[slot];
        if (route == null) {
            throw new AssertionError("slot " + slot + " has no route");
        }
        return route;
    }

    /** The next datagram has left, or is dropped. */
    void leave() {
        sent++;
        if (sent == datagrams) {
            used = 0;
            datagrams = 0;
            sent = 0;
            usedBytes = 0;
            isRunOver = true;
        }
    }

    /** Enables or disables runs. */
    void runs(boolean wanted) {
        runs = wanted;
    }

    /** Splits the pending packets into a datagram each, and disables runs. */
    void split() {
        runs = false;
        int slot = firstSlots[sent];
        datagrams = sent;
        int end = used;
        for (used = slot; used < end; used++) {
            Packet packet = packets[used];
            int datagram = begin(packet.lengthBytes());
            counts[datagram] = 1;
            lengths[datagram] = packet.lengthBytes();
            referring[datagram] = packet.refers() ? 1 : 0;
            if (ids[used] != 0) {
                seal(used, packet.payloadBytes(), 0);
            }
        }
    }

    @Override
    public String toString() {
        return "outbox with " + waiting() + " datagrams";
    }
}
