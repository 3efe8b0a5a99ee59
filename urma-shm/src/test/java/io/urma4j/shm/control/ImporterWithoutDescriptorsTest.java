package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Eid;
import io.urma4j.OrderType;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.libc.FileStatus;
import io.urma4j.shm.memory.Failures;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.spi.control.ControlMessage.WindowsOpened;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An importer that can open no more descriptors: an import fails alone, and its home keeps nothing of it. */
@Timeout(60)
class ImporterWithoutDescriptorsTest {
    private static final WindowKey KEY = new WindowKey(1, 0, 0, 0, 8, Access.READ);

    private Path directory;
    private TestContext context;
    private RawHome home;
    private RawPeer connection;
    private ShmMemory memory;
    private ShmMemory table;
    private ShmImport imported;

    @BeforeEach
    void open(@TempDir Path temporary) throws Exception {
        Failures.prepare(); // as a context does
        directory = temporary.resolve("runtime");
        context = new TestContext(directory);
        home = RawHome.at(directory, RawPeer.ID);
        memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "theirs");
        table = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "table");
        var first = importing();
        connection = home.greet();
        grant(1);
        imported = get(first);
        loadClasses();
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        context.close();
        home.close();
        memory.close();
        table.close();
    }

    /** Of failures, which a process without descriptors cannot load. */
    private void loadClasses() throws Exception {
        var refused = imported.window(KEY, LONG);
        connection.send(new Refused(connection.receive(OpenWindows.class).request(), UrmaStatus.ENOMEM, "no"));
        assertThat(failureOf(refused)).isNotNull();
        var unwanted = importing();
        connection.send(new Refused(connection.receive(ImportSegment.class).request(), UrmaStatus.ENOMEM, "no"));
        assertThat(failureOf(unwanted)).isNotNull();
    }

    private CompletableFuture<ShmImport> importing() {
        return home.importBy(context, Access.READ, LONG);
    }

    private void grant(long number) throws Exception {
        long request = connection.receive(ImportSegment.class).request();
        connection.send(new SegmentGranted(request, number, Access.READ, 0, 4096), memory.fd());
    }

    private static UrmaException failureOf(CompletableFuture<?> future) {
        return catchThrowableOfType(UrmaException.class, () -> get(future));
    }

    /** Of this context; those that the home received are not its own. */
    private long tables() throws Exception {
        return OpenDescriptors.ofContexts(directory).stream()
                        .filter(target -> target.startsWith("/memfd:urma-windows"))
                        .count()
                - connection.received.size();
    }

    @Test
    void windowsWithoutRoomForTheirMemoryFailAndLeaveNothing() throws Exception {
        CompletableFuture<?> opening;
        try (var _ = NoDescriptors.allBut(1, memory.fd())) {
            opening = imported.window(KEY, LONG);
            context.settle();
        }

        assertThat(failureOf(opening).status()).isEqualTo(UrmaStatus.ENOMEM);
        assertThat(tables()).isZero();
        var again = imported.window(KEY, LONG);
        connection.send(new WindowsOpened(connection.receive(OpenWindows.class).request()), table.fd());
        assertThat(get(again).isTakenBack()).isFalse();
    }

    /** The first window fails then, if the lack lasts. */
    @Test
    void importOfWindowsDoesNotFailForTheirMemory() throws Exception {
        var segment = Exports.describe(
                Eid.ofIpv4(1),
                RawPeer.UASID,
                RawPeer.ID,
                5,
                1,
                4096,
                Access.READ,
                TokenPolicy.NONE,
                new Capabilities(true, true, true, true, MemoryKind.HOST),
                0);
        CompletableFuture<ShmImport> importing;
        try (var _ = NoDescriptors.allBut(1, memory.fd())) {
            importing = context.plane
                    .importSegment(new ImportRequest(segment, null, Access.READ, LONG))
                    .thenApply(ShmImport.class::cast);
            context.settle();
        }
        grant(2);

        assertThat(get(importing).grant()).isEqualTo(2);
        assertThat(tables()).isZero();
    }

    @Test
    void importWhoseMemoryDoesNotArriveFailsAloneAndIsGivenBack() throws Exception {
        var failing = importing();
        try (var _ = new NoDescriptors()) {
            grant(2);
            assertThat(connection.receive()).contains(new Unimport(2));
        }

        assertThat(failureOf(failing).status()).isEqualTo(UrmaStatus.ENOMEM);
        assertThat(failureOf(failing)).hasMessageContaining("ulimit -n");
        assertThat(imported.isRevoked()).isFalse();
        var next = importing();
        grant(3);
        assertThat(get(next).grant()).isEqualTo(3);
        assertThat(context.lost).isEmpty();
    }

    /** The home has its end of the path, and opens it once. */
    @Test
    void aPathWhoseRingDoesNotArriveIsOpenedLater() throws Exception {
        var failing = context.plane.importQueue(home.queue(RawPeer.UASID), null, LONG);
        grantQueue();
        long request = connection.receive(OpenPath.class).request();
        assertThat(ControlCodec.encode(new PathOpened(request)).hasRemaining()).isTrue(); // loads its class
        UrmaException failure;
        try (ShmMemory ring = ShmMemory.allocate(TestContext.RING_BYTES, AllocOptions.DEFAULT, "ring")) {
            try (var _ = new NoDescriptors()) {
                connection.send(new PathOpened(request), ring.fd());
                failure = failureOf(failing);
            }
            assertThat(failure.status()).isEqualTo(UrmaStatus.ENOMEM);
            assertThat(failure).hasMessageContaining("ulimit -n");
            var again = context.plane.importQueue(home.queue(RawPeer.UASID), null, LONG);

            while (!again.isDone()) {
                switch (connection.receive().orElseThrow()) {
                    case ImportQueue m ->
                        connection.send(new QueueGranted(m.request(), TransportMode.RM, OrderType.OI, 0));
                    case OpenPath m -> {
                        connection.send(new PathOpened(m.request()), ring.fd());
                        get(again);
                    }
                    default -> throw new AssertionError("another message");
                }
            }
        }

        List<FileStatus> rings = connection.received.stream()
                .map(FileStatus::of)
                .filter(file -> file.sizeBytes() == TestContext.RING_BYTES)
                .toList();
        assertThat(rings).hasSizeGreaterThan(1).allMatch(rings.getFirst()::isSameFile);
        assertThat(context.paths).hasSize(1);
        assertThat(imported.isRevoked()).isFalse();
        assertThat(context.lost).isEmpty();
    }

    private void grantQueue() throws Exception {
        long request = connection.receive(ImportQueue.class).request();
        connection.send(new QueueGranted(request, TransportMode.RM, OrderType.OI, 0));
    }

    @Test
    void windowsWhoseMemoryDoesNotArriveFailAndAreOpenedAgain() throws Exception {
        var failing = imported.window(KEY, LONG);
        long request = connection.receive(OpenWindows.class).request();
        UrmaException failure;
        try (var _ = new NoDescriptors()) {
            connection.send(new WindowsOpened(request), table.fd());
            failure = failureOf(failing);
        }

        assertThat(failure.status()).isEqualTo(UrmaStatus.ENOMEM);
        var again = imported.window(KEY, LONG);
        connection.send(new WindowsOpened(connection.receive(OpenWindows.class).request()), table.fd());
        assertThat(get(again).isTakenBack()).isFalse();
    }
}
