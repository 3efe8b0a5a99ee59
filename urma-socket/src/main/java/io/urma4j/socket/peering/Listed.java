package io.urma4j.socket.peering;

import io.urma4j.PeerId;

/** A listener of another process that has been found, and how to greet that process. */
interface Listed extends AutoCloseable {
    /** The process. */
    PeerId home();

    /** The line of its message channel. */
    String channelLine();

    /** The number of the listener in its process; also after {@link #close}. */
    long number();

    /** Whether the listener can still be reached, as far as this process knows. */
    boolean isOpen();

    @Override
    void close();
}
