package io.urma4j.socket;

import io.urma4j.socket.ring.RingConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The socket of a channel: the JDK's, but for what leads to its channel or closes it. */
final class SocketView extends Socket {
    private final UrmaSocketChannel channel;
    private final Socket socket;
    private volatile int soTimeoutMillis; // over rings, that of the JDK's socket is what is left of it

    private SocketView(UrmaSocketChannel channel, Socket socket) throws SocketException {
        super(new UnusedSocketImpl());
        this.channel = channel;
        this.socket = socket;
    }

    static Socket of(UrmaSocketChannel channel, Socket socket) {
        try {
            return new SocketView(channel, socket);
        } catch (SocketException e) {
            throw new AssertionError(e); // the constructor opens nothing
        }
    }

    @Override
    public void connect(SocketAddress remote) throws IOException {
        connect(remote, 0);
    }

    @Override
    public void connect(SocketAddress remote, int timeoutMillis) throws IOException {
        channel.connect(remote, timeoutMillis, () -> {
            socket.connect(remote, timeoutMillis);
            return true;
        });
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public SocketChannel getChannel() {
        return channel;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        if (isInputShutdown()) {
            throw new SocketException("Socket input is shutdown");
        }
        return new SocketInput(channel, this, socket.getInputStream());
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        if (isOutputShutdown()) {
            throw new SocketException("Socket output is shutdown");
        }
        return new SocketOutput(channel, socket);
    }

    @Override
    public void bind(@Nullable SocketAddress local) throws IOException {
        socket.bind(local);
    }

    /** TCP may be connected already, while it is open whether its bytes will be doorbells. */
    private void refuseUndecided() throws SocketException {
        if (channel.isConnectionPending()) {
            throw new SocketException("Socket is not connected");
        }
    }

    @Override
    public void shutdownInput() throws IOException {
        refuseUndecided();
        if (channel.rings() == null) {
            socket.shutdownInput();
        } else {
            channel.shutdownInput();
        }
    }

    @Override
    public void shutdownOutput() throws IOException {
        refuseUndecided();
        if (channel.rings() == null) {
            socket.shutdownOutput();
        } else {
            channel.shutdownOutput();
        }
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        return socket.getInetAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        return socket.getLocalAddress();
    }

    @Override
    public int getPort() {
        return socket.getPort();
    }

    @Override
    public int getLocalPort() {
        return socket.getLocalPort();
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return socket.getRemoteSocketAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return socket.getLocalSocketAddress();
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isBound() {
        return socket.isBound();
    }

    @Override
    public boolean isInputShutdown() {
        RingConnection rings = channel.rings();
        return rings == null ? socket.isInputShutdown() : rings.isInputShut();
    }

    @Override
    public boolean isOutputShutdown() {
        RingConnection rings = channel.rings();
        return rings == null ? socket.isOutputShutdown() : rings.isOutputShut();
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        if (channel.rings() != null) {
            throw new SocketException("Urgent data not supported by a connection over rings");
        }
        socket.sendUrgentData(data);
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, on);
        } catch (IOException e) {
            throw socketException(e);
        }
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        try {
            return channel.getOption(StandardSocketOptions.TCP_NODELAY);
        } catch (IOException e) {
            throw socketException(e);
        }
    }

    private static SocketException socketException(IOException cause) {
        String message = cause instanceof ClosedChannelException ? "Socket is closed" : cause.getMessage();
        return (SocketException) new SocketException(message).initCause(cause);
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        socket.setOOBInline(on);
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        return socket.getOOBInline();
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        socket.setKeepAlive(on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return socket.getKeepAlive();
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
    public void setSoTimeout(int timeoutMillis) throws SocketException {
        socket.setSoTimeout(timeoutMillis);
        soTimeoutMillis = timeoutMillis;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        var _ = socket.getSoTimeout(); // which refuses if the channel is closed
        return soTimeoutMillis;
    }

    @Override
    public void setSendBufferSize(int sizeBytes) throws SocketException {
        socket.setSendBufferSize(sizeBytes);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return socket.getSendBufferSize();
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
    public void setTrafficClass(int trafficClass) throws SocketException {
        socket.setTrafficClass(trafficClass);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return socket.getTrafficClass();
    }

    @Override
    public void setSoLinger(boolean on, int lingerSeconds) throws SocketException {
        socket.setSoLinger(on, lingerSeconds);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return socket.getSoLinger();
    }

    @Override
    public void setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        socket.setPerformancePreferences(connectionTime, latency, bandwidth);
    }

    @Override
    public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
        if (name.equals(StandardSocketOptions.TCP_NODELAY)) {
            setTcpNoDelay((Boolean) value);
        } else {
            socket.setOption(name, value);
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return name.equals(StandardSocketOptions.TCP_NODELAY)
                ? name.type().cast(getTcpNoDelay())
                : socket.getOption(name);
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
