package io.urma4j.socket.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One end of a connection, whose peer is a plain TCP connection and the words of two rings. */
@Timeout(30)
class RingConnectionTest {
    private static final int CAPACITY = 1024;
    private static final long PROOF = 0x1122_3344_5566_7788L;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment incoming = arena.allocate(RingLayout.lengthBytes(CAPACITY), 64);
    private final MemorySegment outgoing = arena.allocate(RingLayout.lengthBytes(CAPACITY), 64);
    private final RingReader peersReader = new RingReader(outgoing);
    private SocketChannel tcp;
    private SocketChannel peersTcp;
    private RingConnection connection;
    private RingWriter peersWriter;
    private boolean hasProcessEnded;
    private int retired;
    private int late;

    private final class Peer implements PeerProcess {
        @Override
        public boolean hasEnded() {
            return hasProcessEnded;
        }

        @Override
        public boolean isPrompt() {
            return late == 0;
        }

        @Override
        public void wasLate() {
            late++;
        }
    }

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            tcp = SocketChannel.open(listener.getLocalAddress());
            peersTcp = listener.accept();
        }
        tcp.configureBlocking(false);
        connection = new RingConnection(
                tcp, new RingReader(incoming), new RingWriter(outgoing), PROOF, new Peer(), () -> retired++);
        peersWriter = new RingWriter(incoming);
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        peersTcp.close();
        arena.close();
    }

    private void prove(long proof) throws IOException, InterruptedException {
        peersTcp.write(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(proof)
                .flip());
        Thread.sleep(20);
    }

    private void writeAsPeer(int length) throws IOException {
        peersWriter.write(ByteBuffer.allocate(length));
        peersWriter.publish();
    }

    private void endPeersTcp() throws IOException, InterruptedException {
        peersTcp.close();
        Thread.sleep(20);
        connection.drain();
    }

    private void resetPeersTcp() throws IOException, InterruptedException {
        peersTcp.setOption(StandardSocketOptions.SO_LINGER, 0);
        endPeersTcp();
    }

    private int read() throws IOException {
        return connection.read(ByteBuffer.allocate(100));
    }

    @Test
    void nothingIsReadOrWrittenBeforeThePeerHasProvenThatItHasTheRings() throws Exception {
        writeAsPeer(10);
        assertThat(read()).isZero();
        assertThat(connection.write(ByteBuffer.allocate(10))).isZero();
        assertThat(peersReader.available()).isZero();

        prove(PROOF);
        assertThat(read()).isEqualTo(10);
        assertThat(connection.write(ByteBuffer.allocate(10))).isEqualTo(10);
        assertThat(peersReader.available()).isEqualTo(10);
    }

    private static ByteBuffer ofClosedMemory(int length) {
        Arena closed = Arena.ofShared();
        ByteBuffer buffer = closed.allocate(length).asByteBuffer();
        closed.close();
        return buffer;
    }

    @Test
    void bytesBeforeABufferWhoseMemoryIsClosedAreWrittenAndTheNextWriteFails() throws Exception {
        prove(PROOF);
        ByteBuffer[] sources = {ByteBuffer.allocate(10), ofClosedMemory(5)};

        assertThat(connection.write(sources, 0, 2)).isEqualTo(10);
        assertThat(peersReader.available()).isEqualTo(10);
        assertThatThrownBy(() -> connection.write(sources, 0, 2)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aWaitingWriteOfABufferWhoseMemoryIsClosedFailsOnceTheBytesBeforeItAreWritten() throws Exception {
        prove(PROOF);
        connection.drain();
        ByteBuffer[] sources = {ByteBuffer.allocate(10), ofClosedMemory(5)};

        assertThatThrownBy(() -> connection.writeWaiting(sources, 0, 2)).isInstanceOf(IllegalStateException.class);
        assertThat(peersReader.available()).isEqualTo(10);
    }

    /** As TCP has room at once. A thread of Netty writes, and then waits for what the peer does with it. */
    @Test
    void aFirstWriteWaitsForTheProofThatIsOnItsWay() throws Exception {
        Thread writer = Thread.currentThread();
        Thread peer = Thread.ofPlatform().daemon().unstarted(() -> {
            while (writer.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            try {
                prove(PROOF);
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        peer.start();

        assertThat(connection.write(ByteBuffer.allocate(10))).isEqualTo(10);
        peer.join();
    }

    /** The device that carries the last bytes reports others meanwhile; it must not wait for the thread that waits for it. */
    @Test
    void aReadThatIsInterruptedKeepsNoLockWhileItWaitsForTheNetwork() throws Exception {
        AtomicBoolean hasArrived = new AtomicBoolean();
        Carrier carrier = new Carrier() {
            @Override
            public String device() {
                return "of the test";
            }

            @Override
            public boolean isShared() {
                return false;
            }

            @Override
            public void flush(long timeoutNanos) {
                Thread device = Thread.ofPlatform().daemon().start(() -> connection.arrived());
                hasArrived.set(joins(device));
            }
        };
        connection = new RingConnection(
                tcp, new RingReader(incoming), new RingWriter(outgoing), PROOF, new Peer(), () -> retired++, carrier);
        tcp.configureBlocking(true);
        prove(PROOF);
        Thread reading = Thread.ofPlatform().start(() -> {
            try {
                connection.readWaiting(ByteBuffer.allocate(1));
            } catch (IOException e) {
                // by the interrupt
            }
        });
        while (reading.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        reading.interrupt();
        reading.join();

        assertThat(hasArrived).isTrue();
    }

    private static boolean joins(Thread thread) {
        boolean wasInterrupted = Thread.interrupted();
        try {
            return thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void aProcessWithholdsItsProofOnce() throws Exception {
        assertThat(connection.write(ByteBuffer.allocate(10))).isZero();
        assertThat(late).isOne();
        assertThat(connection.write(ByteBuffer.allocate(10))).isZero();
        assertThat(late).isOne();
    }

    @Test
    void aPeerOfTcpThatHasNotTheRingsIsRefused() throws Exception {
        writeAsPeer(10);
        prove(PROOF + 1);

        assertThatThrownBy(this::read).isInstanceOf(SocketException.class).hasMessageContaining("is not the one");
        assertThatThrownBy(this::read).isInstanceOf(SocketException.class);
    }

    @Test
    void whatAPeerWroteBeforeItEndedIsRead() throws Exception {
        prove(PROOF);
        writeAsPeer(10);
        endPeersTcp();

        assertThat(read()).isEqualTo(10);
        assertThat(read()).isEqualTo(-1);
    }

    /** Whose unread doorbells the kernel takes for bytes of the program. */
    @Test
    void aProcessThatEndsWithoutACloseIsAnEndAndNoReset() throws Exception {
        prove(PROOF);
        writeAsPeer(10);
        peersReader.wantData();
        connection.write(ByteBuffer.allocate(1)); // a doorbell that nothing reads
        hasProcessEnded = true;
        endPeersTcp();

        assertThat(read()).isEqualTo(10);
        assertThat(read()).isEqualTo(-1);
    }

    /** Such as of a firewall: the bytes that came may be a part. */
    @Test
    void aResetWhileThePeersProcessLivesIsAReset() throws Exception {
        prove(PROOF);
        writeAsPeer(10);
        resetPeersTcp();

        assertThat(read()).isEqualTo(10);
        assertThatThrownBy(this::read).isInstanceOf(SocketException.class).hasMessageContaining("reset");
    }

    /** As if the JDK had closed the peer's TCP for an interrupt. */
    @Test
    void anEndOfTcpAfterAResetOfThePeerIsAReset() throws Exception {
        prove(PROOF);
        writeAsPeer(10);
        peersWriter.abort();
        endPeersTcp();

        assertThat(read()).isEqualTo(10);
        assertThatThrownBy(this::read).isInstanceOf(SocketException.class).hasMessageContaining("reset");
        assertThatThrownBy(this::read).isInstanceOf(SocketException.class);
    }

    @Test
    void aResetOfThePeerIsAResetAfterWhatItWrote() throws Exception {
        prove(PROOF);
        writeAsPeer(10);
        peersWriter.abort();
        resetPeersTcp();

        assertThat(read()).isEqualTo(10);
        assertThatThrownBy(this::read).isInstanceOf(SocketException.class).hasMessageContaining("reset");
    }

    @Test
    void aWriteToAProcessThatHasEndedFailsAsOverTcp() throws Exception {
        prove(PROOF);
        assertThat(read()).isZero();
        hasProcessEnded = true;
        peersTcp.close();
        Thread.sleep(20);

        assertThat(connection.write(ByteBuffer.allocate(10))).isEqualTo(10); // the kernel answers it with a reset
        Thread.sleep(20);
        assertThatThrownBy(() -> connection.write(ByteBuffer.allocate(10))).isInstanceOf(IOException.class);
    }

    @Test
    void aPeerThatCountsNoDoorbellsGetsNoMoreThanItCanHold() throws Exception {
        prove(PROOF);
        assertThat(read()).isZero();
        ByteBuffer one = ByteBuffer.allocate(1);
        for (int i = 0; i < 1000; i++) {
            peersReader.wantData();
            connection.write(one.clear());
        }
        tcp.shutdownOutput();
        int received = 0;
        for (int read = 0; read >= 0; read = peersTcp.read(ByteBuffer.allocate(2000))) {
            received += read;
        }
        assertThat(received).isEqualTo(64);
    }

    /** As of a connection that an interrupt closes, before its channel. */
    @Test
    void aKeyThatGoesBeforeTheSecondCloseKeepsNoRing() throws Exception {
        try (Selector selector = Selector.open()) {
            tcp.register(selector, SelectionKey.OP_READ);
            connection.close();
            assertThat(retired).as("the key is there").isZero();
            selector.selectNow();
            connection.close();
        }

        assertThat(retired).isOne();
    }

    @Test
    void theRingIsGivenBackOnce() throws Exception {
        connection.close();
        connection.close();

        assertThat(retired).isOne();
        assertThat(peersReader.hasWriter()).isFalse();
        assertThatThrownBy(this::read).isInstanceOf(IOException.class);
    }
}
