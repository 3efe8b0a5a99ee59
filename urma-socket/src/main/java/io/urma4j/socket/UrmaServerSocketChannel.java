package io.urma4j.socket;

import io.urma4j.socket.peering.SocketNode;
import io.urma4j.socket.peering.UndecidedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A listener around a channel of the JDK. A client that offers rings waits until its connection is accepted. If the application
 * is slow, the node's thread accepts in its place, and keeps the connections here in their order.
 */
final class UrmaServerSocketChannel extends ServerSocketChannel implements Wrapper, Readiness {
    private static final int DEFAULT_BACKLOG = 50;

    /** Accepts from the JDK's channel in one of its ways. */
    interface Accepting {
        @Nullable
        SocketChannel run() throws IOException;
    }

    private final UrmaSelectorProvider provider;
    private final ServerSocketChannel tcp;
    private final Delegate delegate;
    private @Nullable ServerSocket socket; // guarded by delegate

    private final ReentrantLock accepting = new ReentrantLock();
    private final Deque<UrmaSocketChannel> pending = new ArrayDeque<>(); // guarded by itself
    private int backlog = DEFAULT_BACKLOG; // as the one below guarded by delegate
    private SocketNode.@Nullable Published published;

    UrmaServerSocketChannel(UrmaSelectorProvider provider, ServerSocketChannel tcp) {
        super(provider);
        this.provider = provider;
        this.tcp = tcp;
        this.delegate = new Delegate(this, tcp);
        if (provider.usesRings()) {
            delegate.use(this);
        }
    }

    @Override
    public Delegate delegate() {
        return delegate;
    }

    @Override
    public ServerSocketChannel bind(@Nullable SocketAddress local, int wanted) throws IOException {
        tcp.bind(local, wanted);
        bound(wanted);
        return this;
    }

    /** The JDK's channel has an address, which clients that could use rings have to know. */
    void bound(int wanted) throws IOException {
        SocketNode node = provider.node();
        if (node != null && tcp.getLocalAddress() instanceof InetSocketAddress address) {
            synchronized (delegate) {
                if (!isOpen()) {
                    return; // closed meanwhile: no later close withdraws the name
                }
                backlog = wanted > 0 ? wanted : DEFAULT_BACKLOG;
                published = node.publish(address, this::acceptPending);
            }
        }
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        tcp.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return tcp.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return tcp.supportedOptions();
    }

    @Override
    public ServerSocket socket() {
        synchronized (delegate) {
            if (socket == null) {
                socket = new ServerSocketView(this, tcp.socket());
            }
            return socket;
        }
    }

    @Override
    public @Nullable SocketChannel accept() throws IOException {
        return accept(tcp::accept);
    }

    /** The connection that has waited longest; else what the JDK's channel accepts in one of its ways. */
    @Nullable
    UrmaSocketChannel accept(Accepting way) throws IOException {
        accepting.lock();
        try {
            UrmaSocketChannel waiting = isOpen() ? pollPending() : null;
            return waiting == null ? acceptFrom(way) : waiting;
        } catch (IOException e) {
            throw delegate.failed(e);
        } finally {
            accepting.unlock();
        }
    }

    private @Nullable UrmaSocketChannel pollPending() {
        synchronized (pending) {
            return pending.poll();
        }
    }

    /** The next connection, or null if there is none; in the mode {@code require} the next one over rings. */
    private @Nullable UrmaSocketChannel acceptFrom(Accepting way) throws IOException {
        for (SocketChannel accepted = way.run(); accepted != null; accepted = way.run()) {
            try {
                UrmaSocketChannel made = wrap(accepted);
                if (made.rings() != null || !provider.requiresRings()) {
                    return made;
                }
                made.close();
            } catch (UndecidedException e) {
                // it is closed, as its client will see
                System.getLogger(UrmaServerSocketChannel.class.getName())
                        .log(System.Logger.Level.DEBUG, () -> "a connection was not accepted: " + e.getMessage());
            }
        }
        return null;
    }

    private UrmaSocketChannel wrap(SocketChannel accepted) throws IOException {
        SocketNode node = provider.node();
        try {
            return new UrmaSocketChannel(provider, accepted, node == null ? null : node.accepted(accepted));
        } catch (Throwable e) { // the client has gone already, this channel is closed, or an error, as of memory
            accepted.close();
            throw e;
        }
    }

    /** A client waits. If no thread of the application is accepting, this one does. */
    private void acceptPending() {
        if (!accepting.tryLock()) {
            return;
        }
        try {
            boolean blocks = tcp.isBlocking();
            if (blocks) {
                tcp.configureBlocking(false);
            }
            try {
                acceptAll();
            } finally {
                if (blocks && tcp.isOpen()) {
                    tcp.configureBlocking(true);
                }
            }
        } catch (IOException e) {
            // the application's accept sees it, too
        } finally {
            accepting.unlock();
            if (!isOpen()) { // since a moment ago, when some of these were not here yet
                resetPending();
            }
            delegate.recheck(); // also where a later accept has failed
        }
    }

    private void acceptAll() throws IOException {
        UrmaSocketChannel next = hasPlace() ? acceptFrom(tcp::accept) : null;
        while (next != null) {
            synchronized (pending) {
                pending.add(next);
            }
            next = hasPlace() ? acceptFrom(tcp::accept) : null;
        }
    }

    private boolean hasPlace() {
        synchronized (delegate) {
            synchronized (pending) {
                return pending.size() < backlog;
            }
        }
    }

    @Override
    public int innerInterest(int interest) {
        return interest;
    }

    @Override
    public void woken() {
        // the JDK's channel stays ready until the connection is accepted
    }

    @Override
    public int ready(int interest, boolean isInnerReady) {
        synchronized (pending) {
            return isInnerReady || !pending.isEmpty() ? interest & SelectionKey.OP_ACCEPT : 0;
        }
    }

    @Override
    public boolean hasNews(int interest) {
        return false; // a connection is worth a system call
    }

    @Override
    public void released() {
        // its waiting connections were closed with it
    }

    @Override
    public boolean hasToPoll() {
        return false;
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        return tcp.getLocalAddress();
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        synchronized (delegate) {
            if (published != null) {
                published.close();
            }
        }
        tcp.close();
        resetPending();
    }

    private void resetPending() {
        for (UrmaSocketChannel waiting = pollPending(); waiting != null; waiting = pollPending()) {
            try {
                waiting.setOption(StandardSocketOptions.SO_LINGER, 0); // as the kernel resets those that it keeps
                waiting.close();
            } catch (IOException e) {
                // a logger of the class would begin the process's logging with the first channel
                System.getLogger(UrmaServerSocketChannel.class.getName())
                        .log(System.Logger.Level.DEBUG, () -> "a connection that waited was closed already: " + e);
            }
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        accepting.lock();
        try {
            delegate.configureBlocking(block);
        } finally {
            accepting.unlock();
        }
    }

    @Override
    public String toString() {
        return tcp.toString();
    }
}
