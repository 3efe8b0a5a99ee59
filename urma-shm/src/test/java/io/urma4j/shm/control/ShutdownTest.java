package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.OrderType;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Bind;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a context ends while importers do not answer, native calls hold imports, or messages wait. */
@Timeout(60)
class ShutdownTest {
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final int ANSWERS = 2000;

    @TempDir
    Path temporary;

    private Path directory;
    private TestContext home;

    @BeforeEach
    void open() {
        directory = temporary.resolve("runtime");
        home = new TestContext(directory);
    }

    @AfterEach
    void closed() {
        home.close();
    }

    private static UrmaException failureOf(CompletableFuture<?> future) {
        return catchThrowableOfType(UrmaException.class, () -> get(future));
    }

    private RawPeer rawImporterOf(ShmSegment segment) throws Exception {
        RawPeer peer = RawPeer.greeted(directory, home.plane);
        peer.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
        peer.receive(SegmentGranted.class);
        return peer;
    }

    private List<String> locks() throws IOException {
        try (var files = Files.list(directory)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith(".lock"))
                    .toList();
        }
    }

    /** A native call that holds memory until it is closed: it reads from an empty pipe. */
    private static final class NativeCall implements AutoCloseable {
        private final Pipe pipe = Pipe.open();
        private final Thread reader;

        NativeCall(MemorySegment target) throws IOException {
            ByteBuffer buffer = target.asByteBuffer();
            reader = Thread.ofPlatform().start(() -> read(buffer));
            await().until(() -> reader.getState() == Thread.State.RUNNABLE && isIn("read"));
        }

        private boolean isIn(String method) {
            StackTraceElement[] stack = reader.getStackTrace();
            return stack.length > 0
                    && stack[0].isNativeMethod()
                    && stack[0].getMethodName().startsWith(method);
        }

        private void read(ByteBuffer buffer) {
            try {
                pipe.source().read(buffer);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() throws IOException {
            pipe.sink().write(ByteBuffer.wrap(new byte[1]));
            await().until(() -> reader.join(Duration.ofMillis(1)));
            pipe.sink().close();
            pipe.source().close();
        }
    }

    @Test
    void aContextThatEndsServesNoRequestAndTakesNone() throws Exception {
        ShmSegment segment = home.share(Access.READ);
        try (RawPeer late = rawImporterOf(segment)) {
            var closed = home.plane.close(LONG);
            Revoke asked = late.receive(Revoke.class);
            late.send(new Lookup(2, "unknown", false));

            assertThat(late.receive(Refused.class).reason()).contains("is being closed");
            assertThat(failureOf(segment.publish("late", false))).hasMessageContaining("is closed");
            assertThat(closed).isNotDone();

            late.send(new Revoked(asked.grant()));
            get(closed);
            assertThat(late.receive().orElseThrow()).isInstanceOf(Goodbye.class);
            assertThat(home.lost).as("a context that ends reports no peers").isEmpty();
        }
    }

    @Test
    void anImporterThatDoesNotAnswerDelaysTheEndUntilTheTimeout() throws Exception {
        try (RawPeer silent = rawImporterOf(home.share(Access.READ))) {
            long start = System.nanoTime();

            get(home.plane.close(SHORT));

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT, SHORT.plus(Duration.ofSeconds(5)));
            silent.receive(Revoke.class);
            assertThat(silent.receive().orElseThrow()).isInstanceOf(Goodbye.class);
        }
    }

    /** S12.5: its end would be proven by the free lock while it still touches a peer's memory. */
    @Test
    void aContextWhoseImportIsHeldByANativeCallKeepsItsLockAndSaysNoGoodbye() throws Exception {
        TestContext importer = new TestContext(directory);
        ShmImport imported = importer.importFrom(home.share(Access.READ_WRITE), Access.READ_WRITE);
        try (var _ = new NativeCall(imported.memory)) {
            get(importer.plane.close(SHORT));

            assertThat(locks()).hasSize(2);
            await().until(() -> home.lost.size() == 1);
            assertThat(home.lost.getFirst()).startsWith("unproven");
            get(home.plane.close(SHORT)); // there will be no proof to wait for
        }
    }

    @Test
    void aContextWaitsForTheNativeCallThatHoldsItsImport() throws Exception {
        TestContext importer = new TestContext(directory);
        ShmImport imported = importer.importFrom(home.share(Access.READ_WRITE), Access.READ_WRITE);
        CompletableFuture<Void> closed;
        try (var _ = new NativeCall(imported.memory)) {
            closed = importer.plane.close(LONG);
            await().until(imported::isRevoked);
            assertThat(closed).isNotDone();
        }

        get(closed);

        assertThat(locks()).hasSize(1);
        await().until(() -> home.lost.size() == 1);
        assertThat(home.lost.getFirst()).startsWith("proven");
    }

    /** S7.9: the home has revoked the import, and would use the memory again. */
    @Test
    void aContextWaitsForTheNativeCallThatHoldsARevokedImport() throws Exception {
        TestContext importer = new TestContext(directory);
        ShmSegment segment = home.share(Access.READ_WRITE);
        ShmImport imported = importer.importFrom(segment, Access.READ_WRITE);
        CompletableFuture<?> revoked;
        CompletableFuture<Void> closed;
        try (var _ = new NativeCall(imported.memory)) {
            revoked = segment.unregister(LONG);
            await().until(imported::isRevoked);
            closed = importer.plane.close(LONG);
            await().during(SHORT).until(() -> !closed.isDone());
            assertThat(segment.importers()).hasSize(1);
            assertThat(revoked).isNotDone();
        }

        get(closed);
        get(revoked);
    }

    /** S12.5: the lock would prove its end while it still touches the memory. */
    @Test
    void aContextWhoseLostImportIsHeldByANativeCallKeepsItsLock() throws Exception {
        TestContext importer = new TestContext(directory);
        ShmImport imported = importer.importFrom(home.share(Access.READ_WRITE), Access.READ_WRITE);
        try (var _ = new NativeCall(imported.memory)) {
            importer.plane.cutOff(imported.home(), "for the test");
            await().until(imported::isRevoked);

            get(importer.plane.close(SHORT));

            assertThat(locks()).hasSize(2);
            get(home.plane.close(SHORT));
        }
    }

    /** S12.6: no timer ends it any more. */
    @Test
    void theReleaseOfAnImportThatANativeCallHoldsFailsWithTheContext() throws Exception {
        TestContext importer = new TestContext(directory);
        ShmImport imported = importer.importFrom(home.share(Access.READ_WRITE), Access.READ_WRITE);
        try (var _ = new NativeCall(imported.memory)) {
            CompletableFuture<Void> released = imported.close();
            get(importer.plane.close(SHORT));

            UrmaException failure = failureOf(released);
            assertThat(failure.status()).isEqualTo(UrmaStatus.EINVAL);
            assertThat(failure).hasMessageContaining("is closed");
            get(home.plane.close(SHORT));
        }
    }

    /** S12.6: what cannot be removed stays, and delays nothing else. */
    @Test
    void aContextEndsThoughItsFilesCannotBeRemoved() throws Exception {
        ShmSegment segment = home.share(Access.READ);
        get(segment.publish("a name", false));
        replaceByDirectory(directory.resolve("names").resolve("a name"));
        replaceByDirectory(directory.resolve(home.plane.address()));

        get(home.plane.close(LONG));

        assertThat(segment.exported().isRevoked()).isTrue();
        assertThat(locks()).isEmpty();
    }

    /** A file that {@code unlink} does not remove. */
    private static void replaceByDirectory(Path file) throws IOException {
        Files.delete(file);
        Files.createDirectory(file);
    }

    /** S7.9: the home learns of the release when the call has ended, and not before. */
    @Test
    void anImportIsReleasedWhenTheNativeCallThatHoldsItEnds() throws Exception {
        try (TestContext importer = new TestContext(directory)) {
            ShmSegment segment = home.share(Access.READ_WRITE);
            ShmImport imported = importer.importFrom(segment, Access.READ_WRITE);
            CompletableFuture<Void> closed;
            try (var _ = new NativeCall(imported.memory)) {
                closed = imported.close();
                assertThat(closed).isNotDone();
                assertThat(segment.importers()).hasSize(1);
            }

            get(closed);

            await().until(() -> segment.importers().isEmpty());
        }
    }

    @Test
    void aRevocationCompletesWhenTheNativeCallThatHoldsTheImportEnds() throws Exception {
        try (TestContext importer = new TestContext(directory)) {
            ShmSegment segment = home.share(Access.READ_WRITE);
            ShmImport imported = importer.importFrom(segment, Access.READ_WRITE);
            CompletableFuture<?> revoked;
            try (var _ = new NativeCall(imported.memory)) {
                revoked = segment.unregister(LONG);
                await().until(imported::isRevoked);
                assertThat(segment.importers()).hasSize(1);
                assertThat(revoked).isNotDone();
            }

            get(revoked);

            assertThat(segment.importers()).isEmpty();
        }
    }

    /** Leaves more answers unread than the socket has space for. */
    private RawPeer slowReader() throws Exception {
        RawPeer slow = RawPeer.greeted(directory, home.plane);
        for (int i = 0; i < ANSWERS; i++) {
            slow.sendPatiently(new Bind(i, TestContext.QUEUE + 1, i, OrderType.OL));
        }
        await().until(() -> home.binds.size() == ANSWERS);
        return slow;
    }

    @Test
    void theGoodbyeFollowsAllAnswersThatWait() throws Exception {
        try (RawPeer slow = slowReader()) {
            var closed = home.plane.close(LONG);
            home.settle();
            assertThat(closed).isNotDone();

            int answers = 0;
            ControlMessage last = slow.receive().orElseThrow();
            while (last instanceof Refused refused) {
                assertThat(refused.request()).isEqualTo(answers);
                answers++;
                last = slow.receive().orElseThrow();
            }

            assertThat(answers).isEqualTo(ANSWERS);
            assertThat(last).isInstanceOf(Goodbye.class);
            get(closed);
        }
    }

    @Test
    void aPeerThatReadsNothingDelaysTheEndUntilTheTimeout() throws Exception {
        try (RawPeer silent = slowReader()) {
            assertThat(silent.received).isEmpty();
            long start = System.nanoTime();

            get(home.plane.close(SHORT));

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT, SHORT.plus(Duration.ofSeconds(5)));
            assertThat(locks()).isEmpty();
        }
    }

    @Test
    void aContextThatEndsUnmapsItsPaths() throws Exception {
        try (TestContext importer = new TestContext(directory)) {
            PathMemory path = importer.paths.get(importer.importQueueOf(home));
            path.inbound().get(ValueLayout.JAVA_BYTE, 0);

            get(importer.plane.close(LONG));

            assertThatThrownBy(() -> path.inbound().get(ValueLayout.JAVA_BYTE, 0))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> path.outbound().get(ValueLayout.JAVA_BYTE, 0))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void pendingRequestsFailWhenTheContextEnds() throws Exception {
        try (RawHome raw = RawHome.at(directory, RawPeer.ID)) {
            var imported = raw.importBy(home, Access.READ, LONG);
            try (RawPeer connection = raw.greet()) {
                connection.receive(ImportSegment.class);

                home.close();

                UrmaException failure = failureOf(imported);
                assertThat(failure.status()).isEqualTo(UrmaStatus.EINVAL);
                assertThat(failure).hasMessageContaining("is closed");
            }
        }
    }

    @Test
    void attemptsToConnectFailWhenTheContextEnds() throws Exception {
        try (RawHome raw = RawHome.at(directory, RawPeer.ID)) {
            var imported = raw.importBy(home, Access.READ, LONG);
            home.settle();

            home.close();

            assertThat(failureOf(imported).status()).isEqualTo(UrmaStatus.EINVAL);
        }
    }
}
