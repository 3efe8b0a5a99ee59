package io.urma4j.socket;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/** A listener around one of the JDK, of which a test overrides a call, to act in the middle of it. */
class ForwardingListener extends ServerSocketChannel {
    private final ServerSocketChannel tcp;

    ForwardingListener(ServerSocketChannel tcp) {
        super(SelectorProvider.provider());
        this.tcp = tcp;
    }

    @Override
    public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
        tcp.bind(local, backlog);
        return this;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return tcp.getLocalAddress();
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
        return tcp.socket();
    }

    @Override
    public SocketChannel accept() throws IOException {
        return tcp.accept();
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
