package io.urma4j.socket;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.net.SocketException;
import java.nio.channels.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Holds the channel of a socket, from its creation to its close. If the program loses the socket without a close, the
 * garbage collector closes the channel, as the JDK's. Safe for any thread.
 */
final class OwnedChannel<C extends Channel> {
    private static final Cleaner CLEANER = Cleaner.create();

    private volatile @Nullable C channel;
    private volatile Cleaner.@Nullable Cleanable lost;
    private volatile boolean isClosed;

    /** Refuses what a socket cannot create. */
    void checkCreation(boolean stream) throws IOException {
        if (!stream) {
            throw new IOException("Datagram socket creation not supported");
        }
        if (channel != null) {
            throw new IOException("Already created");
        }
    }

    /** Takes this channel, until {@code owner} is lost, to which the channel must not lead. */
    void use(C opened, Object owner) {
        channel = opened;
        lost = CLEANER.register(owner, () -> closeLost(opened));
    }

    private static void closeLost(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // a logger of the class would begin the process's logging with the first socket
            System.getLogger(OwnedChannel.class.getName())
                    .log(System.Logger.Level.DEBUG, () -> "the channel of a lost socket: " + e);
        }
    }

    /** The channel; null before it is created. */
    @Nullable
    C orNull() {
        return channel;
    }

    /** The channel, which is created and open. */
    C open() throws SocketException {
        C created = channel;
        if (isClosed()) {
            throw new SocketException("Socket closed");
        }
        if (created == null) {
            throw new SocketException("Socket not created");
        }
        return created;
    }

    /** Whether {@link #markClosed} was called; an interrupt or a failure closes the channel without it. */
    boolean isClosedByProgram() {
        return isClosed;
    }

    boolean isClosed() {
        C created = channel;
        return isClosed || created != null && !created.isOpen();
    }

    /** From now on calls that fail say that the socket is closed. */
    void markClosed() {
        isClosed = true;
    }

    void close() throws IOException {
        markClosed();
        closeChannel();
    }

    /** Closes the channel alone; another may follow. */
    void closeChannel() throws IOException {
        C created = channel;
        if (created != null) {
            created.close();
        }
        Cleaner.Cleanable cleanable = lost;
        if (cleanable != null) {
            cleanable.clean();
        }
    }
}
