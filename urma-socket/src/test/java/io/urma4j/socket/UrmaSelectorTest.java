package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UrmaSelectorTest {
    private static final int FOR_EVER_MILLIS = 30_000;

    private final UrmaSelectorProvider provider = new UrmaSelectorProvider();
    private Selector selector;
    private Pipe pipe;

    @BeforeEach
    void open() throws IOException {
        selector = provider.openSelector();
        pipe = provider.openPipe();
        pipe.source().configureBlocking(false);
    }

    @AfterEach
    void close() throws IOException {
        selector.close();
        pipe.source().close();
        pipe.sink().close();
    }

    private SelectionKey register() throws IOException {
        return pipe.source().register(selector, SelectionKey.OP_READ);
    }

    private void send() throws IOException {
        assertThat(pipe.sink().write(ByteBuffer.wrap(new byte[1]))).isOne();
    }

    @Test
    void keysAndChannelsAreOurs() throws IOException {
        SelectionKey key = register();
        send();

        assertThat(selector.select()).isOne();
        assertThat(selector.selectedKeys()).containsExactly(key);
        assertThat(key.channel()).isSameAs(pipe.source());
        assertThat(key.selector()).isSameAs(selector);
        assertThat(pipe.source().provider()).isSameAs(provider);
        assertThat(selector.provider()).isSameAs(provider);
    }

    @Test
    void aWakeUpBeforeASelectionEndsIt() throws IOException {
        selector.wakeup();

        assertThat(selector.select(FOR_EVER_MILLIS)).isZero();
    }

    /** The look that removes a cancelled key takes the wake-up from the JDK's selector. */
    @Test
    void aWakeUpBesideACancelledKeyEndsTheNextSelection() throws IOException {
        register().cancel();
        selector.wakeup();
        long began = System.nanoTime();

        assertThat(selector.select(FOR_EVER_MILLIS)).isZero();

        assertThat((System.nanoTime() - began) / 1_000_000).isLessThan(FOR_EVER_MILLIS / 2);
        assertThat(selector.keys()).isEmpty();
    }

    @Test
    void aWakeUpServesOneSelection() throws IOException {
        selector.wakeup();
        assertThat(selector.selectNow()).isZero();
        long began = System.nanoTime();

        assertThat(selector.select(100)).isZero();

        assertThat((System.nanoTime() - began) / 1_000_000).isGreaterThanOrEqualTo(99);
    }

    @Test
    void aWakeUpOfAnotherThreadEndsAWaitingSelection() throws Exception {
        register();
        CompletableFuture<Integer> selecting = waiting();

        selector.wakeup();

        assertThat(selecting.get()).isZero();
    }

    /** A selection that another thread waits in. */
    private CompletableFuture<Integer> waiting() throws InterruptedException {
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        CountDownLatch begins = new CountDownLatch(1);
        Thread.ofPlatform().daemon().start(() -> {
            begins.countDown();
            try {
                ended.complete(selector.select(FOR_EVER_MILLIS));
            } catch (IOException | RuntimeException e) {
                ended.completeExceptionally(e);
            }
        });
        begins.await();
        Thread.sleep(20); // mostly it waits by now; the results are the same if not
        return ended;
    }

    @Test
    void closingASelectorEndsItsSelection() throws Exception {
        SelectionKey key = register();
        CompletableFuture<Integer> selecting = waiting();

        selector.close();

        assertThat(selecting
                        .handle((count, failure) -> failure == null ? count : -1)
                        .get())
                .isBetween(-1, 0);
        assertThat(key.isValid()).isFalse();
        assertThat(pipe.source().isRegistered()).isFalse();
        assertThatThrownBy(() -> selector.selectNow()).isInstanceOf(ClosedSelectorException.class);
    }

    @Test
    void aKeyThatIsCancelledDuringASelectionIsGoneAfterIt() throws Exception {
        SelectionKey key = register();
        CompletableFuture<Integer> selecting = waiting();

        key.cancel();
        selector.wakeup();

        assertThat(selecting.get()).isZero();
        assertThat(selector.keys()).isEmpty();
        assertThat(pipe.source().isRegistered()).isFalse();
        assertThat(register().isValid()).isTrue();
    }

    /** As the JDK's HTTP server does with each connection whose request has come. */
    @Test
    void aChannelMayBlockOnceItsKeyIsCancelled() throws IOException {
        SelectionKey key = register();
        key.cancel();

        pipe.source().configureBlocking(true);
        send();
        assertThat(pipe.source().read(ByteBuffer.allocate(10))).isOne();

        pipe.source().configureBlocking(false);
        assertThatThrownBy(this::register).isInstanceOf(CancelledKeyException.class);
        assertThat(selector.selectNow()).isZero();
        SelectionKey next = register();
        send();
        assertThat(selector.selectNow()).isOne();
        assertThat(selector.selectedKeys()).containsExactly(next);
    }

    @Test
    void aChannelThatIsRegisteredCannotBlock() throws IOException {
        register();

        assertThatThrownBy(() -> pipe.source().configureBlocking(true))
                .isInstanceOf(java.nio.channels.IllegalBlockingModeException.class);
    }

    /** It would have a key of ours beside that of the JDK, and keep its descriptor for ever. */
    @Test
    void aChannelOfTheJdkIsRefused() throws IOException {
        Pipe jdks = SelectorProvider.provider().openPipe();
        jdks.source().configureBlocking(false);
        try (var source = jdks.source();
                var _ = jdks.sink()) {
            assertThatThrownBy(() -> source.register(selector, SelectionKey.OP_READ))
                    .isInstanceOf(IllegalSelectorException.class);
        }
    }

    @Test
    void theSelectedKeysCannotGrow() throws IOException {
        SelectionKey key = register();

        assertThatThrownBy(() -> selector.selectedKeys().add(key)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> selector.selectedKeys().addAll(selector.keys()))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> selector.keys().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void anActionCannotSelect() throws IOException {
        register();
        send();

        int performed = selector.select(key -> assertThatThrownBy(selector::selectNow)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("select in progress"));

        assertThat(performed).isOne();
    }

    /** Of a channel that the JDK's selector reports without end, and that has to be asked from the first report on. */
    private static final class Deaf implements Readiness {
        private int reports;

        @Override
        public int innerInterest(int interest) {
            return hasToPoll() ? 0 : interest;
        }

        @Override
        public void woken() {
            reports++;
        }

        @Override
        public int ready(int interest, boolean isInnerReady) {
            return 0;
        }

        @Override
        public boolean hasNews(int interest) {
            return false;
        }

        @Override
        public void released() {}

        @Override
        public boolean hasToPoll() {
            return reports > 0;
        }
    }

    @Test
    void aChannelThatHasToBePolledIsNotWatchedAnyMore() throws IOException {
        Deaf deaf = new Deaf();
        ((UrmaSelectionKey) register()).take(deaf);
        send();

        assertThat(selector.select(50)).isZero();
        assertThat(deaf.reports).isOne();
    }

    @Test
    void anInterruptClosesTheChannelThatWaits() throws Exception {
        pipe.source().configureBlocking(true);
        CompletableFuture<Throwable> reading = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
            try {
                pipe.source().read(ByteBuffer.allocate(1));
            } catch (IOException e) {
                reading.complete(e);
            }
        });
        Thread.sleep(20);

        reader.interrupt();

        assertThat(reading.get()).isInstanceOf(ClosedByInterruptException.class);
        assertThat(pipe.source().isOpen()).isFalse();
    }

    @Test
    void closingAChannelEndsItsRead() throws Exception {
        pipe.source().configureBlocking(true);
        CompletableFuture<Throwable> reading = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                pipe.source().read(ByteBuffer.allocate(1));
            } catch (IOException e) {
                reading.complete(e);
            }
        });
        Thread.sleep(20);

        pipe.source().close();

        assertThat(reading.get()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void channelsThatCloseWhileRegisteredLeaveNoDescriptor() throws IOException {
        lives(10);
        long before = descriptors();

        lives(200);

        assertThat(descriptors()).isEqualTo(before);
    }

    /** Connections that are registered, ready, closed and cancelled in several orders. */
    private void lives(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            try (ServerSocketChannel listener = provider.openServerSocketChannel();
                    SocketChannel client = provider.openSocketChannel()) {
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                client.connect(listener.getLocalAddress());
                SocketChannel accepted = listener.accept();
                for (SelectableChannel channel : new SelectableChannel[] {listener, client, accepted}) {
                    channel.configureBlocking(false);
                    channel.register(selector, channel.validOps());
                }
                selector.selectNow();
                if (i % 2 == 0) {
                    client.keyFor(selector).cancel();
                    selector.selectNow();
                }
                accepted.close();
                if (i % 3 == 0) {
                    selector.selectNow();
                    selector.selectedKeys().clear();
                }
            }
            selector.selectNow();
            assertThat(selector.keys()).isEmpty();
        }
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }
}
