package io.urma4j.udma.udp;

import io.urma4j.udma.wire.Packet;

/** The input of datagrams, and the last received ones, by their numbers from 0 on. For one thread at a time. */
interface Arrivals {
    /**
     * Receives the available datagrams, as many as fit.
     *
     * @return how many datagrams; {@code -errno}
     */
    int receive();

    /** Maximum datagrams of one call. */
    int most();

    int receivedBytes(int datagram);

    /** Length of each packet in it but the last, which may be shorter. */
    int segmentBytes(int datagram);

    boolean isTruncated(int datagram);

    /** Of the IP header of each packet in it; 0 unless the port uses {@link Ecn}. */
    int trafficClass(int datagram);

    void origin(int datagram, Origin origin);

    /** A part of it as a packet, which is valid until the next {@link #receive}. */
    Packet view(int datagram, int at, int lengthBytes);
}
