package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.socket.ring.Spinning;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waits that look at their rings for a long time before they sleep. */
@Timeout(60)
class SpinningTest {
    private static final Spinning LONG = Spinning.of(Duration.ofSeconds(30).toNanos());
    private static final Duration SOON = Duration.ofSeconds(20);

    private final OverRings rings = new OverRings(settings -> settings.withSpinning(LONG));
    private final ByteBuffer one = ByteBuffer.allocate(1);
    private SocketChannel client;
    private SocketChannel server;

    @BeforeEach
    void connect() throws IOException {
        var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel listener =
                rings.provider().openServerSocketChannel().bind(any)) {
            client = rings.provider().openSocketChannel();
            client.connect(listener.getLocalAddress());
            server = listener.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        rings.close();
    }

    private int doorbells() {
        return ((UrmaSocketChannel) client).rings().use().doorbellsSent();
    }

    /** What a thread does that has time to begin to wait before this returns. */
    private static <T> CompletableFuture<T> waiting(Callable<T> call) throws InterruptedException {
        CompletableFuture<T> result = Background.call(call);
        Thread.sleep(50);
        return result;
    }

    @Test
    void aReadThatSpinsNeedsNoDoorbell() throws Exception {
        for (int i = 0; i < 2; i++) { // the first one waits for the proof, which asks for a doorbell
            client.write(ByteBuffer.allocate(1));
            server.read(one.clear());
        }
        int before = doorbells();
        CompletableFuture<Integer> read = waiting(() -> server.read(one.clear()));
        client.write(ByteBuffer.allocate(1));

        assertThat(read).succeedsWithin(SOON).isEqualTo(1);
        assertThat(doorbells()).isEqualTo(before);
        assertThat(rows()).anyMatch(row -> row.contains("spins_won=") && !row.contains("spins_won=0"));
    }

    /** What urma sockets would show. */
    private List<String> rows() {
        return rings.provider().connections().resources().stream()
                .map(row -> String.valueOf(row.fields()))
                .toList();
    }

    @Test
    void aWriteThatSpinsForRoomNeedsNoDoorbell() throws Exception {
        client.write(ByteBuffer.allocate(1));
        server.read(one.clear());
        server.write(ByteBuffer.allocate(1)); // each end has proven itself
        client.read(one.clear());
        ByteBuffer all = ByteBuffer.allocate(1 << 20);
        CompletableFuture<Integer> writing = waiting(() -> client.write(all));
        int before = doorbellsOfServer();
        ByteBuffer received = ByteBuffer.allocate(1 << 20);
        while (received.hasRemaining()) {
            server.read(received);
        }

        assertThat(writing).succeedsWithin(SOON).isEqualTo(1 << 20);
        assertThat(doorbellsOfServer()).isEqualTo(before);
    }

    private int doorbellsOfServer() {
        return ((UrmaSocketChannel) server).rings().use().doorbellsSent();
    }

    @Test
    void aCloseEndsAReadThatSpins() throws Exception {
        CompletableFuture<Integer> read = waiting(() -> server.read(one));
        server.close();

        assertThat(read).failsWithin(SOON);
    }

    private Selector selectedOnce() throws IOException {
        Selector selector = rings.provider().openSelector();
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_READ);
        client.write(ByteBuffer.allocate(1));
        assertThat(selector.select()).isOne();
        selector.selectedKeys().clear();
        server.read(one.clear());
        return selector;
    }

    @Test
    void aSelectionThatSpinsNeedsNoDoorbell() throws Exception {
        try (Selector selector = selectedOnce()) {
            int before = doorbells();
            CompletableFuture<Integer> selected = waiting(selector::select);
            client.write(ByteBuffer.allocate(1));

            assertThat(selected).succeedsWithin(SOON).isEqualTo(1);
            assertThat(doorbells()).isEqualTo(before);
            assertThat(rows()).anyMatch(row -> row.contains("selector of 1 keys") && row.contains("spins_won="));
        }
        assertThat(rows()).as("a closed selector has no row").noneMatch(row -> row.contains("selector"));
    }

    @Test
    void aWakeUpEndsASelectionThatSpins() throws Exception {
        try (Selector selector = selectedOnce()) {
            CompletableFuture<Integer> selected = waiting(selector::select);
            selector.wakeup();

            assertThat(selected).succeedsWithin(SOON).isEqualTo(0);
        }
    }

    @Test
    void aSelectionWithoutTimeDoesNotSpin() throws Exception {
        try (Selector selector = selectedOnce()) {
            assertThat(Background.call(selector::selectNow))
                    .succeedsWithin(SOON)
                    .isEqualTo(0);
        }
    }

    @Test
    void aSelectionWithAReadyKeyDoesNotSpin() throws Exception {
        try (Selector selector = selectedOnce()) {
            client.write(ByteBuffer.allocate(1));
            assertThat(selector.select()).isOne();

            assertThat(Background.call(selector::select))
                    .as("keys that have become ready since")
                    .succeedsWithin(SOON)
                    .isEqualTo(0);
        }
    }

    @Test
    void aSelectionForRoomDoesNotSpin() throws Exception {
        try (Selector selector = selectedOnce()) {
            server.keyFor(selector).interestOps(SelectionKey.OP_WRITE);
            assertThat(selector.select()).isOne();

            assertThat(Background.call(selector::select)).succeedsWithin(SOON).isEqualTo(0);
        }
    }
}
