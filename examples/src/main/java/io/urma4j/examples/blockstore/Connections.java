package io.urma4j.examples.blockstore;

import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client, and its next one when that is lost. A thread receives the replies and finds out that the server is gone.
 * Safe for any number of threads.
 */
final class Connections implements AutoCloseable {
    static final Duration REPLY_TIMEOUT = Duration.ofSeconds(5);

    private static final System.Logger LOG = System.getLogger(Connections.class.getName());
    private static final int MOST_MESSAGE_BYTES = 1024;
    private static final int BUFFERS = 32; // more than any server grants credits
    private static final Duration TURN = Duration.ofMillis(50);

    private final String address;
    private final MessageChannel channel;
    private final AtomicLong nextId = new AtomicLong();
    private final AtomicLong connected = new AtomicLong();
    private final ReentrantLock connecting = new ReentrantLock();
    private volatile @Nullable Connection current; // written under the lock
    private volatile boolean closed;
    private long lastWatchNanos = System.nanoTime(); // by the thread that polls

    /**
     * Without a connection.
     *
     * @param polled whether the caller takes the replies, by {@link #poll}
     */
    Connections(UrmaContext context, String serverName, boolean polled) {
        this.address = "name:" + serverName;
        this.channel = context.openMessageChannel(MessageChannel.Options.builder()
                .maxMessageBytes(MOST_MESSAGE_BYTES)
                .receiveBuffers(BUFFERS)
                .sendBuffers(BUFFERS)
                .sendTimeout(REPLY_TIMEOUT)
                .build());
        if (!polled) {
            Thread.ofPlatform().name("replies").daemon().start(this::receiveReplies);
        }
    }

    /** A number for the next request, on whatever connection. */
    long nextId() {
        return nextId.getAndIncrement();
    }

    /** Connections after the first one. */
    long reconnects() {
        return Math.max(0, connected.get() - 1);
    }

    /**
     * The connection, or a new one as soon as the server is there.
     *
     * @throws ConnectionLostException if it is not there at the deadline
     */
    Connection get(long deadlineNanos) {
        Connection known = current;
        return known != null && !known.isLost() ? known : connect(deadlineNanos);
    }

    /** The connection, if there is one now. */
    Optional<Connection> current() {
        return Optional.ofNullable(current).filter(known -> !known.isLost());
    }

    private Connection connect(long deadlineNanos) {
        connecting.lock();
        try {
            while (true) {
                Connection known = current;
                if (known != null && !known.isLost()) {
                    return known; // another thread was first
                }
                try {
                    return begin(known);
                } catch (UrmaException | ConnectionLostException e) {
                    if (closed || System.nanoTime() - deadlineNanos > 0) {
                        throw new ConnectionLostException("the server is not there", e);
                    }
                    pause();
                }
            }
        } finally {
            connecting.unlock();
        }
    }

    /** Other threads may take the connection meanwhile. They wait for its credits, which the server grants. */
    private Connection begin(@Nullable Connection old) {
        if (old != null) {
            old.close();
            current = null;
        }
        Connection fresh = new Connection(channel.connect(address));
        current = fresh;
        try {
            fresh.hello(nextId(), REPLY_TIMEOUT);
        } catch (ConnectionLostException e) {
            fresh.lose();
            throw e;
        }
        connected.incrementAndGet();
        return fresh;
    }

    /** Waits before the next attempt. */
    static void pause() {
        try {
            Thread.sleep(TURN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectionLostException("the thread was interrupted", e);
        }
    }

    // ---- replies

    private void receiveReplies() {
        while (!closed) {
            try {
                channel.receive(TURN).ifPresent(this::received);
            } catch (UrmaException e) {
                return; // the channel is closed
            }
            watch();
        }
    }

    /** Takes one reply, if there is one; by one thread at a time. */
    void poll() {
        channel.poll().ifPresent(this::received);
        long now = System.nanoTime();
        if (now - lastWatchNanos > TURN.toNanos()) {
            lastWatchNanos = now;
            watch();
        }
    }

    /** Ends the waits of a connection that is lost, or whose server does not answer. */
    private void watch() {
        Connection watched = current;
        if (watched != null && (watched.isLost() || watched.isSilent(REPLY_TIMEOUT))) {
            watched.lose();
        }
    }

    private void received(Message message) {
        Connection connection = current;
        try {
            Reply reply = Reply.read(message.payload());
            if (connection != null) {
                connection.received(message, reply);
            }
        } catch (BadMessageException e) {
            LOG.log(Level.WARNING, () -> "dropped " + e.getMessage() + " from " + message.sender());
        }
    }

    /** Ends the session and closes the channel. */
    @Override
    public void close() {
        closed = true;
        connecting.lock();
        try {
            Connection last = current;
            if (last != null && !last.isLost()) {
                last.bye();
            }
            if (last != null) {
                last.close();
            }
        } finally {
            connecting.unlock();
        }
        channel.close();
    }

    @Override
    public String toString() {
        return "connections to " + address;
    }
}
