package io.urma4j.socket;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/** A channel around one of the JDK, of which a test overrides a call, to act in the middle of it. */
public class ForwardingTcp extends SocketChannel {
    private final SocketChannel tcp;

    public ForwardingTcp(SocketChannel tcp) {
        super(SelectorProvider.provider());
        this.tcp = tcp;
    }

    @Override
    public SocketChannel bind(SocketAddress local) throws IOException {
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
        return tcp.socket();
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
        return tcp.connect(remote);
    }

    @Override
    public boolean finishConnect() throws IOException {
        return tcp.finishConnect();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        return tcp.getRemoteAddress();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return tcp.getLocalAddress();
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return tcp.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        return tcp.read(targets, offset, length);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return tcp.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return tcp.write(sources, offset, length);
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        tcp.close();
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        tcp.configureBlocking(block);
    }
}
