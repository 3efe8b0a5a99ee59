package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.RING_BYTES;
import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.urma4j.AllocOptions;
import io.urma4j.JettyDescriptor;
import io.urma4j.OrderType;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.FileStatus;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Refused;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One path per peer: which request opens it, and which are refused. */
@Timeout(60)
class PathRulesTest {
    @TempDir
    Path temporary;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private Path directory;
    private TestContext context;
    private ShmMemory ring;

    @BeforeEach
    void open() {
        directory = temporary.resolve("runtime");
        context = new TestContext(directory);
        ring = opened(ShmMemory.allocate(RING_BYTES, AllocOptions.DEFAULT, "their-ring"));
    }

    @AfterEach
    void closed() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
        context.close();
    }

    private <T extends AutoCloseable> T opened(T one) {
        opened.add(one);
        return one;
    }

    /** Greeted, and with a queue of the context imported. */
    private RawPeer importer(PeerId id) throws Exception {
        RawPeer peer = opened(RawPeer.greeted(directory, context.plane, id));
        peer.send(new ImportQueue(1, TestContext.QUEUE, JettyDescriptor.Kind.JFR, TestContext.QUEUE_TOKEN));
        peer.receive(QueueGranted.class);
        return peer;
    }

    private CompletableFuture<Peer> importFrom(RawHome home, Duration timeout) {
        return context.plane.importQueue(home.queue(RawPeer.UASID), null, timeout);
    }

    /** Grants the queue that was asked for. */
    private static void grantQueue(RawPeer home) throws Exception {
        long request = home.receive(ImportQueue.class).request();
        home.send(new QueueGranted(request, TransportMode.RM, OrderType.OI, 0));
    }

    private static UrmaException failureOf(CompletableFuture<?> future) {
        return catchThrowableOfType(UrmaException.class, () -> get(future));
    }

    private static long mappingsOf(String label) throws Exception {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("/memfd:" + label)).count();
        }
    }

    private long ringsOpen() throws Exception {
        return OpenDescriptors.ofContexts(directory).stream()
                .filter(target -> target.startsWith("/memfd:urma-ring"))
                .count();
    }

    @Test
    void aSecondPathIsRefused() throws Exception {
        RawPeer peer = importer(RawPeer.ID);
        peer.send(new OpenPath(2, RING_BYTES), ring.fd());
        assertThat(peer.receive()).contains(new PathOpened(2));
        ShmMemory another = opened(ShmMemory.allocate(RING_BYTES, AllocOptions.DEFAULT, "their-ring"));

        peer.send(new OpenPath(3, RING_BYTES), another.fd());

        assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.EEXIST);
    }

    /** It had no descriptor left for the ring of the home. */
    @Test
    void whoAsksAgainWithItsRingIsGivenTheSameRing() throws Exception {
        RawPeer peer = importer(RawPeer.ID);
        peer.send(new OpenPath(2, RING_BYTES), ring.fd());
        assertThat(peer.receive()).contains(new PathOpened(2));

        peer.send(new OpenPath(3, RING_BYTES), ring.fd());

        assertThat(peer.receive()).contains(new PathOpened(3));
        assertThat(peer.received).hasSize(2);
        assertThat(FileStatus.of(peer.received.getLast()).isSameFile(FileStatus.of(peer.received.getFirst())))
                .isTrue();
        assertThat(context.paths).hasSize(1);
    }

    @Test
    void aPathHasOneRingOfTheSizeThatAllContextsUse() throws Exception {
        RawPeer peer = importer(RawPeer.ID);
        for (long bytes : new long[] {RING_BYTES - 1, RING_BYTES + 1}) {
            peer.send(new OpenPath(bytes, bytes), ring.fd());
            assertThat(peer.receive(Refused.class).status())
                    .as("%d bytes", bytes)
                    .isEqualTo(UrmaStatus.EINVAL);
        }
        peer.send(new OpenPath(2, RING_BYTES));
        assertThat(peer.receive(Refused.class).status()).as("no ring").isEqualTo(UrmaStatus.EINVAL);
        peer.send(new OpenPath(3, RING_BYTES), ring.fd(), ring.fd());
        assertThat(peer.receive(Refused.class).status()).as("two rings").isEqualTo(UrmaStatus.EINVAL);
        assertThat(context.paths).isEmpty();
    }

    @Test
    void aPathThatTheDataPlaneRefusesLeavesNoMapping() throws Exception {
        RawPeer peer = importer(RawPeer.ID);
        context.refusesPaths = true;

        peer.send(new OpenPath(2, RING_BYTES), ring.fd());

        assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOMEM);
        assertThat(mappingsOf("their-ring")).as("the peer's own mapping").isEqualTo(1);
        assertThat(ringsOpen()).isZero();
        assertThat(mappingsOf("urma-ring")).isZero();
    }

    /** Else the peer asks again, and is refused for ever. */
    @Test
    void aPathOfWhichThePeerCannotBeToldIsUndone() throws Exception {
        RawPeer peer = importer(RawPeer.ID);
        context.closesPaths = true;
        peer.send(new OpenPath(2, RING_BYTES), ring.fd());
        assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOMEM);
        assertThat(context.paths).isEmpty();
        context.closesPaths = false;

        peer.send(new OpenPath(3, RING_BYTES), ring.fd());

        assertThat(peer.receive()).contains(new PathOpened(3));
        assertThat(context.paths).hasSize(1);
    }

    @Test
    void aRefusedPathFailsTheImportWithTheReason() throws Exception {
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        var imported = importFrom(home, LONG);
        RawPeer connection = opened(home.greet());
        grantQueue(connection);
        long request = connection.receive(OpenPath.class).request();

        connection.send(new Refused(request, UrmaStatus.ENOMEM, "no memory left"));

        UrmaException refusal = failureOf(imported);
        assertThat(refusal.status()).isEqualTo(UrmaStatus.ENOMEM);
        assertThat(refusal).hasMessageContaining("no memory left");
        assertThat(ringsOpen()).as("only those that were received here").isEqualTo(connection.received.size());
    }

    @Test
    void anAnswerWithoutARingIsNoPath() throws Exception {
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        var imported = importFrom(home, LONG);
        RawPeer connection = opened(home.greet());
        grantQueue(connection);
        long request = connection.receive(OpenPath.class).request();

        connection.send(new PathOpened(request));

        assertThat(failureOf(imported)).hasMessageContaining("too few file descriptors");
        assertThat(context.paths).isEmpty();
    }

    @Test
    void aPathThatIsNotOpenedInTimeFailsTheImport() throws Exception {
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        var imported = importFrom(home, Duration.ofMillis(200));
        RawPeer connection = opened(home.greet());
        grantQueue(connection);
        connection.receive(OpenPath.class);

        assertThat(failureOf(imported).status()).isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(context.paths).isEmpty();
    }

    @Test
    void ofTwoRequestsThatCrossTheOneOfTheSmallerAddressOpensThePath() throws Exception {
        RawHome home = opened(RawHome.at(directory, RawHome.FIRST));
        var imported = importFrom(home, LONG);
        RawPeer outgoing = opened(home.greet());
        grantQueue(outgoing);
        long ours = outgoing.receive(OpenPath.class).request();
        RawPeer incoming = importer(RawHome.FIRST);

        incoming.send(new OpenPath(2, RING_BYTES), ring.fd());

        assertThat(incoming.receive()).contains(new PathOpened(2));
        get(imported);
        assertThat(ringsOpen())
                .as("the path's ring, and those that were received here")
                .isEqualTo(1 + incoming.received.size() + outgoing.received.size());
        outgoing.send(new PathOpened(ours), ring.fd()); // too late
        outgoing.close();
        await().until(() -> context.lost.size() == 1);
        assertThat(mappingsOf("their-ring")).as("the late answer is not mapped").isEqualTo(1);
    }

    @Test
    void ofTwoRequestsThatCrossTheOneOfTheLargerAddressIsRefused() throws Exception {
        RawHome home = opened(RawHome.at(directory, RawHome.LAST));
        var imported = importFrom(home, LONG);
        RawPeer outgoing = opened(home.greet());
        grantQueue(outgoing);
        long ours = outgoing.receive(OpenPath.class).request();
        RawPeer incoming = importer(RawHome.LAST);

        incoming.send(new OpenPath(2, RING_BYTES), ring.fd());

        assertThat(incoming.receive(Refused.class).status()).isEqualTo(UrmaStatus.EEXIST);
        outgoing.send(new PathOpened(ours), ring.fd());
        get(imported);
    }

    /** The peer's own request takes precedence, and may arrive later: it uses the other connection. */
    @Test
    void aRequestThatGaveWayIsRepeatedUntilThePathIsOpen() throws Exception {
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        var imported = importFrom(home, LONG);
        RawPeer connection = opened(home.greet());
        grantQueue(connection);
        long first = connection.receive(OpenPath.class).request();

        connection.send(new Refused(first, UrmaStatus.EEXIST, "our own attempt takes precedence"));

        long second = connection.receive(OpenPath.class).request();
        assertThat(second).isNotEqualTo(first);
        assertThat(imported).isNotDone();
        connection.send(new PathOpened(second), ring.fd());
        get(imported);
    }

    @Test
    void twoImportsFromAPeerRequestOnePath() throws Exception {
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        var first = importFrom(home, LONG);
        var second = importFrom(home, LONG);
        RawPeer connection = opened(home.greet());
        grantQueue(connection);
        grantQueue(connection);
        long request = connection.receive(OpenPath.class).request();

        connection.send(new PathOpened(request), ring.fd());

        get(first);
        get(second);
    }

    /** S1.5: a forged descriptor must not lead to a third context. */
    @Test
    void aQueueOfAnotherUasidThanItsHomeIsRefused() throws Exception {
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        var imported = context.plane.importQueue(home.queue(RawPeer.UASID + 1), null, LONG);
        RawPeer connection = opened(home.greet());

        grantQueue(connection);

        assertThat(failureOf(imported).status()).isEqualTo(UrmaStatus.ENOPERM);
        assertThat(context.paths).isEmpty();
    }
}
