package io.urma4j.socket.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.socket.Background;
import io.urma4j.socket.ForwardingTcp;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A TCP connection beside two rings, whose peer the test plays. */
@Timeout(30)
class DoorbellTest {
    private static final int CAPACITY = 1024;
    private static final long PROOF = 0x1122_3344_5566_7788L;
    private static final Duration LONG = Duration.ofSeconds(10);

    private final MemorySegment incoming = Arena.ofAuto().allocate(RingLayout.lengthBytes(CAPACITY), 64);
    private final RingReader reader = new RingReader(incoming);
    private final TcpEnd end = new TcpEnd(reader, () -> false);
    private SocketChannel tcp;
    private SocketChannel peersTcp;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            tcp = SocketChannel.open(listener.getLocalAddress());
            peersTcp = listener.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        tcp.close();
        peersTcp.close();
    }

    private Doorbell doorbellOf(SocketChannel channel) {
        return new Doorbell(channel, channel, reader, end, PROOF);
    }

    private static ByteBuffer proof() {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(PROOF)
                .flip();
    }

    private void sendAsPeer(ByteBuffer bytes) throws IOException {
        int expected = tcp.socket().getInputStream().available() + bytes.remaining();
        peersTcp.write(bytes);
        long began = System.nanoTime();
        while (tcp.socket().getInputStream().available() < expected) {
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG);
            LockSupport.parkNanos(1000);
        }
    }

    /** TCP of a peer that sends a doorbell for each that is read, after its proof. */
    private final class Flood extends ForwardingTcp {
        private int reads;

        Flood() throws IOException {
            super(tcp);
            configureBlocking(false);
        }

        @Override
        public int read(ByteBuffer target) {
            if (reads++ == 0) {
                target.put(proof());
                return Long.BYTES;
            }
            target.put((byte) 1);
            return 1;
        }
    }

    @Test
    void aProofInFlightIsReadWithoutASleep() throws IOException {
        Doorbell doorbell = doorbellOf(tcp);
        doorbell.expectProof();
        assertThat(doorbell.isProven()).as("though none was sent").isFalse();

        sendAsPeer(proof());
        doorbell.expectProof();
        assertThat(doorbell.isProven()).isTrue();
        assertThat(tcp.isBlocking()).isTrue();
    }

    /** Of another host, whose bytes the network may still have carried. */
    private static final class Remote implements PeerProcess {
        @Override
        public boolean hasEnded() {
            return false;
        }

        @Override
        public boolean sharesMemory() {
            return false;
        }
    }

    @Test
    void overANetworkTheEndOfTcpAloneIsAReset() throws IOException {
        TcpEnd lost = new TcpEnd(reader, new Remote());
        lost.ended();
        assertThat(lost.isOver()).isTrue();
        assertThatThrownBy(() -> lost.tell(true)).isInstanceOf(SocketException.class);

        new RingWriter(incoming).end();
        TcpEnd ended = new TcpEnd(reader, new Remote());
        ended.ended();
        ended.lost();
        assertThat(ended.tell(true)).isEqualTo(-1);
    }

    @Test
    void aFloodOfDoorbellsDoesNotHoldASelector() throws IOException {
        Flood flood = new Flood();
        Doorbell doorbell = doorbellOf(flood);

        doorbell.drain();
        assertThat(flood.reads).isBetween(1, 10);
        assertThat(doorbell.isProven()).isTrue();
        assertThat(end.isOver()).isFalse();
    }

    @Test
    void moreBytesThanAPeerMayLeaveUnreadBreakTheConnection() throws IOException {
        tcp.configureBlocking(false);
        Doorbell doorbell = doorbellOf(tcp);
        sendAsPeer(proof());
        sendAsPeer(ByteBuffer.allocate(64));
        doorbell.drain();
        assertThat(end.isOver()).as("64 bytes beside the proof").isFalse();

        sendAsPeer(ByteBuffer.allocate(100));
        doorbell.drain();
        assertThatThrownBy(() -> end.tell(doorbell.isProven()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("floods");
    }

    @Test
    void aDrainReadsNoConnectionThatBlocksByNow() throws IOException {
        Flood flood = new Flood();
        Doorbell doorbell = doorbellOf(flood);
        flood.configureBlocking(true);

        doorbell.drain();
        assertThat(flood.reads).isZero();
    }

    @Test
    void theModeDoesNotChangeDuringADrain() throws IOException {
        CompletableFuture<Boolean> isModeHeld = new CompletableFuture<>();
        var observed = new ForwardingTcp(tcp) {
            @Override
            public int read(ByteBuffer target) {
                isModeHeld.complete(Thread.holdsLock(blockingLock()));
                return 0;
            }
        };
        observed.configureBlocking(false);

        doorbellOf(observed).drain();
        assertThat(isModeHeld).isCompletedWithValue(true);
    }

    @Test
    void aLookAtATcpConnectionThatBlocksDoesNotWait() throws Exception {
        Doorbell doorbell = doorbellOf(tcp);

        assertThat(Background.run(doorbell::hearUnread)).succeedsWithin(LONG);
        sendAsPeer(proof());
        doorbell.hearUnread();
        assertThat(doorbell.isProven()).isTrue();
    }

    @Test
    void aLookAtATcpConnectionThatBlocksLeavesAnInterruptAlone() throws IOException {
        Doorbell doorbell = doorbellOf(tcp);
        sendAsPeer(proof());
        Thread.currentThread().interrupt();
        try {
            doorbell.hearUnread();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(tcp.isOpen()).isTrue();
        assertThat(doorbell.isProven()).isTrue();
    }

    /** A doorbell each millisecond, of a peer that has written nothing, and at last the end. */
    private static class Ringing extends InputStream {
        private static final int DOORBELLS = 5000;
        private int reads;

        int reads() {
            return reads;
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (reads == DOORBELLS) {
                return -1;
            }
            byte[] bytes = reads++ == 0 ? proof().array() : new byte[1];
            System.arraycopy(bytes, 0, target, offset, bytes.length);
            LockSupport.parkNanos(1_000_000);
            return bytes.length;
        }
    }

    @Test
    void doorbellsDoNotProlongATimeout() {
        Doorbell doorbell = doorbellOf(tcp);

        assertThatThrownBy(() -> doorbell.await(() -> false, new Ringing(), 20))
                .isInstanceOf(SocketTimeoutException.class);
    }

    /** A doorbell after a while, and then nothing until the timeout of TCP. */
    private final class RingingOnce extends Ringing {
        private int leftMillis;

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (reads() > 0) {
                leftMillis = tcp.socket().getSoTimeout();
                throw new SocketTimeoutException();
            }
            assertThat(tcp.socket().getSoTimeout()).isBetween(9_000, 10_000);
            long end = System.nanoTime() + Duration.ofMillis(20).toNanos();
            while (end - System.nanoTime() > 0) { // a single park may return at once
                LockSupport.parkNanos(end - System.nanoTime());
            }
            return super.read(target, offset, length);
        }
    }

    @Test
    void afterADoorbellTcpWaitsForWhatIsLeftOfTheTimeout() {
        RingingOnce ringing = new RingingOnce();
        Doorbell doorbell = doorbellOf(tcp);

        assertThatThrownBy(() -> doorbell.await(() -> false, ringing, 10_000))
                .isInstanceOf(SocketTimeoutException.class);
        assertThat(ringing.leftMillis).isBetween(1, 9_990);
    }

    /** The same, but each doorbell waits until a thread has looked what the one before has brought. */
    private static final class RingingOnceSeen extends Ringing {
        private final CompletableFuture<Void> isReading = new CompletableFuture<>();
        private final AtomicInteger looks = new AtomicInteger();
        private volatile boolean hasEnded;

        boolean look() {
            looks.incrementAndGet();
            return false;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            isReading.complete(null);
            while (looks.get() <= reads() && !hasEnded) {
                LockSupport.parkNanos(10_000);
            }
            return hasEnded ? -1 : super.read(target, offset, length);
        }
    }

    @Test
    void doorbellsThatAnotherThreadHearsDoNotProlongATimeout() throws Exception {
        RingingOnceSeen ringing = new RingingOnceSeen();
        Doorbell doorbell = doorbellOf(tcp);
        var listening = Background.run(() -> doorbell.await(() -> false, ringing, 0));
        ringing.isReading.get();

        assertThatThrownBy(() -> doorbell.await(ringing::look, null, 500)).isInstanceOf(SocketTimeoutException.class);
        ringing.hasEnded = true;
        listening.get();
    }
}
