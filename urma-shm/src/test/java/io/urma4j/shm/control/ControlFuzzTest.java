package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.JettyDescriptor;
import io.urma4j.OrderType;
import io.urma4j.Token;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.EventFd;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Bind;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unbind;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.tck.Seed;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything but honest traffic on the control socket: noise, cut and altered and repeated messages, giants, too many
 * descriptors and wrong ones, callers that never greet, and a great many of all of them. The home lives, a good importer
 * in another process is served all the time, and nothing is left behind. {@code -Durma.inputs=N} goes on until there were N,
 * however long that takes.
 */
@Timeout(180)
class ControlFuzzTest {
    private static final boolean FULL = Boolean.getBoolean("urma.full");
    private static final boolean COUNTED = Long.getLong("urma.inputs") != null;
    private static final Duration BUDGET =
            COUNTED ? Duration.ofHours(1) : FULL ? Duration.ofSeconds(60) : Duration.ofSeconds(6);
    private static final long INPUTS = Long.getLong("urma.inputs", FULL ? 1_000_000 : 10_000);

    /** The number of silent callers after which the test checks that others are served, and holds their descriptors. */
    private static final int SLOW = 128;

    private final SplittableRandom random = Seed.randomFor("control socket");
    private final Deque<byte[]> spoken = new ArrayDeque<>();

    @TempDir
    Path temporary;

    private Path directory;
    private TestContext home;
    private ShmSegment segment;

    @BeforeEach
    void open() throws Exception {
        directory = temporary.resolve("runtime");
        home = new TestContext(directory);
        segment = home.share(Access.READ_WRITE);
        get(segment.publish("table", true));
    }

    @AfterEach
    void close() {
        home.close();
    }

    @Test
    void noInputStopsTheHomeOrStays() throws Exception {
        int inputs = 0;
        int connections = 0;
        int served = 0;
        try (Child good = Child.busyImporter(directory, "table");
                EventFd wake = EventFd.create()) {
            await().until(() -> good.importsSince() > 0);
            List<String> before = withoutSegments();
            long end = System.nanoTime() + BUDGET.toNanos();
            while (System.nanoTime() - end < 0 && (inputs < INPUTS || served == 0)) {
                connections++;
                inputs += converse(wake);
                served += good.importsSince();
            }
            await().until(() -> good.importsSince() > 0); // still
            await().untilAsserted(() ->
                    assertThat(withoutSegments()).as(Seed.replayLine()).isEqualTo(before));
        }
        System.out.println("ControlFuzzTest: " + inputs + " inputs on " + connections + " connections, while " + served
                + " imports were served; seed " + Seed.OF_RUN);
        assertThat(served).isPositive();
        assertThat(inputs).as("inputs within " + BUDGET).isGreaterThan(1_000);
    }

    /** S13.3: they cost nothing that others need. */
    @Test
    void aFloodOfCallersThatNeverGreetHoldsUpNobody() throws Exception {
        long before = descriptors();
        List<RawPeer> silent = new ArrayList<>();
        try (Child good = Child.busyImporter(directory, "table")) {
            for (int i = 0; i < 2 * Listener.MAX_STRANGERS; i++) {
                silent.add(connect());
                if (i % SLOW == 0) {
                    await().until(() -> good.importsSince() > 0);
                }
            }
            assertThat(silent.getFirst().receive())
                    .as("the oldest connection was closed")
                    .isEmpty();
            await().untilAsserted(
                            () -> assertThat(descriptors() - before).isLessThan(3 * Listener.MAX_STRANGERS + SLOW));
            await().until(() -> good.importsSince() > 0);
        } finally {
            silent.forEach(RawPeer::close);
        }
    }

    /** Each connection has another name: the state that is kept for it ends with the connection. */
    @Test
    void whoComesAndGoesUnderManyNamesIsForgotten() throws Exception {
        List<String> before = withoutSegments();
        for (int i = 1; i <= 1_000; i++) {
            try (RawPeer peer = connect()) {
                peer.send(hello(i));
                assertThat(peer.receive().orElseThrow()).isInstanceOf(Hello.class);
            }
        }
        await().untilAsserted(() -> assertThat(withoutSegments()).isEqualTo(before));
    }

    @Test
    void oneProcessCannotBeAnyNumberOfPeers() throws Exception {
        List<RawPeer> crowd = new ArrayList<>();
        try {
            ControlMessage answer;
            do {
                RawPeer peer = connect();
                crowd.add(peer);
                peer.send(hello(crowd.size()));
                answer = peer.receive().orElseThrow();
            } while (answer instanceof Hello);

            assertThat(answer).isInstanceOf(Refused.class);
            assertThat(crowd).hasSizeLessThan(PeerLimits.ofThisProcess().ofAProcess() + 2);
        } finally {
            crowd.forEach(RawPeer::close);
        }
        try (TestContext other = new TestContext(directory)) {
            await().ignoreExceptions()
                    .until(() -> get(other.importFrom(segment, Access.READ).close()) == null);
        }
    }

    private RawPeer connect() {
        while (true) {
            try {
                return RawPeer.connectedTo(directory, home.plane);
            } catch (LibcException e) {
                Thread.onSpinWait(); // too many wait at the door; the test's own limit ends it
            }
        }
    }

    private Hello hello(int name) {
        return RawPeer.hello(home.plane.incarnation(), name);
    }

    private static long descriptors() throws Exception {
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.count();
        }
    }

    /** One connection with some inputs; how many there were. */
    private int converse(EventFd wake) throws Exception {
        int inputs = 0;
        try (RawPeer peer = connect()) {
            if (random.nextInt(4) > 0) {
                peer.send(hello(random.nextInt(3)));
            }
            for (int left = random.nextInt(1, 40); left > 0; left--) {
                Fd[] descriptors = new Fd[random.nextInt(3) == 0 ? random.nextInt(4) : 0];
                Arrays.fill(descriptors, wake.fd());
                inputs++;
                if (peer.sendBytes(ByteBuffer.wrap(input()), descriptors) < 0) {
                    break; // it has had enough of us, or cannot read as fast
                }
            }
        } catch (LibcException e) {
            return inputs; // closed while we spoke
        }
        return inputs;
    }

    private byte[] input() {
        byte[] valid = bytesOf(anything());
        return switch (random.nextInt(8)) {
            case 0 -> noise(random.nextInt(1, 200));
            case 1 -> Arrays.copyOf(valid, random.nextInt(1, valid.length + 1));
            case 2 -> altered(valid);
            case 3 -> spoken.isEmpty() ? valid : replayed();
            case 4 -> random.nextInt(20) == 0 ? noise(random.nextInt(40_000) + 1) : altered(altered(valid));
            default -> {
                if (spoken.size() < 100) {
                    spoken.add(valid);
                }
                yield valid;
            }
        };
    }

    private byte[] replayed() {
        byte[] old = spoken.remove();
        spoken.add(old);
        return old;
    }

    private byte[] altered(byte[] valid) {
        byte[] bytes = valid.clone();
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        return bytes;
    }

    private byte[] noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] bytesOf(ControlMessage message) {
        ByteBuffer buffer = ControlCodec.encode(message);
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private ControlMessage anything() {
        long number = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(4);
        int id = random.nextInt(4) == 0 ? random.nextInt(1 << 24) : TestContext.QUEUE;
        return switch (random.nextInt(16)) {
            case 0, 1 -> new ImportSegment(number, segment.tokenId(), segment.key(), Access.READ, segment.token());
            case 2 -> new ImportSegment(number, id, 0, Access.READ_WRITE_ATOMIC, Token.of(random.nextInt()));
            case 3 -> new SegmentGranted(number, number, Access.READ_WRITE, 0, 4096);
            case 4 -> new Unimport(number);
            case 5 -> new Revoke(number);
            case 6 -> new Revoked(number);
            case 7 -> new ImportQueue(number, id, JettyDescriptor.Kind.JFR, Token.of(77));
            case 8 -> new OpenPath(number, TestContext.RING_BYTES);
            case 9 -> new PathOpened(number);
            case 10 -> new Bind(number, id, 8, OrderType.OL);
            case 11 -> new Unbind(number, id, 8);
            case 12 -> new Lookup(number, random.nextBoolean() ? "table" : "x".repeat(random.nextInt(255)), true);
            case 13 -> random.nextBoolean() ? new Done(number) : new Refused(number, UrmaStatus.EAGAIN, "no");
            case 14 -> hello(random.nextInt(3));
            default -> random.nextInt(4) > 0 ? new Lookup(number, "table", false) : new Goodbye("tired");
        };
    }

    /** What we hold beside memory: a shared one has one or two descriptors, and that for windows is made once. */
    private List<String> withoutSegments() throws Exception {
        return OpenDescriptors.ofContexts(directory).stream()
                .filter(target -> !target.startsWith("/memfd:test") && !target.startsWith("/memfd:urma-windows"))
                .toList();
    }
}
