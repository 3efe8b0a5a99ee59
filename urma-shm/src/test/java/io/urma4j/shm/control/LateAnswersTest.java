package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.RING_BYTES;
import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.ContextOptions;
import io.urma4j.OrderType;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.OpenBounce;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.spi.control.ControlMessage.WindowsOpened;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What two contexts share is opened once, so an answer counts also after the import that asked for it has ended. */
@Timeout(60)
class LateAnswersTest {
    private static final WindowKey KEY = new WindowKey(1, 0, 0, 0, 8, Access.READ);
    private static final Duration SHORT = Duration.ofMillis(100);

    private TestContext context;
    private RawHome home;
    private ShmMemory ring;
    private ShmMemory table;

    @BeforeEach
    void open(@TempDir Path temporary) {
        Path directory = temporary.resolve("runtime");
        context = new TestContext(directory, ContextOptions.DEFAULT.withImportTimeout(SHORT));
        home = RawHome.at(directory, RawPeer.ID);
        ring = ShmMemory.allocate(RING_BYTES, AllocOptions.DEFAULT, "their-ring");
        table = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "their-table");
    }

    @AfterEach
    void close() throws Exception {
        context.close();
        home.close();
        ring.close();
        table.close();
    }

    private CompletableFuture<Peer> importQueue(Duration timeout) {
        return context.plane.importQueue(home.queue(RawPeer.UASID), null, timeout);
    }

    private static void grantQueue(RawPeer connection) throws Exception {
        long request = connection.receive(ImportQueue.class).request();
        connection.send(new QueueGranted(request, TransportMode.RM, OrderType.OI, 0));
    }

    private static void assertTimesOut(CompletableFuture<?> future) {
        assertThat(catchThrowableOfType(UrmaException.class, () -> get(future)).status())
                .isEqualTo(UrmaStatus.ETIMEOUT);
    }

    /** The home has its end of the path, and refuses another one. */
    @Test
    void pathThatOpensAfterTheTimeoutServesTheNextImport() throws Exception {
        var first = importQueue(SHORT);
        try (RawPeer connection = home.greet()) {
            grantQueue(connection);
            long request = connection.receive(OpenPath.class).request();
            assertTimesOut(first);
            var second = importQueue(SHORT);
            grantQueue(connection);
            assertTimesOut(second);

            connection.send(new PathOpened(request), ring.fd());
            var third = importQueue(LONG);
            grantQueue(connection);

            get(third);
            assertThat(context.paths).hasSize(1);
        }
    }

    @Test
    void bounceBufferThatIsTakenAfterTheTimeoutServesTheNextImport() throws Exception {
        var first = home.importBy(context, Access.READ, SHORT);
        try (RawPeer connection = home.accept()) {
            connection.receive(Hello.class);
            connection.send(RawPeer.helloWithDeviceMemory(0));
            grantDeviceMemory(connection, 1);
            connection.send(new PathOpened(connection.receive(OpenPath.class).request()), ring.fd());
            long request = connection.receive(OpenBounce.class).request();
            assertTimesOut(first);
            connection.receive(Unimport.class);

            connection.send(new Done(request));
            var second = home.importBy(context, Access.READ, LONG);
            grantDeviceMemory(connection, 2);

            assertThat(get(second).isServed()).isTrue();
        }
    }

    private static void grantDeviceMemory(RawPeer connection, long grant) throws Exception {
        long request = connection.receive(ImportSegment.class).request();
        connection.send(new SegmentGranted(request, grant, Access.READ, 0, 4096));
    }

    private static void grant(RawPeer connection, ShmMemory memory) throws Exception {
        long request = connection.receive(ImportSegment.class).request();
        connection.send(new SegmentGranted(request, 1, Access.READ, 0, 4096), memory.fd());
    }

    @Test
    void windowsThatOpenAfterTheTimeoutAreUsed() throws Exception {
        var imported = home.importBy(context, Access.READ, LONG);
        try (RawPeer connection = home.greet();
                ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "theirs")) {
            grant(connection, memory);
            ShmImport part = get(imported);
            var first = part.window(KEY, SHORT);
            long request = connection.receive(OpenWindows.class).request();
            var patient = part.window(KEY, LONG);
            assertTimesOut(first);
            assertThat(patient).as("the timeout of another caller").isNotDone();

            connection.send(new WindowsOpened(request), table.fd());

            assertThat(get(patient).isTakenBack()).isFalse();
            assertThat(get(part.window(KEY, LONG)).isTakenBack()).isFalse();
        }
    }

    /** A home may be alive and silent for long, and be asked again and again. */
    @Test
    void importThatHasGivenUpLeavesNothing() throws Exception {
        var imported = home.importBy(context, Access.READ, LONG);
        try (RawPeer connection = home.greet();
                ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "theirs")) {
            grant(connection, memory);
            ShmImport part = get(imported);
            var patient = part.window(KEY, LONG);
            var hasty = part.window(KEY, SHORT);
            var queue = importQueue(SHORT);
            connection.receive(OpenWindows.class);
            grantQueue(connection);

            assertTimesOut(hasty);
            assertTimesOut(queue);

            assertThat(patient).isNotDone();
            assertThat(part.home().windows.get(0).waiting()).isEqualTo(1);
            assertThat(part.home().path.opening().waiting()).isZero();
        }
    }

    /** The ring of this context is of no use then. */
    @Test
    void answerOfAnotherKindLeavesNoRing() throws Exception {
        var imported = importQueue(LONG);
        try (RawPeer connection = home.greet()) {
            grantQueue(connection);
            connection.send(new Done(connection.receive(OpenPath.class).request()));

            assertThat(catchThrowableOfType(UrmaException.class, () -> get(imported)))
                    .hasMessageContaining("instead of PathOpened");
            await().until(() -> ringsOf() == 0);
        }
    }

    private static long ringsOf() throws Exception {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("/memfd:urma-ring")).count();
        }
    }
}
