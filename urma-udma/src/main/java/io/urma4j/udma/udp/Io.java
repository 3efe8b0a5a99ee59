package io.urma4j.udma.udp;

import io.urma4j.libc.Fd;
import io.urma4j.udma.wire.Packet;

/** A way of I/O: what a port needs of a socket. For one thread at a time, but for {@link #await} and {@link #wake}. */
sealed interface Io extends AutoCloseable permits SocketIo, ChannelIo {
    int localPort();

    /** What the kernel gave for the buffer of the receiving side. */
    int receiveBufferBytes();

    /**
     * Sends datagrams of the outbox, in order.
     *
     * @return how many left; {@code -errno} when the first did not
     */
    int send(Outbox outbox, int from, int count);

    /**
     * Receives what is there, as much as fits.
     *
     * @return how many datagrams; {@code -errno}
     */
    int receive();

    // ---- what was received last, by the number of the datagram

    int receivedBytes(int datagram);

    /** Length of each packet in it but the last, which may be shorter. */
    int segmentBytes(int datagram);

    boolean isTruncated(int datagram);

    void origin(int datagram, Origin origin);

    /** A part of it as a packet, which is good until the next {@link #receive}. */
    Packet view(int datagram, int at, int lengthBytes);

    // ---- waiting

    /**
     * Waits until {@link #wake}, or until the time is over.
     *
     * @param packets also until there is something to receive
     * @param room also until there is room to send
     */
    void await(long timeoutNanos, boolean packets, boolean room);

    /** Ends the wait that goes on, or else the next. Any thread. */
    void wake();

    /** Has {@link #await} run something once when a descriptor is readable. False when this way cannot. */
    default boolean watch(Fd fd, Runnable whenReadable) {
        return false;
    }

    /** Before the descriptor is closed. */
    default void unwatch(Fd fd) {
        // nobody could watch
    }

    @Override
    void close();
}
