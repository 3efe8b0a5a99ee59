package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.socket.ring.RingUse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How selectors learn of connections over rings: by their ready words, and by doorbells while they sleep. */
@Timeout(60)
class ReadySelectionTest {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int FOR_EVER_MILLIS = 20_000;

    private final OverRings rings = new OverRings(settings -> settings.withRingBytes(4096));
    private final UrmaSelectorProvider provider = rings.provider();
    private final List<SocketChannel> opened = new ArrayList<>();
    private ServerSocketChannel listener;
    private Selector selector;

    /** Both ends of a connection. */
    private record Connection(SocketChannel client, SocketChannel server) {
        private void send() throws IOException {
            assertThat(client.write(ByteBuffer.wrap(new byte[1]))).isOne();
        }

        private void receive() throws IOException {
            assertThat(server.read(ByteBuffer.allocate(10))).isOne();
        }

        private int doorbells() {
            RingUse use =
                    Objects.requireNonNull(((UrmaSocketChannel) client).rings()).use();
            return use.doorbellsSent();
        }
    }

    @BeforeEach
    void open() throws IOException {
        listener = provider.openServerSocketChannel().bind(LOOPBACK);
        selector = provider.openSelector();
    }

    @AfterEach
    void close() throws IOException {
        selector.close();
        for (SocketChannel channel : opened) {
            channel.close();
        }
        listener.close();
        rings.close();
    }

    private Connection connect() throws IOException {
        SocketChannel client = provider.openSocketChannel();
        opened.add(client);
        client.connect(listener.getLocalAddress());
        SocketChannel server = listener.accept();
        opened.add(server);
        assertThat(OverRings.isOverRings(server)).isTrue();
        server.configureBlocking(false);
        return new Connection(client, server);
    }

    /** A connection whose server has read all, and was selected without success. */
    private Connection connectAndRegister() throws IOException {
        Connection connection = connect();
        connection.server().register(selector, SelectionKey.OP_READ);
        connection.send();
        assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
        selector.selectedKeys().clear();
        connection.receive();
        assertThat(selector.selectNow()).isZero();
        return connection;
    }

    @Test
    void aSelectorThatIsAwakeNeedsNoDoorbell() throws IOException {
        Connection first = connectAndRegister();
        Connection second = connectAndRegister();
        int before = first.doorbells() + second.doorbells();

        for (int i = 0; i < 100; i++) {
            first.send();
            second.send();
            assertThat(selector.select(FOR_EVER_MILLIS)).isEqualTo(2);
            selector.selectedKeys().clear();
            first.receive();
            second.receive();
            assertThat(selector.selectNow()).isZero();
        }
        assertThat(first.doorbells() + second.doorbells()).isEqualTo(before);
    }

    @Test
    void aSelectorThatSleepsGetsOneDoorbell() throws Exception {
        Connection connection = connectAndRegister();
        for (int i = 0; i < 20; i++) {
            int before = connection.doorbells();
            var waiting = CompletableFuture.supplyAsync(this::select);
            Thread.sleep(20);
            connection.send();
            assertThat(waiting.get()).isOne();
            selector.selectedKeys().clear();
            connection.receive();
            assertThat(selector.selectNow()).isZero();
            assertThat(connection.doorbells() - before).isLessThanOrEqualTo(1);
        }
    }

    private int select() {
        try {
            return selector.select(FOR_EVER_MILLIS);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As the JDK's HTTP server does: the key leaves its selector in the next selection alone. */
    @Test
    void aReadAfterACancelledKeyHearsTheDoorbell() throws Exception {
        Connection connection = connectAndRegister();
        SelectionKey key = Objects.requireNonNull(connection.server().keyFor(selector));
        key.cancel();
        connection.server().configureBlocking(true);
        var reading = CompletableFuture.runAsync(() -> {
            try {
                connection.receive();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        Thread.sleep(50);
        connection.send();

        reading.get(FOR_EVER_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Test
    void aChannelMayMoveToAnotherSelector() throws IOException {
        Connection connection = connectAndRegister();
        try (Selector next = provider.openSelector()) {
            for (int i = 0; i < 100; i++) {
                Selector from = i % 2 == 0 ? selector : next;
                Selector to = i % 2 == 0 ? next : selector;
                Objects.requireNonNull(connection.server().keyFor(from)).cancel();
                connection.server().register(to, SelectionKey.OP_READ);
                connection.send();
                assertThat(to.select(FOR_EVER_MILLIS)).isOne();
                to.selectedKeys().clear();
                connection.receive();
                assertThat(from.selectNow()).isZero();
                assertThat(to.selectNow()).isZero();
            }
            int before = connection.doorbells();
            connection.send();
            assertThat(selector.selectNow()).isOne();
            assertThat(connection.doorbells()).as("its only key is marked").isEqualTo(before);
        }
    }

    /** The second key is registered while the peer may be marking the first. */
    @Test
    void aSecondSelectorTakesNothingFromTheFirst() throws Exception {
        for (int i = 0; i < 50; i++) {
            Connection connection = connectAndRegister();
            var sending = CompletableFuture.runAsync(() -> {
                try {
                    connection.send();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            try (Selector second = provider.openSelector()) {
                connection.server().register(second, SelectionKey.OP_READ);
                assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
                assertThat(second.select(FOR_EVER_MILLIS)).isOne();
            }
            sending.get();
            selector.selectedKeys().clear();
            connection.receive();
            Objects.requireNonNull(connection.server().keyFor(selector)).cancel();
            selector.selectNow();
        }
    }

    /** A mark for the first would not wake the second, which sleeps. */
    @Test
    void aChannelWithTwoSelectorsIsWokenByADoorbell() throws IOException {
        Connection connection = connectAndRegister();
        try (Selector second = provider.openSelector()) {
            connection.server().register(second, SelectionKey.OP_READ);
            assertThat(second.selectNow()).isZero();
            assertThat(selector.selectNow()).isZero();
            connection.send();

            assertThat(second.select(FOR_EVER_MILLIS)).isOne();
            assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
        }
    }

    /** More selectors than there are sets of ready words: the last are woken by doorbells. */
    @Test
    void seventySelectorsHearOfTheirConnections() throws IOException {
        List<Selector> selectors = new ArrayList<>();
        try {
            for (int i = 0; i < 70; i++) {
                Selector next = provider.openSelector();
                selectors.add(next);
                Connection connection = connect();
                connection.server().register(next, SelectionKey.OP_READ);
                assertThat(next.selectNow()).isZero();
                connection.send();
                assertThat(next.select(FOR_EVER_MILLIS)).isOne();
            }
        } finally {
            for (Selector next : selectors) {
                next.close();
            }
        }
    }

    @Test
    void manyConnectionsAtThreeSelectorsLoseNothing() throws Exception {
        int connections = 60;
        int rounds = 300;
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            all.add(connect());
        }
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            List<Connection> own = all.subList(i * connections / 3, (i + 1) * connections / 3);
            running.add(CompletableFuture.runAsync(() -> echo(own, rounds), Thread::startVirtualThread));
            running.add(CompletableFuture.runAsync(() -> ask(own, rounds), Thread::startVirtualThread));
        }
        for (CompletableFuture<Void> next : running) {
            next.get();
        }
    }

    private void echo(List<Connection> connections, int rounds) {
        try (Selector own = provider.openSelector()) {
            for (Connection connection : connections) {
                connection.server().register(own, SelectionKey.OP_READ);
            }
            ByteBuffer bytes = ByteBuffer.allocateDirect(16);
            int left = connections.size() * rounds;
            while (left > 0) {
                assertThat(own.select(FOR_EVER_MILLIS))
                        .as("%d bytes left", left)
                        .isPositive();
                for (SelectionKey key : own.selectedKeys()) {
                    SocketChannel channel = (SocketChannel) key.channel();
                    left -= channel.read(bytes.clear());
                    channel.write(bytes.flip());
                }
                own.selectedKeys().clear();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** In bursts of different sizes, so that the selector sleeps in some rounds and not in others. */
    private static void ask(List<Connection> connections, int rounds) {
        try {
            ByteBuffer answer = ByteBuffer.allocateDirect(16);
            for (int round = 0; round < rounds; round++) {
                int burst = 1 + round % connections.size();
                for (int from = 0; from < connections.size(); from += burst) {
                    List<Connection> asked = connections.subList(from, Math.min(from + burst, connections.size()));
                    for (Connection connection : asked) {
                        connection.send();
                    }
                    for (Connection connection : asked) {
                        assertThat(connection.client().read(answer.clear())).isOne();
                    }
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
