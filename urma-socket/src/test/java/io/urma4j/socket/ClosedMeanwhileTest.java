package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.socket.ring.RingConnection;
import io.urma4j.socket.ring.RingLayout;
import io.urma4j.socket.ring.RingReader;
import io.urma4j.socket.ring.RingWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Channels that are closed before they are connected. A connection has the only ring, so one that is kept shows. */
@Timeout(60)
class ClosedMeanwhileTest {
    private static final int RING_BYTES = 16 << 10;

    private final OverRings rings =
            new OverRings(settings -> settings.withRingBytes(RING_BYTES).withMemoryBytes(100_000));
    private final UrmaSelectorProvider provider = rings.provider();
    private ServerSocketChannel listener;
    private UrmaSocketChannel channel;

    @BeforeEach
    void open() throws IOException {
        listener = provider.openServerSocketChannel().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel = (UrmaSocketChannel) provider.openSocketChannel();
        channel.configureBlocking(false);
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        listener.close();
        rings.close();
    }

    private SocketAddress address() throws IOException {
        return listener.getLocalAddress();
    }

    private void assertThatTheRingIsFree() throws IOException {
        try (SocketChannel next = provider.openSocketChannel()) {
            next.connect(address());
            assertThat(OverRings.isOverRings(next))
                    .as("%s", next.getOption(UrmaSocketOptions.FALLBACK_REASON))
                    .isTrue();
        }
    }

    @Test
    void aChannelThatIsClosedBeforeItIsConnectedWithdrawsItsOffer() throws IOException {
        assertThat(channel.connect(address())).isFalse();
        channel.close();

        assertThatTheRingIsFree();
    }

    @Test
    void aChannelThatAnotherThreadClosesDuringItsConnectWithdrawsItsOffer() throws IOException {
        assertThat(channel.connect(address(), 0, () -> {
                    Background.run(channel::close).join();
                    return false;
                }))
                .isFalse();

        assertThatTheRingIsFree();
    }

    /** TCP is connected by then, and its end would be that of the doorbell. */
    @Test
    void aChannelIsNotShutDownBeforeItIsDecidedWhatItUses() throws IOException {
        try (SocketChannel tcp = SocketChannel.open();
                UrmaSocketChannel undecided = new UrmaSocketChannel(provider, tcp)) {
            SocketAddress address = address();
            undecided.connect(address, 0, () -> {
                boolean isConnected = tcp.connect(address);
                assertThatThrownBy(undecided::shutdownInput).isInstanceOf(NotYetConnectedException.class);
                assertThatThrownBy(undecided::shutdownOutput).isInstanceOf(NotYetConnectedException.class);
                assertThatThrownBy(undecided.socket()::shutdownInput).isInstanceOf(SocketException.class);
                assertThatThrownBy(undecided.socket()::shutdownOutput).isInstanceOf(SocketException.class);
                return isConnected;
            });

            assertThat(OverRings.isOverRings(undecided)).isTrue();
            undecided.shutdownOutput();
        }
    }

    @Test
    void aSecondConnectLeavesTheOfferOfTheFirst() throws IOException {
        assertThat(channel.connect(address())).isFalse();
        assertThatThrownBy(() -> channel.connect(address())).isInstanceOf(ConnectionPendingException.class);

        while (!channel.finishConnect()) {
            Thread.onSpinWait();
        }
        assertThat(OverRings.isOverRings(channel)).isTrue();
    }

    @Test
    void aListenerThatAnotherThreadClosesDuringItsBindLeavesNoName() throws IOException {
        var closed = new AtomicReference<UrmaServerSocketChannel>();
        closed.set(new UrmaServerSocketChannel(provider, new ForwardingListener(ServerSocketChannel.open()) {
            @Override
            public SocketAddress getLocalAddress() throws IOException {
                SocketAddress bound = super.getLocalAddress();
                Background.run(closed.get()::close).join();
                return bound;
            }
        }));
        SocketAddress address = address();
        listener.close();
        closed.get().bind(address);

        listener = provider.openServerSocketChannel().bind(address);
        assertThatTheRingIsFree();
    }

    @Test
    void aConnectionThatIsClosedBeforeItHasItsRingsGivesThemBack() throws IOException {
        MemorySegment incoming = Arena.ofAuto().allocate(RingLayout.lengthBytes(1024), 64);
        MemorySegment outgoing = Arena.ofAuto().allocate(RingLayout.lengthBytes(1024), 64);
        RingReader peersReader = new RingReader(outgoing);
        AtomicInteger retired = new AtomicInteger();
        SocketChannel tcp = SocketChannel.open();
        var agreed = new RingConnection(
                tcp, new RingReader(incoming), new RingWriter(outgoing), 0, () -> false, retired::incrementAndGet);
        tcp.close();

        assertThatThrownBy(() -> new UrmaSocketChannel(provider, tcp, agreed))
                .isInstanceOf(ClosedChannelException.class);
        assertThat(retired).hasValue(1);
        assertThat(peersReader.hasWriter()).isFalse();
    }

    @Test
    void aConnectionWhoseRingsAreGivenBackMeanwhileHasNoRow() throws IOException {
        Arena memory = Arena.ofShared();
        MemorySegment incoming = memory.allocate(RingLayout.lengthBytes(1024), 64);
        MemorySegment outgoing = memory.allocate(RingLayout.lengthBytes(1024), 64);
        try (ServerSocketChannel plain =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel tcp = SocketChannel.open(plain.getLocalAddress())) {
            var made = new UrmaSocketChannel(
                    provider,
                    tcp,
                    new RingConnection(
                            tcp, new RingReader(incoming), new RingWriter(outgoing), 0, () -> false, () -> {}));
            assertThat(made.describe(1)).isPresent();
            memory.close();

            assertThat(made.describe(1)).isEmpty();
        }
    }
}
