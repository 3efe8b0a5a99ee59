package io.urma4j.socket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.DatagramChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The datagram socket of a channel: the JDK's, but for what leads to its channel or closes it. */
final class DatagramSocketView extends DatagramSocket {
    private final UrmaDatagramChannel channel;
    private final DatagramSocket socket;

    DatagramSocketView(UrmaDatagramChannel channel, DatagramSocket socket) {
        super(new UnusedDatagramSocketImpl());
        this.channel = channel;
        this.socket = socket;
    }

    @Override
    public void send(DatagramPacket packet) throws IOException {
        try {
            socket.send(packet);
        } catch (IOException e) {
            throw channel.delegate().failed(e);
        }
    }

    @Override
    public void receive(DatagramPacket packet) throws IOException {
        try {
            socket.receive(packet);
        } catch (IOException e) {
            throw channel.delegate().failed(e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // as the JDK's socket of a channel
        }
    }

    @Override
    public DatagramChannel getChannel() {
        return channel;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void bind(@Nullable SocketAddress local) throws SocketException {
        socket.bind(local);
    }

    @Override
    public void connect(InetAddress address, int port) {
        socket.connect(address, port);
    }

    @Override
    public void connect(SocketAddress remote) throws SocketException {
        socket.connect(remote);
    }

    @Override
    public void disconnect() {
        socket.disconnect();
    }

    @Override
    public boolean isBound() {
        return socket.isBound();
    }

    @Override
    public boolean isConnected() {
        return socket.isConnected();
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        return socket.getInetAddress();
    }

    @Override
    public int getPort() {
        return socket.getPort();
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
    public @Nullable InetAddress getLocalAddress() {
        return socket.getLocalAddress();
    }

    @Override
    public int getLocalPort() {
        return socket.getLocalPort();
    }

    @Override
    public void joinGroup(SocketAddress group, @Nullable NetworkInterface from) throws IOException {
        socket.joinGroup(group, from);
    }

    @Override
    public void leaveGroup(SocketAddress group, @Nullable NetworkInterface from) throws IOException {
        socket.leaveGroup(group, from);
    }

    @Override
    public void setSoTimeout(int timeoutMillis) throws SocketException {
        socket.setSoTimeout(timeoutMillis);
    }

    @Override
    public int getSoTimeout() throws SocketException {
        return socket.getSoTimeout();
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
    public void setReuseAddress(boolean on) throws SocketException {
        socket.setReuseAddress(on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return socket.getReuseAddress();
    }

    @Override
    public void setBroadcast(boolean on) throws SocketException {
        socket.setBroadcast(on);
    }

    @Override
    public boolean getBroadcast() throws SocketException {
        return socket.getBroadcast();
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
    public <T> DatagramSocket setOption(SocketOption<T> name, T value) throws IOException {
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
