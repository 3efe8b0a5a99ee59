package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaOptions;
import io.urma4j.socket.peering.SocketSettings;
import io.urma4j.socket.peering.SocketSettings.Mode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections over rings, both ends in this process. */
@Timeout(60)
class RingSocketTest {
    private static final int RING_BYTES = 16 << 10;
    private static final int FOR_EVER_MILLIS = 30_000;
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final OverRings rings = open();
    private final UrmaSelectorProvider provider = rings.provider();
    private ServerSocketChannel listener;
    private SocketChannel client;
    private SocketChannel server;

    /** What moves the bytes. */
    String transport() {
        return "shm0";
    }

    /** The provider of the connections. */
    OverRings open() {
        return new OverRings(RingSocketTest::withSmallRings);
    }

    static SocketSettings withSmallRings(SocketSettings settings) {
        return settings.withRingBytes(RING_BYTES);
    }

    @BeforeEach
    void connect() throws IOException {
        listener = provider.openServerSocketChannel().bind(LOOPBACK);
        client = provider.openSocketChannel();
        client.connect(listener.getLocalAddress());
        server = listener.accept();
        assertThat(OverRings.isOverRings(client)).isTrue();
        assertThat(OverRings.isOverRings(server)).isTrue();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        listener.close();
        rings.close();
    }

    private static ByteBuffer bytes(int length) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(length);
        for (int i = 0; i < length; i++) {
            bytes.put(i, (byte) (i * 31 >> 3));
        }
        return bytes;
    }

    private static ByteBuffer readFully(SocketChannel channel, int length) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(length);
        while (target.hasRemaining() && channel.read(target) >= 0) {
            // until all is there
        }
        return target.flip();
    }

    /** Waits until this number of bytes can be read, some of which a network may still carry. */
    private static void awaitArrival(SocketChannel channel, int length) throws IOException {
        while (channel.socket().getInputStream().available() < length) {
            Thread.onSpinWait();
        }
    }

    private interface Call {
        void run() throws Exception;
    }

    /** Runs on a thread of its own. */
    private static CompletableFuture<Void> inBackground(Call call) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                call.run();
                ended.complete(null);
            } catch (Throwable e) {
                ended.completeExceptionally(e);
            }
        });
        return ended;
    }

    @Test
    void bytesCrossInBothDirectionsAtOnceThoughTheRingsAreSmall() throws Exception {
        ByteBuffer sent = bytes(1 << 20);
        var writing = inBackground(() -> client.write(sent.duplicate()));
        var answering = inBackground(() -> server.write(sent.duplicate()));
        var receiving = inBackground(
                () -> assertThat(readFully(server, sent.capacity())).isEqualTo(sent));

        assertThat(readFully(client, sent.capacity())).isEqualTo(sent);
        writing.get();
        answering.get();
        receiving.get();
    }

    @Test
    void gatheredAndScatteredBytesKeepTheirOrder() throws IOException {
        ByteBuffer[] sources = {bytes(10), ByteBuffer.allocate(0), bytes(200)};
        assertThat(client.write(sources)).isEqualTo(210);

        ByteBuffer[] targets = {ByteBuffer.allocate(5), ByteBuffer.allocate(5), ByteBuffer.allocateDirect(300)};
        assertThat(server.read(targets)).isEqualTo(210);
        assertThat(targets[2].flip()).isEqualTo(bytes(200));
    }

    @Test
    void aReadOnlyBufferIsNoTarget() {
        assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1).asReadOnlyBuffer()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void selectorsEchoThousandsOfMessages() throws Exception {
        int messages = 20_000;
        server.configureBlocking(false);
        var echoing = inBackground(() -> {
            try (Selector selector = provider.openSelector()) {
                server.register(selector, SelectionKey.OP_READ);
                ByteBuffer message = ByteBuffer.allocateDirect(64);
                for (int i = 0; i < messages; i++) {
                    message.clear();
                    while (message.hasRemaining()) {
                        selector.select();
                        selector.selectedKeys().clear();
                        server.read(message);
                    }
                    server.write(message.flip());
                }
            }
        });
        ByteBuffer message = ByteBuffer.allocateDirect(64);
        for (int i = 0; i < messages; i++) {
            client.write(message.clear().putInt(0, i));
            assertThat(readFully(client, 64).getInt()).isEqualTo(i);
        }
        echoing.get();
    }

    @Test
    void aSelectorSleepsWhileNothingComes() throws IOException {
        server.configureBlocking(false);
        try (Selector selector = provider.openSelector()) {
            server.register(selector, SelectionKey.OP_READ);
            client.write(bytes(10));
            assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
            readFully(server, 10);
            selector.selectedKeys().clear();

            long began = System.nanoTime();
            assertThat(selector.select(200)).isZero();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(190));
        }
    }

    @Test
    void unreadBytesAreReportedAgain() throws IOException {
        server.configureBlocking(false);
        try (Selector selector = provider.openSelector()) {
            server.register(selector, SelectionKey.OP_READ);
            client.write(bytes(10));
            for (int i = 0; i < 3; i++) {
                assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
                selector.selectedKeys().clear();
                readFully(server, 2);
            }
            assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
            assertThat(selector.select(FOR_EVER_MILLIS))
                    .as("selected already, and not for more")
                    .isZero();
        }
    }

    @Test
    void aWriterIsReadyOnceItHasRoom() throws IOException {
        client.configureBlocking(false);
        try (Selector selector = provider.openSelector()) {
            client.register(selector, SelectionKey.OP_WRITE);
            assertThat(client.write(bytes(2 * RING_BYTES))).isEqualTo(RING_BYTES);
            assertThat(selector.selectNow()).isZero();
            readFully(server, 100);
            assertThat(selector.selectNow()).as("a little room").isZero();

            var reading = inBackground(() -> readFully(server, RING_BYTES - 100));
            assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
            reading.join();
        }
    }

    @Test
    void twoSelectorsOfOneChannelBothWake() throws Exception {
        server.configureBlocking(false);
        try (Selector first = provider.openSelector();
                Selector second = provider.openSelector()) {
            server.register(first, SelectionKey.OP_READ);
            server.register(second, SelectionKey.OP_READ);
            for (int i = 0; i < 50; i++) {
                var waiting = inBackground(
                        () -> assertThat(first.select(FOR_EVER_MILLIS)).isOne());
                var waitingToo = inBackground(
                        () -> assertThat(second.select(FOR_EVER_MILLIS)).isOne());
                client.write(bytes(5));
                waiting.get();
                waitingToo.get();
                readFully(server, 5);
                first.selectedKeys().clear();
                second.selectedKeys().clear();
            }
        }
    }

    @Test
    void interestMayChangeBetweenSelections() throws IOException {
        server.configureBlocking(false);
        try (Selector selector = provider.openSelector()) {
            SelectionKey key = server.register(selector, 0);
            client.write(bytes(5));
            awaitArrival(server, 5);
            assertThat(selector.selectNow()).isZero();
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
            assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            assertThatThrownBy(() -> key.interestOps(SelectionKey.OP_ACCEPT))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aNonBlockingConnectIsReportedAndFinished() throws IOException {
        try (Selector selector = provider.openSelector();
                SocketChannel other = provider.openSocketChannel()) {
            other.configureBlocking(false);
            SelectionKey key = other.register(selector, SelectionKey.OP_CONNECT);
            if (!other.connect(listener.getLocalAddress())) {
                assertThat(other.isConnected()).isFalse();
                assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
                assertThat(other.finishConnect()).isTrue();
            }
            assertThat(OverRings.isOverRings(other)).isTrue();
            selector.selectedKeys().clear();
            key.interestOps(SelectionKey.OP_READ);
            try (SocketChannel accepted = listener.accept()) {
                accepted.write(bytes(3));
                assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
                assertThat(other.read(ByteBuffer.allocate(9))).isEqualTo(3);
            }
        }
    }

    @Test
    void aSelectionCountsAnotherChannelBesideAConnectionThatIsStillSelected() throws IOException {
        Pipe pipe = provider.openPipe();
        try (Selector selector = provider.openSelector();
                SocketChannel other = provider.openSocketChannel();
                Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            other.configureBlocking(false);
            source.configureBlocking(false);
            SelectionKey key = other.register(selector, SelectionKey.OP_CONNECT);
            SelectionKey sourceKey = source.register(selector, SelectionKey.OP_READ);
            assertThat(other.connect(listener.getLocalAddress())).isFalse();
            assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
            assertThat(other.finishConnect()).isTrue();
            assertThat(OverRings.isOverRings(other)).isTrue();
            key.interestOps(0);
            sink.write(bytes(1));

            assertThat(selector.selectNow()).isOne();
            assertThat(selector.selectedKeys()).contains(sourceKey);
        }
    }

    @Test
    void connectionsDoNotWaitForASlowApplication() throws IOException {
        try (SocketChannel first = provider.openSocketChannel();
                SocketChannel second = provider.openSocketChannel()) {
            first.connect(listener.getLocalAddress());
            second.connect(listener.getLocalAddress());
            assertThat(OverRings.isOverRings(first)).isTrue();
            first.write(bytes(1));
            second.write(bytes(2));

            try (SocketChannel accepted = listener.accept();
                    SocketChannel acceptedNext = listener.accept()) {
                assertThat(accepted.getRemoteAddress()).isEqualTo(first.getLocalAddress());
                assertThat(acceptedNext.read(ByteBuffer.allocate(9))).isEqualTo(2);
            }
        }
    }

    @Test
    void aSelectorSeesAConnectionThatWaits() throws IOException {
        listener.configureBlocking(false);
        try (Selector selector = provider.openSelector();
                SocketChannel other = provider.openSocketChannel()) {
            listener.register(selector, SelectionKey.OP_ACCEPT);
            var connecting = inBackground(() -> other.connect(listener.getLocalAddress()));
            assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
            try (SocketChannel accepted = listener.accept()) {
                connecting.join();
                assertThat(accepted).isNotNull();
                assertThat(OverRings.isOverRings(accepted)).isTrue();
            }
            selector.selectedKeys().clear();
            assertThat(selector.selectNow()).isZero();
        }
    }

    /** As the JDK's selector, which does not wait while a selected key is ready. */
    @Test
    void aSelectionDoesNotWaitForAListenerThatIsSelectedAlready() throws IOException {
        listener.configureBlocking(false);
        try (Selector selector = provider.openSelector();
                SocketChannel waiting =
                        SocketChannel.open(listener.getLocalAddress())) { // of the JDK, so it offers no rings
            SelectionKey key = listener.register(selector, SelectionKey.OP_ACCEPT);
            assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
            long began = System.nanoTime();
            assertThat(selector.select(FOR_EVER_MILLIS)).isZero();

            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(FOR_EVER_MILLIS / 2));
            assertThat(selector.selectedKeys()).containsExactly(key);
            listener.accept().close();
            assertThat(waiting.isConnected()).isTrue();
        }
    }

    /** As the JDK's, which heeds an interrupt in calls that may wait. */
    @Test
    void anInterruptChangesNothingOfAnAcceptThatDoesNotWait() throws Exception {
        listener.configureBlocking(false);
        SocketChannel another = provider.openSocketChannel();
        var connecting = inBackground(() -> another.connect(listener.getLocalAddress()));
        SocketChannel accepted = null;
        Thread.currentThread().interrupt();
        while (accepted == null) {
            accepted = listener.accept();
        }

        assertThat(Thread.interrupted()).isTrue();
        connecting.get();
        assertThat(OverRings.isOverRings(accepted)).isTrue();
        another.write(bytes(10));
        assertThat(readFully(accepted, 10)).isEqualTo(bytes(10));
        accepted.close();
        another.close();
    }

    @Test
    void aListenerThatClosesResetsWhatItHasNotGivenOut() throws Exception {
        try (SocketChannel other = provider.openSocketChannel()) {
            other.connect(listener.getLocalAddress());
            Thread.sleep(50); // until the thread that has accepted it is done, which would reset it, too
            listener.close();

            assertThatThrownBy(() -> other.read(ByteBuffer.allocate(1))).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void anEndFollowsTheLastByteAndTheOtherDirectionGoesOn() throws IOException {
        client.write(bytes(5));
        client.shutdownOutput();

        assertThat(readFully(server, 100).remaining()).isEqualTo(5);
        assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        server.write(bytes(7));
        assertThat(readFully(client, 7)).isEqualTo(bytes(7));
        assertThatThrownBy(() -> client.write(bytes(1))).isInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void aCloseWithUnreadBytesIsAReset() throws IOException {
        server.write(bytes(9));
        client.write(bytes(5));
        awaitArrival(server, 5);
        server.close();

        assertThat(readFully(client, 9)).isEqualTo(bytes(9));
        assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1))).isInstanceOf(SocketException.class);
    }

    @Test
    void aCloseWithoutLingerIsAReset() throws IOException {
        server.setOption(StandardSocketOptions.SO_LINGER, 0);
        server.close();

        assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1))).isInstanceOf(SocketException.class);
    }

    @Test
    void aCloseWithoutUnreadBytesIsAnEnd() throws IOException {
        server.write(bytes(9));
        server.close();

        assertThat(readFully(client, 100).remaining()).isEqualTo(9);
        assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        client.write(bytes(1)); // as over TCP, which learns only then that the peer has closed
        assertThatThrownBy(() -> client.write(bytes(1))).isInstanceOf(IOException.class);
    }

    @Test
    void closingAChannelEndsTheReadAndTheWriteOfOthers() throws Exception {
        var reading = inBackground(() -> client.read(ByteBuffer.allocate(1)));
        var writing = inBackground(() -> client.write(bytes(3 * RING_BYTES)));
        Thread.sleep(100);
        client.close();

        assertThat(reading)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(AsynchronousCloseException.class);
        assertThat(writing)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void anInterruptClosesTheChannel() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        var reading = inBackground(() -> {
            thread.complete(Thread.currentThread());
            client.read(ByteBuffer.allocate(1));
        });
        thread.get().interrupt();

        assertThat(reading)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(ClosedByInterruptException.class);
        assertThat(client.isOpen()).isFalse();
    }

    @Test
    void aShutDownInputEndsTheReadOfAnotherThreadAndWritesGoOn() throws Exception {
        var reading = inBackground(
                () -> assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1));
        Thread.sleep(50);
        client.shutdownInput();
        reading.get();

        ByteBuffer sent = bytes(10 * RING_BYTES);
        var receiving = inBackground(
                () -> assertThat(readFully(server, sent.capacity())).isEqualTo(sent));
        client.write(sent.duplicate());
        receiving.get();
    }

    @Test
    void streamsReadWriteAndTimeOut() throws Exception {
        Socket socket = client.socket();
        socket.setSoTimeout(50);
        assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        server.socket().getOutputStream().write(new byte[] {1, 2, 3});
        assertThat(socket.getInputStream().readNBytes(3)).containsExactly(1, 2, 3);
        assertThat(socket.getInputStream().available()).isZero();
        socket.shutdownOutput();
        assertThat(socket.isOutputShutdown()).isTrue();
        assertThat(server.socket().getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void virtualThreadsThatReadOccupyNoCarrier() throws Exception {
        int waiting = 64; // more than there are carriers
        CountDownLatch ended = new CountDownLatch(waiting);
        SocketChannel[] clients = new SocketChannel[waiting];
        SocketChannel[] servers = new SocketChannel[waiting];
        for (int i = 0; i < waiting; i++) {
            clients[i] = provider.openSocketChannel();
            clients[i].connect(listener.getLocalAddress());
            servers[i] = listener.accept();
            SocketChannel reader = servers[i];
            Thread.ofVirtual().start(() -> {
                try {
                    reader.read(ByteBuffer.allocate(1));
                    ended.countDown();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
        }
        CountDownLatch ran = new CountDownLatch(1);
        Thread.ofVirtual().start(ran::countDown);
        ran.await();
        for (int i = 0; i < waiting; i++) {
            clients[i].write(bytes(1));
        }
        ended.await();
        for (int i = 0; i < waiting; i++) {
            clients[i].close();
            servers[i].close();
        }
    }

    @Test
    void whatIsNotOursIsTcpAndSaysWhy() throws IOException {
        try (SocketChannel foreign = SocketChannel.open(listener.getLocalAddress());
                SocketChannel accepted = listener.accept()) {
            assertThat(accepted.getOption(UrmaSocketOptions.TRANSPORT)).isEqualTo("tcp");
            assertThat(accepted.getOption(UrmaSocketOptions.FALLBACK_REASON)).isEqualTo(FallbackReason.NO_OFFER);
            foreign.write(bytes(3));
            assertThat(accepted.read(ByteBuffer.allocate(9))).isEqualTo(3);
        }
        try (ServerSocketChannel foreign = ServerSocketChannel.open().bind(LOOPBACK);
                SocketChannel channel = provider.openSocketChannel()) {
            channel.connect(foreign.getLocalAddress());
            assertThat(channel.getOption(UrmaSocketOptions.FALLBACK_REASON)).isEqualTo(FallbackReason.NO_LISTENER);
        }
        assertThatThrownBy(() -> client.setOption(UrmaSocketOptions.TRANSPORT, "tcp"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void withoutMemoryConnectionsAreTcp() throws IOException {
        try (OverRings few = new OverRings(
                        settings -> settings.withRingBytes(RING_BYTES).withMemoryBytes(100_000));
                ServerSocketChannel busy =
                        few.provider().openServerSocketChannel().bind(LOOPBACK);
                SocketChannel first = few.provider().openSocketChannel();
                SocketChannel second = few.provider().openSocketChannel()) {
            first.connect(busy.getLocalAddress());
            second.connect(busy.getLocalAddress());

            assertThat(OverRings.isOverRings(first)).isTrue();
            assertThat(second.getOption(UrmaSocketOptions.FALLBACK_REASON)).isEqualTo(FallbackReason.MEMORY);
        }
    }

    @Test
    void ringsAreUsedAgain() throws IOException {
        long before = descriptors();
        for (int i = 0; i < 2000; i++) {
            try (SocketChannel other = provider.openSocketChannel()) {
                other.connect(listener.getLocalAddress());
                try (SocketChannel accepted = listener.accept()) {
                    assertThat(OverRings.isOverRings(accepted))
                            .as("connection %d", i)
                            .isTrue();
                    other.write(bytes(10));
                    assertThat(accepted.read(ByteBuffer.allocate(100))).isEqualTo(10);
                }
            }
        }
        assertThat(descriptors()).isLessThan(before + 20);
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @Test
    void requiredRingsAreRefusedWhereThereAreNone() throws IOException {
        LazyNode node = new LazyNode(
                SocketSettings.of(Mode.REQUIRE), UrmaOptions.DEFAULT.withRuntimeDirectory(rings.directory()));
        try (ServerSocketChannel foreign = ServerSocketChannel.open().bind(LOOPBACK);
                SocketChannel channel = new UrmaSelectorProvider(node).openSocketChannel()) {
            assertThatThrownBy(() -> channel.connect(foreign.getLocalAddress()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("urma.socket.mode")
                    .hasMessageContaining("NO_LISTENER");
            assertThat(channel.isOpen()).isFalse();
        } finally {
            node.close();
        }
    }

    /** The thread that writes reads from TCP meanwhile, and the shutdown ends that, too. */
    private void endAWriteByAShutdown() throws Exception {
        ByteBuffer all = ByteBuffer.allocate(10 * RING_BYTES);
        CompletableFuture<Integer> writing = Background.call(() -> client.write(all));
        awaitFull(all);

        client.shutdownOutput();

        assertThat(writing)
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void aReadSeesAResetAfterAShutdownThatHasEndedAWrite() throws Exception {
        endAWriteByAShutdown();
        awaitArrival(server, RING_BYTES);
        server.close();

        assertThat(Background.call(() -> client.read(ByteBuffer.allocate(1))))
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(SocketException.class);
    }

    @Test
    void aSelectorSeesAResetAfterAShutdownThatHasEndedAWrite() throws Exception {
        endAWriteByAShutdown();
        readFully(server, RING_BYTES);
        server.setOption(StandardSocketOptions.SO_LINGER, 0);
        server.close();

        client.configureBlocking(false);
        try (Selector selector = provider.openSelector()) {
            client.register(selector, SelectionKey.OP_READ);
            assertThat(selector.select(FOR_EVER_MILLIS)).isOne();
            assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1))).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void aShutdownOfTheOutputEndsAWriteThatWaits() throws Exception {
        endAWriteByAShutdown();

        assertThat(client.isOpen()).isTrue();
        ByteBuffer received = ByteBuffer.allocate(20 * RING_BYTES);
        while (server.read(received) >= 0) {
            assertThat(received.hasRemaining()).isTrue();
        }
        assertThat(received.position()).isEqualTo(RING_BYTES);
        server.write(ByteBuffer.allocate(3));
        ByteBuffer answer = ByteBuffer.allocate(3);
        assertThat(client.read(answer)).isEqualTo(3);
        server.close();
        assertThat(client.read(answer.clear())).isEqualTo(-1);
    }

    /** Until the ring has no more room for it. */
    private static void awaitFull(ByteBuffer source) throws InterruptedException {
        int before = -1;
        while (before != source.position() || before == 0) {
            before = source.position();
            Thread.sleep(100);
        }
    }

    @Test
    void aShutdownOfTheOutputEndsAWriteThatWaitsBesideARead() throws Exception {
        CompletableFuture<Integer> reading = Background.call(() -> client.read(ByteBuffer.allocate(10)));
        Thread.sleep(100); // it listens to TCP
        ByteBuffer all = ByteBuffer.allocate(10 * RING_BYTES);
        CompletableFuture<Integer> writing = Background.call(() -> client.write(all));
        awaitFull(all);

        client.shutdownOutput();

        assertThat(writing).failsWithin(Duration.ofSeconds(20));
        server.write(ByteBuffer.allocate(3));
        assertThat(reading).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(3);
    }

    @Test
    void aListenerThatRequiresRingsAcceptsNothingElse() throws Exception {
        try (OverRings required =
                        new OverRings(_ -> SocketSettings.of(Mode.REQUIRE).withOfferTimeout(Duration.ofSeconds(10)));
                ServerSocketChannel strict =
                        required.provider().openServerSocketChannel().bind(LOOPBACK);
                SocketChannel plain = SocketChannel.open(strict.getLocalAddress());
                SocketChannel overRings = required.provider().openSocketChannel()) {
            CompletableFuture<SocketChannel> accepting = Background.call(strict::accept);
            overRings.connect(strict.getLocalAddress());

            assertThat(accepting).succeedsWithin(Duration.ofSeconds(20));
            try (SocketChannel accepted = accepting.resultNow()) {
                assertThat(OverRings.isOverRings(accepted)).isTrue();
                assertThat(accepted.getRemoteAddress()).isEqualTo(overRings.getLocalAddress());
            }
            assertThat(plain.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    void whatSaysHowAConnectionIsMadeCannotBeChanged() throws IOException {
        for (SocketOption<?> option : client.supportedOptions()) {
            setAsItIs(client, option);
        }
        assertThatThrownBy(() -> client.setOption(UrmaSocketOptions.TRANSPORT, "tcp"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("urma-transport");
        assertThat(OverRings.isOverRings(client)).isTrue();
    }

    private static <T> void setAsItIs(SocketChannel channel, SocketOption<T> option) throws IOException {
        T value = channel.getOption(option);
        if (value != null && !option.name().equals("SO_INCOMING_NAPI_ID")) { // the JDK's own refuses that
            channel.setOption(option, value);
        }
    }

    @Test
    void aConnectionTellsItsTransport() {
        assertThat(client.toString()).contains(transport());
    }
}
