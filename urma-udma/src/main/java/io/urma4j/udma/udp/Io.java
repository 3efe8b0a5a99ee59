package io.urma4j.udma.udp;

import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import java.net.InetAddress;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** An I/O backend: what a port needs of a socket. For one thread at a time, except {@link #await} and {@link #wake}. */
interface Io extends AutoCloseable {
    int localPort();

    /**
     * Sends the datagrams that wait in its outbox, in order.
     *
     * @return how many left; {@code -errno} if the first did not
     */
    int send();

    /** The input of datagrams. */
    Arrivals arrivals();

    /**
     * Opens separate sockets for unknown peers.
     *
     * @throws LibcException if this kernel does not support it
     * @throws UnsupportedOperationException if this backend does not
     */
    default void openUnknownPeerSockets(InetAddress address, RandomGenerator random) {
        throw new UnsupportedOperationException("DatagramChannel cannot");
    }

    /** The sockets for unknown peers; null if there are none. */
    default @Nullable UnknownPeerSockets unknownPeerSockets() {
        return null;
    }

    /** How many datagrams the kernel has dropped because the buffer was full; -1 if unknown. */
    default long drops() {
        return -1;
    }

    /** How many datagrams have left without a copy of their payload. */
    default long spliced() {
        return 0;
    }

    // ---- waiting

    /**
     * Waits until {@link #wake}, or until the timeout.
     *
     * @param packets also until there is something to receive
     * @param room also until there is space to send
     */
    void await(long timeoutNanos, boolean packets, boolean room);

    /** Ends the current wait, or else the next one. Any thread. */
    void wake();

    /**
     * Makes {@link #await} run a callback whenever a descriptor becomes readable. False if this backend does not support
     * it.
     */
    default boolean watch(Fd fd, Runnable whenReadable) {
        return false;
    }

    /** Before the descriptor is closed. */
    default void unwatch(Fd fd) {
        // no thread could watch it
    }

    @Override
    void close();
}
