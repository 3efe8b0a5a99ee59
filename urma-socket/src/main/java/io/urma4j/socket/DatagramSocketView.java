package io.urma4j.socket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.DatagramChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The datagram socket of a channel: the JDK's, but for what leads to its channel or closes it. As there it is one for multicast. */
@SuppressWarnings({"deprecation", "removal"}) // methods that the JDK has deprecated
final class DatagramSocketView extends MulticastSocket {
    private final UrmaDatagramChannel channel;
    private final MulticastSocket socket;

    /** Fails if this process has no descriptor left: the superclass opens a socket, which is closed at once. */
    DatagramSocketView(UrmaDatagramChannel channel, MulticastSocket socket) throws IOException {
        super((SocketAddress) null);
        super.close();
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
    public void joinGroup(InetAddress group) throws IOException {
        socket.joinGroup(group);
    }

    @Override
    public void leaveGroup(InetAddress group) throws IOException {
        socket.leaveGroup(group);
    }

    @Override
    public void setTimeToLive(int hops) throws IOException {
        socket.setTimeToLive(hops);
    }

    @Override
    public int getTimeToLive() throws IOException {
        return socket.getTimeToLive();
    }

    @Override
    public void setTTL(byte hops) throws IOException {
        socket.setTTL(hops);
    }

    @Override
    public byte getTTL() throws IOException {
        return socket.getTTL();
    }

    @Override
    public void setInterface(InetAddress address) throws SocketException {
        socket.setInterface(address);
    }

    @Override
    public InetAddress getInterface() throws SocketException {
        return socket.getInterface();
    }

    @Override
    public void setNetworkInterface(NetworkInterface from) throws SocketException {
        socket.setNetworkInterface(from);
    }

    @Override
    public NetworkInterface getNetworkInterface() throws SocketException {
        return socket.getNetworkInterface();
    }

    @Override
    public void setLoopbackMode(boolean disabled) throws SocketException {
        socket.setLoopbackMode(disabled);
    }

    @Override
    public boolean getLoopbackMode() throws SocketException {
        return socket.getLoopbackMode();
    }

    @Override
    public void send(DatagramPacket packet, byte hops) throws IOException {
        try {
            socket.send(packet, hops);
        } catch (IOException e) {
            throw channel.delegate().failed(e);
        }
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
