package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Connections over rings one after the other, as programs make that send a request over each: nothing stays of them, no port either.
 *
 * <p>{@code -Durma.full=true} makes 100,000, {@code -Durma.inputs=N} N.
 */
@Timeout(1200)
class ManyConnectionsTest {
    private static final int CONNECTIONS =
            Integer.getInteger("urma.inputs", Boolean.getBoolean("urma.full") ? 100_000 : 2_000);
    private static final byte CLIENT_CLOSES = 'c';
    private static final byte SERVER_CLOSES = 's';
    private static final long MOST_HEAP_BYTES = 16 << 20;
    private static final Duration LONG = Duration.ofSeconds(30);

    private final OverRings rings = new OverRings();
    private final UrmaSelectorProvider provider = rings.provider();
    private final ByteBuffer one = ByteBuffer.allocateDirect(1);
    private ServerSocketChannel listener;

    @BeforeEach
    void listen() throws IOException {
        listener = provider.openServerSocketChannel().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
        rings.close();
    }

    private SocketChannel connect() throws IOException {
        SocketChannel channel = provider.openSocketChannel();
        channel.connect(listener.getLocalAddress());
        assertThat(OverRings.isOverRings(channel))
                .as("%s", channel.getOption(UrmaSocketOptions.FALLBACK_REASON))
                .isTrue();
        return channel;
    }

    /** A connection of the listener's port, of either end, in any state that is not listening. */
    private List<String> connectionsOfPort() throws IOException {
        String port = String.format(Locale.ROOT, ":%04X ", ((InetSocketAddress) listener.getLocalAddress()).getPort());
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .map(Path::of)
                .filter(Files::exists)
                .flatMap(ManyConnectionsTest::lines)
                .filter(line -> line.contains(port) && !line.contains(" 0A "))
                .toList();
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void assertThatNoPortIsInUse() throws Exception {
        long began = System.nanoTime();
        List<String> left = connectionsOfPort();
        while (!left.isEmpty() && System.nanoTime() - began < LONG.toNanos()) { // less than the minute of TIME_WAIT
            Thread.sleep(10);
            left = connectionsOfPort();
        }
        assertThat(left).isEmpty();
    }

    @Test
    void nothingStaysOfThoseThatHaveEnded() throws Exception {
        CompletableFuture<Void> serving = Background.run(this::serve);
        long descriptorsBefore = 0;
        long heapBefore = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            request(i % 2 == 0 ? CLIENT_CLOSES : SERVER_CLOSES);
            if (i == CONNECTIONS / 4) {
                descriptorsBefore = descriptors();
                heapBefore = heapBytes();
            }
        }
        assertThat(serving).succeedsWithin(LONG);

        assertThat(descriptors()).isLessThan(descriptorsBefore + 10);
        assertThat(heapBytes() - heapBefore).isLessThan(MOST_HEAP_BYTES);
        assertThatNoPortIsInUse();
    }

    private void serve() throws IOException {
        ByteBuffer byteOfClient = ByteBuffer.allocateDirect(1);
        for (int i = 0; i < CONNECTIONS; i++) {
            try (SocketChannel accepted = listener.accept()) {
                accepted.read(byteOfClient.clear());
                byte closing = byteOfClient.get(0);
                accepted.write(byteOfClient.flip());
                if (closing == CLIENT_CLOSES) {
                    assertThat(accepted.read(byteOfClient.clear())).isEqualTo(-1);
                }
            }
        }
    }

    private void request(byte closing) throws IOException {
        try (SocketChannel channel = connect()) {
            channel.write(one.clear().put(closing).flip());
            assertThat(channel.read(one.clear())).isOne();
            if (closing == SERVER_CLOSES) {
                assertThat(channel.read(one.clear())).isEqualTo(-1);
            }
        }
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    void channelsAtSelectorsLeaveNoPortEither() throws Exception {
        SocketChannel client = connect();
        SocketChannel server = listener.accept();
        try (Selector clients = provider.openSelector();
                Selector servers = provider.openSelector()) {
            client.configureBlocking(false);
            client.register(clients, SelectionKey.OP_READ);
            server.configureBlocking(false);
            server.register(servers, SelectionKey.OP_READ);

            client.close(); // its selector does not run yet
            while (server.read(one.clear()) == 0) {
                servers.select();
            }
            server.close();
            servers.selectNow();
            clients.selectNow();
            assertThatNoPortIsInUse();
        }
    }
}
