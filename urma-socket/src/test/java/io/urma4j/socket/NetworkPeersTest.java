package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.urma4j.UrmaOptions;
import io.urma4j.socket.peering.SocketSettings;
import io.urma4j.socket.peering.SocketSettings.Mode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What only a network does to a connection. A node stands for each host; both ends are in this process. */
@Timeout(60)
class NetworkPeersTest {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    private static final long LONG_MILLIS = 30_000;

    private Path directory;
    private LazyNode serversNode;
    private ServerSocketChannel listener;

    @BeforeEach
    void listen() throws IOException {
        directory = Files.createTempDirectory("urma-socket-test");
        serversNode = node("127.0.0.1", Duration.ofSeconds(10));
        listener =
                new UrmaSelectorProvider(serversNode).openServerSocketChannel().bind(LOOPBACK);
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
        serversNode.close();
        OverRings.delete(directory);
    }

    private LazyNode node(String address, Duration wait) {
        return node(address, wait, "");
    }

    private LazyNode node(String address, Duration wait, String loss) {
        SocketSettings settings = SocketSettings.of(Mode.AUTO)
                .withRingBytes(16 << 10)
                .withOfferTimeout(wait)
                .withNetworks("127.0.0.0/8");
        return new LazyNode(
                settings,
                UrmaOptions.DEFAULT
                        .withRuntimeDirectory(directory.resolve("runtime"))
                        .withSetting("urma.udma.addresses", address)
                        .withSetting("urma.udma.loss", loss));
    }

    private SocketChannel connect(LazyNode node) throws IOException {
        return connect(node, listener);
    }

    private static SocketChannel connect(LazyNode node, ServerSocketChannel to) throws IOException {
        SocketChannel channel = new UrmaSelectorProvider(node).openSocketChannel();
        channel.connect(to.getLocalAddress());
        return channel;
    }

    private static String transport(SocketChannel channel) throws IOException {
        return channel.getOption(UrmaSocketOptions.TRANSPORT);
    }

    /** TCP loses nothing here, so its end would come before the bytes that the device has to send again. */
    @Test
    void whatWasWrittenBeforeACloseArrives() throws Exception {
        LazyNode node = node("127.0.0.1", Duration.ofSeconds(10));
        LazyNode lossyNode = node("127.0.0.1", Duration.ofSeconds(10), "0.1");
        var lossy =
                new UrmaSelectorProvider(lossyNode).openServerSocketChannel().bind(LOOPBACK);
        int sent = 60_000;
        ByteBuffer received = ByteBuffer.allocate(sent + 1);
        for (int i = 0; i < 20; i++) {
            SocketChannel client = connect(node, lossy);
            assertThat(transport(client)).isEqualTo("udma0");
            var writing = Background.run(() -> {
                client.write(ByteBuffer.allocate(sent));
                client.close();
            });
            try (SocketChannel server = lossy.accept();
                    Selector selector = server.provider().openSelector()) { // which sees the end of TCP at once
                server.configureBlocking(false).register(selector, SelectionKey.OP_READ);
                received.clear();
                int length = 0;
                while (length >= 0) {
                    assertThat(selector.select(LONG_MILLIS)).isOne();
                    selector.selectedKeys().clear();
                    length = server.read(received);
                }
                assertThat(received.position()).isEqualTo(sent);
            }
            writing.get();
        }
        node.close();
        lossy.close();
        lossyNode.close();
    }

    @Test
    void aHostOffersRingsForItselfAlone() throws Exception {
        LazyNode node = node("127.0.73.1", Duration.ofMillis(100)); // and its TCP comes from 127.0.0.1
        try (SocketChannel client = connect(node);
                SocketChannel server = listener.accept()) {
            assertThat(transport(client)).isEqualTo("tcp");
            assertThat(transport(server)).isEqualTo("tcp");
        }
        node.close();
    }

    @Test
    void withoutTheDeviceConnectionsOfTheHostUseSharedMemory() throws Exception {
        LazyNode node = node("203.0.113.7", Duration.ofSeconds(10)); // an address of no interface
        try (ServerSocketChannel own =
                        new UrmaSelectorProvider(node).openServerSocketChannel().bind(LOOPBACK);
                SocketChannel client = connect(node, own);
                SocketChannel server = own.accept()) {
            assertThat(transport(client)).isEqualTo("shm0");
            assertThat(transport(server)).isEqualTo("shm0");
        }
        node.close();
    }

    @Test
    void aProcessThatNamesNoNetworkReachesOneThatDoesBySharedMemory() throws Exception {
        SocketSettings settings = SocketSettings.of(Mode.AUTO).withOfferTimeout(Duration.ofSeconds(10));
        LazyNode node = new LazyNode(settings, UrmaOptions.DEFAULT.withRuntimeDirectory(directory.resolve("runtime")));
        try (SocketChannel client = connect(node)) {
            assertThat(transport(client)).isEqualTo("shm0");
            assertThat(transport(listener.accept())).isEqualTo("shm0");
        }
        node.close();
    }

    /** What is left of the other host is not closed, since its memory is gone. */
    @Test
    void aPeerWhoseDeviceIsGoneResetsItsConnections() throws Exception {
        LazyNode node = node("127.0.0.1", Duration.ofSeconds(10));
        LazyNode othersNode = node("127.0.0.1", Duration.ofSeconds(10));
        var othersListener =
                new UrmaSelectorProvider(othersNode).openServerSocketChannel().bind(LOOPBACK);
        try (SocketChannel blocking = connect(node, othersListener);
                SocketChannel selecting = connect(node, othersListener);
                Selector selector = new UrmaSelectorProvider(node).openSelector()) {
            assertThat(transport(othersListener.accept())).isEqualTo("udma0");
            assertThat(transport(othersListener.accept())).isEqualTo("udma0");
            selecting.configureBlocking(false);
            selecting.register(selector, SelectionKey.OP_READ);
            othersNode.close();

            assertThatThrownBy(() -> blocking.read(ByteBuffer.allocate(1))).isInstanceOf(SocketException.class);
            assertThat(selector.select(LONG_MILLIS)).isOne();
            assertThatThrownBy(() -> selecting.read(ByteBuffer.allocate(1))).isInstanceOf(SocketException.class);
        }
        node.close();
    }

    /** Each closes its connection, waits for what is in flight, and learns meanwhile that the peer is gone. */
    @Test
    void readersThatAreInterruptedAsThePeerGoesAllEnd() throws Exception {
        LazyNode node = node("127.0.0.1", Duration.ofSeconds(10));
        for (int i = 0; i < 10; i++) {
            LazyNode othersNode = node("127.0.0.1", Duration.ofSeconds(10));
            var othersListener = new UrmaSelectorProvider(othersNode)
                    .openServerSocketChannel()
                    .bind(LOOPBACK);
            List<SocketChannel> channels = new ArrayList<>();
            List<Thread> readers = new ArrayList<>();
            Queue<Throwable> ends = new ConcurrentLinkedQueue<>();
            for (int n = 0; n < 8; n++) {
                SocketChannel channel = connect(node, othersListener);
                assertThat(transport(channel)).isEqualTo("udma0");
                channels.add(channel);
                readers.add(Thread.ofVirtual()
                        .start(() -> ends.add(catchThrowable(() -> channel.read(ByteBuffer.allocate(1))))));
            }
            var closing = Background.run(othersNode::close);
            for (int n = 0; n < 8; n++) {
                readers.get(n).interrupt();
            }
            for (Thread reader : readers) {
                assertThat(reader.join(Duration.ofSeconds(20))).isTrue();
            }
            assertThat(ends).hasSize(8).allSatisfy(end -> assertThat(end).isInstanceOf(IOException.class));
            closing.get();
            for (SocketChannel channel : channels) {
                channel.close();
            }
        }
        node.close();
    }
}
