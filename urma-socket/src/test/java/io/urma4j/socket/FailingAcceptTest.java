package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.socket.peering.SocketSettings;
import io.urma4j.socket.peering.SocketSettings.Mode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners whose accepts fail while clients wait for them. */
@Timeout(60)
class FailingAcceptTest {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final OverRings rings = new OverRings();
    private final UrmaSelectorProvider provider = rings.provider();

    @AfterEach
    void close() throws IOException {
        rings.close();
    }

    private interface Failure {
        void fail() throws IOException;
    }

    /** The accept after this number of connections fails once. */
    private static final class Failing extends ForwardingListener {
        private final int after;
        private final Failure failure;
        private final CompletableFuture<Void> hasFailed = new CompletableFuture<>();
        private int accepted; // by one thread at a time

        Failing(int after, Failure failure) throws IOException {
            super(ServerSocketChannel.open());
            this.after = after;
            this.failure = failure;
        }

        @Override
        public SocketChannel accept() throws IOException {
            if (accepted == after && hasFailed.complete(null)) {
                failure.fail();
            }
            SocketChannel next = super.accept();
            accepted += next == null ? 0 : 1;
            return next;
        }
    }

    /** The JDK's selector takes no channel of a test, so the key of another listener stands for that of this one. */
    @Test
    void aSelectorHearsOfAConnectionThoughTheNextAcceptFails() throws Exception {
        var failing = new Failing(1, () -> {
            throw new IOException("of a test");
        });
        try (var listener = new UrmaServerSocketChannel(provider, failing);
                AbstractSelector inner = SelectorProvider.provider().openSelector();
                ServerSocketChannel another = ServerSocketChannel.open();
                SocketChannel client = provider.openSocketChannel()) {
            listener.bind(LOOPBACK);
            another.configureBlocking(false);
            SelectionKey innerKey = another.register(inner, 0);
            HotKeys hot = registered(listener, new UrmaSelector(provider, inner, provider.spinning()), innerKey);
            assertThat(hot.haveNews()).isFalse();

            client.connect(listener.getLocalAddress());
            assertThat(OverRings.isOverRings(client)).isTrue();
            failing.hasFailed.join();
            awaitNews(hot);
        }
    }

    /** A new key is asked once in any case. */
    private static HotKeys registered(UrmaServerSocketChannel listener, UrmaSelector selector, SelectionKey innerKey) {
        listener.delegate().registered(new UrmaSelectionKey(listener, listener.delegate(), selector, innerKey));
        selector.hot().ask();
        return selector.hot();
    }

    private static void awaitNews(HotKeys hot) {
        long began = System.nanoTime();
        while (!hot.haveNews()) {
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** The thread that receives greetings accepts for an application that does not. */
    @Test
    void anErrorOfAnAcceptEndsOneGreetingAlone() throws Exception {
        var failing = new Failing(0, () -> {
            throw new LinkageError("of a test");
        });
        LazyNode othersNode = OverRings.node(SocketSettings.of(Mode.AUTO).withOfferTimeout(LONG), rings.directory());
        try (var listener = new UrmaServerSocketChannel(provider, failing);
                SocketChannel client = provider.openSocketChannel();
                SocketChannel another = new UrmaSelectorProvider(othersNode).openSocketChannel()) {
            listener.bind(LOOPBACK);
            var connecting = Background.run(() -> client.connect(listener.getLocalAddress()));
            failing.hasFailed.join();
            try (SocketChannel accepted = listener.accept()) {
                connecting.get();
                assertThat(OverRings.isOverRings(accepted)).isTrue();
            }

            another.connect(listener.getLocalAddress());
            assertThat(OverRings.isOverRings(another)).isTrue();
        } finally {
            othersNode.close();
        }
    }

    /** It cannot tell its address. */
    private static final class Nameless extends ForwardingTcp {
        Nameless(SocketChannel tcp) {
            super(tcp);
        }

        @Override
        public SocketAddress getRemoteAddress() {
            throw new LinkageError("of a test");
        }
    }

    @Test
    void anErrorAfterAnAcceptClosesTheConnection() throws Exception {
        var tcp = new ForwardingListener(ServerSocketChannel.open()) {
            @Override
            public SocketChannel accept() throws IOException {
                return new Nameless(super.accept());
            }
        };
        try (var listener = new UrmaServerSocketChannel(provider, tcp)) {
            listener.bind(LOOPBACK);
            try (SocketChannel client = SocketChannel.open(listener.getLocalAddress())) {
                assertThatThrownBy(listener::accept).isInstanceOf(LinkageError.class);

                assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            }
        }
    }
}
