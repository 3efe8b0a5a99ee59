package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaOptions;
import io.urma4j.socket.peering.SocketSettings;
import io.urma4j.socket.peering.SocketSettings.Mode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections that cannot use rings are TCP, say why, and lose nothing. */
@Timeout(60)
class FallbacksTest {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int TRIES = 64; // the kernel chooses among listeners of one port by the client's

    /** Sends each connection one byte, which names the listener. */
    private static void serve(ServerSocketChannel listener, byte name) {
        var _ = Background.run(() -> {
            while (true) {
                SocketChannel accepted = listener.accept();
                accepted.write(ByteBuffer.wrap(new byte[] {name}));
            }
        });
    }

    /** A connection, and the listener that has accepted it. */
    private record Served(FallbackReason reason, boolean isOverRings, byte by) {}

    private static Served connect(SelectorProvider provider, SocketAddress address) throws IOException {
        try (SocketChannel channel = provider.openSocketChannel()) {
            channel.connect(address);
            ByteBuffer one = ByteBuffer.allocate(1);
            assertThat(channel.read(one)).isOne();
            FallbackReason reason = channel.getOption(UrmaSocketOptions.FALLBACK_REASON);
            return new Served(reason, OverRings.isOverRings(channel), one.get(0));
        }
    }

    @Test
    void withoutARuntimeDirectoryConnectionsAreTcp(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("no-directory"));
        var node = new LazyNode(SocketSettings.of(Mode.AUTO), UrmaOptions.DEFAULT.withRuntimeDirectory(file));
        var provider = new UrmaSelectorProvider(node);
        try (ServerSocketChannel listener = provider.openServerSocketChannel().bind(LOOPBACK)) {
            serve(listener, (byte) 'a');

            assertThat(connect(provider, listener.getLocalAddress()))
                    .isEqualTo(new Served(FallbackReason.NO_DEVICE, false, (byte) 'a'));
        } finally {
            node.close();
        }
    }

    /** As behind a proxy or a redirect: what was offered to one process has reached another. */
    @Test
    void aListenerThatTakesNoOfferIsLeftAloneForAWhile() throws IOException {
        try (OverRings rings = new OverRings(settings -> settings.withOfferTimeout(Duration.ofMillis(300)));
                ServerSocketChannel ours = reusing(rings.provider()).bind(LOOPBACK);
                ServerSocketChannel foreign =
                        reusing(SelectorProvider.provider()).bind(ours.getLocalAddress())) {
            serve(ours, (byte) 'o');
            serve(foreign, (byte) 'f');

            Served served = connect(rings.provider(), ours.getLocalAddress());
            for (int i = 1; i < TRIES && served.isOverRings(); i++) {
                assertThat(served.by()).isEqualTo((byte) 'o');
                served = connect(rings.provider(), ours.getLocalAddress());
            }
            assertThat(served).isEqualTo(new Served(FallbackReason.NOT_TAKEN, false, (byte) 'f'));

            Served next = connect(rings.provider(), ours.getLocalAddress());
            assertThat(next.reason()).isEqualTo(FallbackReason.LEFT_ALONE);
            assertThat(next.isOverRings()).isFalse();
        }
    }

    private static ServerSocketChannel reusing(SelectorProvider provider) throws IOException {
        return provider.openServerSocketChannel().setOption(StandardSocketOptions.SO_REUSEPORT, true);
    }

    /** Only one of them has the name of the port. The offer is found whichever of them accepts. */
    @Test
    void twoListenersOfOneProcessAtOnePortBothUseRings() throws IOException {
        try (OverRings rings = new OverRings();
                ServerSocketChannel first = reusing(rings.provider()).bind(LOOPBACK);
                ServerSocketChannel second = reusing(rings.provider()).bind(first.getLocalAddress())) {
            serve(first, (byte) '1');
            serve(second, (byte) '2');

            boolean[] seen = new boolean[3];
            for (int i = 0; i < TRIES && !(seen[1] && seen[2]); i++) {
                Served served = connect(rings.provider(), first.getLocalAddress());
                assertThat(served.isOverRings()).as("%s", served).isTrue();
                seen[served.by() - '0'] = true;
            }
            assertThat(seen).containsExactly(false, true, true);
        }
    }

    /** This end cannot know any more whether the server has taken the offer. */
    @Test
    @SuppressWarnings("try") // the node ends before its channel
    void aConnectWhoseNodeIsClosedMeanwhileFails() throws Exception {
        CompletableFuture<Void> accepts = new CompletableFuture<>();
        CompletableFuture<SocketChannel> nothing = new CompletableFuture<>();
        try (OverRings rings = new OverRings();
                SocketChannel waiting = rings.provider().openSocketChannel()) {
            CompletableFuture<Boolean> connecting;
            try (var listener = (UrmaServerSocketChannel)
                    rings.provider().openServerSocketChannel().bind(LOOPBACK)) {
                var _ = Background.call(() -> listener.accept(() -> {
                    accepts.complete(null);
                    return nothing.join();
                }));
                accepts.join();
                connecting = Background.call(() -> waiting.connect(listener.getLocalAddress()));
                while (!waiting.isConnectionPending() && !connecting.isDone()) {
                    Thread.onSpinWait();
                }
            }
            rings.close();

            assertThat(connecting)
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableThat()
                    .withCauseInstanceOf(IOException.class)
                    .withMessageContaining("It is not known");
            assertThat(waiting.isOpen()).isFalse();
        } finally {
            nothing.complete(null);
        }
    }
}
