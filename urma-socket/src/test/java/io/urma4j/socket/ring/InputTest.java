package io.urma4j.socket.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.socket.Background;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The direction that is read, which several threads use. */
@Timeout(30)
class InputTest {
    private static final int CAPACITY = 1024;

    private final MemorySegment incoming = Arena.ofAuto().allocate(RingLayout.lengthBytes(CAPACITY), 64);
    private final MemorySegment outgoing = Arena.ofAuto().allocate(RingLayout.lengthBytes(CAPACITY), 64);
    private final RingReader reader = new RingReader(incoming);
    private SocketChannel tcp;
    private Input input;
    private int retired;

    @BeforeEach
    void open() throws IOException {
        tcp = SocketChannel.open();
        Ringer ringer = new Ringer(tcp, new RingWriter(outgoing));
        TcpEnd end = new TcpEnd(reader, () -> false);
        Doorbell doorbell = new Doorbell(tcp, tcp, reader, end, 0);
        input = new Input(reader, doorbell, end, ringer, () -> false, () -> retired++);
    }

    @AfterEach
    void close() throws IOException {
        tcp.close();
    }

    /** TCP whose next byte comes late. */
    private static final class Silence extends InputStream {
        private final CountDownLatch isReading = new CountDownLatch(1);
        private final CountDownLatch hasEnded = new CountDownLatch(1);

        @Override
        public int read() {
            isReading.countDown();
            try {
                hasEnded.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return -1;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            return read();
        }
    }

    @Test
    void availableDoesNotWaitForTheThreadThatReads() throws Exception {
        Silence silence = new Silence();
        var reading = Background.call(() -> input.readWaiting(ByteBuffer.allocate(1), silence, 0));
        silence.isReading.await();
        var looking = Background.call(input::available);

        try {
            assertThat(looking).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(0);
        } finally {
            silence.hasEnded.countDown();
        }
        assertThat(reading.get()).isEqualTo(-1);
    }

    @Test
    void aThreadThatComesAfterTheCloseStoresToNoRing() {
        assertThat(input.close()).isTrue();
        input.leave();
        assertThat(retired).isOne();
        new RingReader(incoming).wantData(); // the ring of the next connection
        byte[] before = incoming.toArray(ValueLayout.JAVA_BYTE);

        input.shut();
        assertThat(incoming.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
        input.refuse();
        assertThat(incoming.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
        input.release();
        assertThat(incoming.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
    }
}
