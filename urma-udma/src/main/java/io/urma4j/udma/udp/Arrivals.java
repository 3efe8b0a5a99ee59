package io.urma4j.udma.udp;

import io.urma4j.udma.wire.Packet;

/** Where datagrams come in, and those that came last, by their numbers from 0 on. For one thread at a time. */
interface Arrivals {
    /**
     * Receives what is there, as much as fits.
     *
     * @return how many datagrams; {@code -errno}
     */
    int receive();

    /** How many datagrams come at a time at most. */
    int most();

    int receivedBytes(int datagram);

    /** Length of each packet in it but the last, which may be shorter. */
    int segmentBytes(int datagram);

    boolean isTruncated(int datagram);

    /** Of the IP header of each packet in it; 0 unless the port takes part in {@link Ecn}. */
    int trafficClass(int datagram);

    void origin(int datagram, Origin origin);

    /** A part of it as a packet, which is good until the next {@link #receive}. */
    Packet view(int datagram, int at, int lengthBytes);
}
