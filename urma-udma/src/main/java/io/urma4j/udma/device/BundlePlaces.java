package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.Packet;

/**
 * The packets of bundles, each in its place in the bundle, so that none is copied. They are made when they are first needed,
 * and kept. Beyond a limit one packet elsewhere stands for all, and {@link Bundle} copies it: a hostile sender cannot cause
 * a packet for each position of each buffer.
 */
final class BundlePlaces {
    private static final int MAX_PLACES = 4096;

    private final Packet elsewhere = new Packet(NativeMemory.allocate(Packet.MAX_ROCE_BYTES));
    private int made;

    /** The packet that stands for all which have no place. */
    Packet elsewhere() {
        return elsewhere;
    }

    /** The packet at that position of a bundle. */
    Packet in(Packet bundle, int at) {
        Packet packet = bundle.within(at);
        if (packet == null && made < MAX_PLACES) {
            made++;
            packet = bundle.makeWithin(at);
        }
        return packet == null ? elsewhere : packet;
    }
}
