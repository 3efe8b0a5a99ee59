package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PathMtu;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The packets that a responder keeps: those behind a missing one, if the requester retransmits only lost packets, and those
 * that wait until what is before them is placed. Allocates no memory before it keeps the first.
 *
 * <p>Each place has a buffer for a packet of RoCE. Longer packets share buffers, as many as a window has of them, so that all
 * buffers together are bounded. A long packet that was received by itself is not copied: its memory is exchanged for such a
 * buffer.
 */
final class OutOfOrder {
    /** Packets further ahead than this are not buffered. */
    static final int SLOTS = 1024;

    /** The size of a bitmap with a bit for each of them. */
    static final int TOLD_BYTES = SLOTS / Byte.SIZE;

    /** The buffered packets are reported after this many, though no new gap appeared: retransmissions may be lost, too. */
    private static final int TELL_EVERY = 32;

    private static final long NONE = -1;
    private static final int MASK = SLOTS - 1;

    private final int mtuBytes;
    private final @Nullable Packet[] longBuffers; // the first ones are free
    private @Nullable Packet[] packets = {}; // made with psns when a packet is first buffered
    private long[] psns = {};
    private int freeLongBuffers;
    private int usedLongBuffers;
    private int count;
    private long highest = NONE;
    private int sinceTold;

    /** @param mtuBytes packets with more payload are not buffered */
    OutOfOrder(int mtuBytes) {
        this.mtuBytes = mtuBytes;
        this.longBuffers =
                new Packet[mtuBytes > PathMtu.LARGEST_OF_ROCE ? SLOTS * PathMtu.LARGEST_OF_ROCE / mtuBytes : 0];
    }

    boolean isEmpty() {
        return count == 0;
    }

    /**
     * Buffers a packet, unless that PSN is buffered; true if the buffered packets must be reported: a new gap appeared, or a
     * missing packet has arrived. The first few are reported in any case, since they prove that the packet before them is
     * lost.
     */
    boolean keep(Packet packet, long psn, long expected) {
        if (psns.length == 0) {
            makePlaces();
        }
        int slot = (int) psn & MASK;
        if (psn - expected >= SLOTS || psns[slot] == psn || !hasRoomFor(packet)) {
            return false;
        }
        assert psn >= expected && psns[slot] == NONE : psns[slot] + " is in the place of " + psn;
        store(packet, slot);
        boolean isNews = count < ReorderWindow.OVERTAKING || psn != highest + 1 || ++sinceTold >= TELL_EVERY;
        highest = count == 0 ? psn : Math.max(highest, psn);
        psns[slot] = psn;
        count++;
        assert count <= SLOTS && highest - expected < SLOTS : "keeps " + count + " up to " + highest;
        return isNews;
    }

    /** Buffers the expected packet, since what is before it is not placed. False if there is no room: it counts as lost. */
    boolean hold(Packet packet, long psn) {
        keep(packet, psn, psn);
        return get(psn) != null;
    }

    private void makePlaces() {
        packets = new Packet[SLOTS];
        psns = new long[SLOTS];
        Arrays.fill(psns, NONE);
    }

    private boolean hasRoomFor(Packet packet) {
        return packet.payloadBytes() <= mtuBytes && (!isLong(packet) || usedLongBuffers < longBuffers.length);
    }

    private static boolean isLong(Packet packet) {
        return packet.lengthBytes() > Packet.MAX_ROCE_BYTES;
    }

    private void store(Packet packet, int slot) {
        if (isLong(packet)) {
            Packet spare = takeLongBuffer(packet);
            packets[slot] = packet.exchange(spare) ? packet : copy(packet, spare);
        } else {
            packets[slot] = copy(packet, packets[slot]);
        }
    }

    private static Packet copy(Packet packet, @Nullable Packet place) {
        Packet kept = place;
        if (kept == null || kept.bytes().lengthBytes() < packet.lengthBytes()) {
            kept = new Packet(NativeMemory.allocate(packet.lengthBytes()));
        }
        NativeMemory.copy(packet.bytes(), 0, kept.bytes(), 0, packet.lengthBytes());
        kept.lengthBytes(packet.lengthBytes());
        return kept;
    }

    private Packet takeLongBuffer(Packet packet) {
        usedLongBuffers++;
        Packet buffer = freeLongBuffers == 0 ? packet.makeSpare() : longBuffers[--freeLongBuffers];
        return buffer == null ? Packet.allocate(mtuBytes) : buffer;
    }

    private void free(int slot) {
        psns[slot] = NONE;
        count--;
        Packet packet = packets[slot];
        if (packet != null && isLong(packet)) {
            packets[slot] = null;
            longBuffers[freeLongBuffers++] = packet;
            usedLongBuffers--;
        }
    }

    /** Discards all. */
    void clear() {
        for (int slot = 0; slot < SLOTS && count > 0; slot++) {
            if (psns[slot] != NONE) {
                free(slot);
            }
        }
    }

    /** The packet with that PSN, if it is buffered. */
    @Nullable
    Packet get(long psn) {
        int slot = (int) psn & MASK;
        return count > 0 && psns[slot] == psn ? packets[slot] : null;
    }

    /** Discards the packet with that PSN. */
    void drop(long psn) {
        if (get(psn) != null) {
            free((int) psn & MASK);
        }
    }

    /** All packets in this range of PSNs, the end excluded, have been processed. */
    void remove(long from, long end) {
        for (int i = 0; i < SLOTS && from + i < end && count > 0; i++) {
            int slot = (int) (from + i) & MASK;
            if (psns[slot] != NONE && psns[slot] < end) {
                free(slot);
            }
        }
    }

    /**
     * Writes which packets are buffered: bit i, from the lowest of the first byte on, is the PSN that follows the expected
     * one by i + 1.
     *
     * @return its length in bytes
     */
    int tell(NativeMemory to, long at, long expected) {
        sinceTold = 0;
        int bytes = count == 0 ? 0 : (int) Math.max(0, highest - expected + Byte.SIZE - 1) / Byte.SIZE;
        for (int i = 0; i < bytes; i++) {
            int bits = 0;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                long psn = expected + 1 + (long) i * Byte.SIZE + bit;
                bits |= psns[(int) psn & MASK] == psn ? 1 << bit : 0;
            }
            to.setByte(at + i, bits);
        }
        return bytes;
    }
}
