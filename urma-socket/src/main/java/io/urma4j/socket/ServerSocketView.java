package io.urma4j.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The server socket of a channel: the JDK's, but for what leads to a channel or closes it. */
final class ServerSocketView extends ServerSocket {
    private final UrmaServerSocketChannel channel;
    private final ServerSocket socket;

    ServerSocketView(UrmaServerSocketChannel channel, ServerSocket socket) {
        super(new UnusedSocketImpl());
        this.channel = channel;
        this.socket = socket;
    }

    @Override
    public Socket accept() throws IOException {
        return Objects.requireNonNull(channel.accept(() -> socket.accept().getChannel()))
                .socket();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public ServerSocketChannel getChannel() {
        return channel;
    }

    @Override
    public void bind(@Nullable SocketAddress local) throws IOException {
        bind(local, 0);
    }

    @Override
    public void bind(@Nullable SocketAddress local, int backlog) throws IOException {
        socket.bind(local, backlog);
        channel.bound(backlog);
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        return socket.getInetAddress();
    }

    @Override
    public int getLocalPort() {
        return socket.getLocalPort();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return socket.getLocalSocketAddress();
    }

    @Override
    public boolean isBound() {
        return socket.isBound();
    }

    @Override
    public void setSoTimeout(int timeoutMillis) throws SocketException {
        socket.setSoTimeout(timeoutMillis);
    }

    @Override
    public int getSoTimeout() throws IOException {
        return socket.getSoTimeout();
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        socket.setReuseAddress(on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return socket.getReuseAddress();
    }

    @Override
    public void setReceiveBufferSize(int sizeBytes) throws SocketException {
        socket.setReceiveBufferSize(sizeBytes);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return socket.getReceiveBufferSize();
    }

    @Override
    public void setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        socket.setPerformancePreferences(connectionTime, latency, bandwidth);
    }

    @Override
    public <T> ServerSocket setOption(SocketOption<T> name, T value) throws IOException {
        socket.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return socket.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return socket.supportedOptions();
    }

    @Override
    public String toString() {
        return socket.toString();
    }
}
