package io.urma4j.socket;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A listener around a channel of the JDK. */
final class UrmaServerSocketChannel extends ServerSocketChannel implements Wrapper {
    private final ServerSocketChannel tcp;
    private final Delegate delegate;
    private @Nullable ServerSocket socket; // guarded by delegate

    UrmaServerSocketChannel(SelectorProvider provider, ServerSocketChannel tcp) {
        super(provider);
        this.tcp = tcp;
        this.delegate = new Delegate(this, tcp);
    }

    @Override
    public Delegate delegate() {
        return delegate;
    }

    @Override
    public ServerSocketChannel bind(@Nullable SocketAddress local, int backlog) throws IOException {
        tcp.bind(local, backlog);
        return this;
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
        try {
            SocketChannel accepted = tcp.accept();
            return accepted == null ? null : wrap(accepted);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    UrmaSocketChannel wrap(SocketChannel accepted) {
        return new UrmaSocketChannel(provider(), accepted);
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        return tcp.getLocalAddress();
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        tcp.close();
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        delegate.configureBlocking(block);
    }

    @Override
    public String toString() {
        return tcp.toString();
    }
}
