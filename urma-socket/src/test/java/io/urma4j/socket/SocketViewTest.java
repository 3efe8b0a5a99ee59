package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sockets of our channels. */
@Timeout(60)
class SocketViewTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final UrmaSelectorProvider provider = new UrmaSelectorProvider();

    @Test
    void socketsLeadToOurChannels() throws IOException {
        try (ServerSocketChannel listener = provider.openServerSocketChannel().bind(ANY_PORT);
                SocketChannel client = provider.openSocketChannel()) {
            ServerSocket server = listener.socket();
            client.socket().connect(server.getLocalSocketAddress(), 1000);
            Socket accepted = server.accept();

            assertThat(server.getChannel()).isSameAs(listener);
            assertThat(client.socket().getChannel()).isSameAs(client);
            assertThat(accepted.getChannel().provider()).isSameAs(provider);

            client.socket().getOutputStream().write("hello".getBytes(StandardCharsets.UTF_8));
            client.socket().getOutputStream().close();

            assertThat(client.isOpen()).isFalse();
            assertThat(accepted.getInputStream().readAllBytes()).asString().isEqualTo("hello");
            accepted.close();
            assertThat(accepted.getChannel().isOpen()).isFalse();
        }
    }

    @Test
    void readsAndAcceptsTimeOut() throws IOException {
        try (ServerSocketChannel listener = provider.openServerSocketChannel().bind(ANY_PORT);
                SocketChannel client = provider.openSocketChannel()) {
            listener.socket().setSoTimeout(10);
            assertThatThrownBy(() -> listener.socket().accept()).isInstanceOf(SocketTimeoutException.class);

            client.connect(listener.getLocalAddress());
            client.socket().setSoTimeout(10);
            assertThatThrownBy(() -> client.socket().getInputStream().read())
                    .isInstanceOf(SocketTimeoutException.class);
            assertThat(client.isOpen()).isTrue();
        }
    }

    @Test
    void aRefusedConnectClosesTheChannel() throws IOException {
        SocketAddress vacant;
        try (ServerSocketChannel gone = provider.openServerSocketChannel().bind(ANY_PORT)) {
            vacant = gone.getLocalAddress();
        }
        SocketChannel client = provider.openSocketChannel();

        assertThatThrownBy(() -> client.socket().connect(vacant)).isInstanceOf(IOException.class);

        assertThat(client.isOpen()).isFalse();
        assertThat(client.socket().isClosed()).isTrue();
    }

    @Test
    void datagramSocketsSendAndReceive() throws IOException {
        try (DatagramChannel receiver = provider.openDatagramChannel().bind(ANY_PORT);
                DatagramChannel sender = provider.openDatagramChannel()) {
            DatagramSocket socket = sender.socket();
            socket.send(new DatagramPacket(new byte[] {42}, 1, receiver.getLocalAddress()));
            DatagramPacket received = new DatagramPacket(new byte[10], 10);
            receiver.socket().receive(received);

            assertThat(received.getLength()).isOne();
            assertThat(received.getData()[0]).isEqualTo((byte) 42);
            assertThat(socket.getChannel()).isSameAs(sender);
            socket.close();
            assertThat(sender.isOpen()).isFalse();
        }
    }

    @Test
    void theSocketOfADatagramChannelIsOneForMulticast() throws IOException {
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        InetSocketAddress group = new InetSocketAddress(InetAddress.ofLiteral("224.0.0.99"), 0);
        try (DatagramChannel channel =
                provider.openDatagramChannel(StandardProtocolFamily.INET).bind(new InetSocketAddress(0))) {
            MulticastSocket socket = (MulticastSocket) channel.socket();
            socket.setTimeToLive(3);
            socket.setNetworkInterface(loopback);
            socket.joinGroup(group, loopback);
            InetSocketAddress member = new InetSocketAddress(group.getAddress(), socket.getLocalPort());
            socket.send(new DatagramPacket(new byte[] {42}, 1, member));
            DatagramPacket received = new DatagramPacket(new byte[10], 10);
            socket.setSoTimeout(10_000);
            socket.receive(received);

            assertThat(received.getData()[0]).isEqualTo((byte) 42);
            assertThat(channel.getOption(StandardSocketOptions.IP_MULTICAST_TTL))
                    .isEqualTo(3);
            assertThat(socket.getNetworkInterface()).isEqualTo(loopback);
            socket.leaveGroup(group, loopback);
            assertThatThrownBy(() -> socket.leaveGroup(group, loopback)).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void membershipsLeadToOurChannels() throws IOException {
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        try (DatagramChannel channel = provider.openDatagramChannel(StandardProtocolFamily.INET)) {
            MembershipKey key = channel.join(InetAddress.getByName("224.0.0.99"), loopback);

            assertThat(key.channel()).isSameAs(channel);
            assertThat(channel.join(InetAddress.getByName("224.0.0.99"), loopback))
                    .isEqualTo(key);
            key.drop();
            assertThat(key.isValid()).isFalse();
        }
    }
}
