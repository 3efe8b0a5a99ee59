package io.urma4j.udma.udp;

import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import java.net.InetAddress;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

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

    /** Where datagrams come in. */
    Arrivals arrivals();

    /**
     * Gives those whom nobody knows sockets of their own.
     *
     * @throws LibcException when this kernel cannot
     * @throws UnsupportedOperationException when this way cannot
     */
    default void openSideDoors(InetAddress address, RandomGenerator random) {
        throw new UnsupportedOperationException("DatagramChannel cannot");
    }

    /** The sockets for those whom nobody knows; null when they have none. */
    default @Nullable UnknownPeerSockets unknownPeerSockets() {
        return null;
    }

    /** How many datagrams the kernel has dropped before we could receive them, for want of room; -1 when it does not say. */
    default long drops() {
        return -1;
    }

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

    /** Has {@link #await} run something whenever a descriptor becomes readable. False when this way cannot. */
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
