package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Puts the packets of one connection together again, whose sender has cut them into {@linkplain FragmentEth fragments}. A
 * sender sends the fragments of a packet consecutively, so few packets are incomplete at a time. Where another one begins,
 * the oldest of them is given up, as if the network had lost it. The memory is bounded, whatever a peer sends, and a
 * connection without fragments takes none.
 */
public final class Reassembly {
    /** Packets that may be incomplete at a time. */
    static final int PLACES = 4;

    /** A packet that is still incomplete then is given up: no sender numbers 2²⁴ packets in that time, so that no number means two. */
    static final long MAX_AGE_NANOS = 1_000_000_000;

    private final int maxBytes;
    private final Place[] places = new Place[PLACES];
    private int made;

    /** A packet that is incomplete, or a place for one. */
    private static final class Place {
        final Packet packet;
        final long[] has = new long[(FragmentEth.MAX_PARTS + Long.SIZE - 1) / Long.SIZE];
        int id;
        int lengthBytes;
        int partBytes;
        int missing; // parts; 0 if no packet is incomplete here
        long begunNanos;
        boolean isMarked;

        Place(int maxBytes) {
            packet = new Packet(NativeMemory.allocate(maxBytes));
        }
    }

    /** For a connection with that path MTU. */
    public Reassembly(int mtuBytes) {
        this.maxBytes = Packet.maxBytes(mtuBytes);
    }

    /**
     * Takes a fragment that {@link PacketCheck} found sound.
     *
     * @param nowNanos that never goes backwards
     * @return the packet that it completes, valid until the next call. It has the place of an ICRC, and none in it, and its
     *     headers are unchecked. Null if others are missing, or if the packet would be longer than the path MTU allows.
     */
    public @Nullable Packet add(Packet fragment, long nowNanos) {
        NativeMemory bytes = fragment.bytes();
        int length = FragmentEth.lengthBytes(bytes, Bth.BYTES);
        int part = FragmentEth.partBytes(bytes, Bth.BYTES);
        if (length + Icrc.BYTES > maxBytes) {
            return null;
        }
        Place place = placeOf(Bth.psn(bytes), length, part, nowNanos);
        place.isMarked |= Bth.isForwardNotice(bytes);
        int offset = FragmentEth.offset(bytes, Bth.BYTES);
        int index = offset / part;
        long bit = 1L << index;
        if ((place.has[index / Long.SIZE] & bit) != 0) {
            return null; // the network has delivered it twice
        }
        place.has[index / Long.SIZE] |= bit;
        NativeMemory.copy(bytes, fragment.payloadAt(), place.packet.bytes(), offset, Math.min(part, length - offset));
        place.missing--;
        return place.missing == 0 ? complete(place) : null;
    }

    private static Packet complete(Place place) {
        place.packet.lengthBytes(place.lengthBytes + Icrc.BYTES);
        Bth.forwardNotice(place.packet.bytes(), place.isMarked);
        return place.packet;
    }

    private Place placeOf(int id, int lengthBytes, int partBytes, long nowNanos) {
        for (int i = 0; i < made; i++) {
            Place place = places[i];
            if (place.missing > 0
                    && nowNanos - place.begunNanos < MAX_AGE_NANOS
                    && place.id == id
                    && place.lengthBytes == lengthBytes
                    && place.partBytes == partBytes) {
                return place;
            }
        }
        Place place = free();
        place.begunNanos = nowNanos;
        place.id = id;
        place.lengthBytes = lengthBytes;
        place.partBytes = partBytes;
        place.missing = (lengthBytes + partBytes - 1) / partBytes;
        place.isMarked = false;
        Arrays.fill(place.has, 0);
        return place;
    }

    /** A place without a packet, or else the one whose packet began first. */
    private Place free() {
        Place oldest = null;
        for (int i = 0; i < made; i++) {
            Place place = places[i];
            if (place.missing == 0) {
                return place;
            }
            oldest = oldest == null || place.begunNanos - oldest.begunNanos < 0 ? place : oldest;
        }
        return oldest == null || made < PLACES ? makePlace() : oldest;
    }

    private Place makePlace() {
        Place place = new Place(maxBytes);
        places[made++] = place;
        return place;
    }

    @Override
    public String toString() {
        long incomplete = Arrays.stream(places, 0, made)
                .filter(place -> place.missing > 0)
                .count();
        return "reassembly of packets up to " + maxBytes + " bytes, " + incomplete + " incomplete";
    }
}
