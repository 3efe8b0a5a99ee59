package io.urma4j.socket;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection around a channel of the JDK. */
final class UrmaSocketChannel extends SocketChannel implements Wrapper {
    private final SocketChannel tcp;
    private final Delegate delegate;
    private @Nullable Socket socket; // guarded by delegate

    UrmaSocketChannel(SelectorProvider provider, SocketChannel tcp) {
        super(provider);
        this.tcp = tcp;
        this.delegate = new Delegate(this, tcp);
    }

    @Override
    public Delegate delegate() {
        return delegate;
    }

    @Override
    public SocketChannel bind(@Nullable SocketAddress local) throws IOException {
        tcp.bind(local);
        return this;
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
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
    public SocketChannel shutdownInput() throws IOException {
        tcp.shutdownInput();
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        tcp.shutdownOutput();
        return this;
    }

    @Override
    public Socket socket() {
        synchronized (delegate) {
            if (socket == null) {
                socket = SocketView.of(this, tcp.socket());
            }
            return socket;
        }
    }

    @Override
    public boolean isConnected() {
        return tcp.isConnected();
    }

    @Override
    public boolean isConnectionPending() {
        return tcp.isConnectionPending();
    }

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        try {
            return tcp.connect(remote);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public boolean finishConnect() throws IOException {
        try {
            return tcp.finishConnect();
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        return tcp.getRemoteAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        return tcp.getLocalAddress();
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        try {
            return tcp.read(target);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        try {
            return tcp.read(targets, offset, length);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        try {
            return tcp.write(source);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        try {
            return tcp.write(sources, offset, length);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
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
