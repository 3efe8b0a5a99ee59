package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static io.urma4j.FakeHome.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.FakeContext.FakeImport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The checks of {@link RemoteMemory}, and its way out of failures. What it moves is tested on real providers. */
class RemoteMemoryTest {
    private final FakeHome home = new FakeHome();
    private final RemoteMemory memory = home.context.importMemory(home.segment().share());

    @AfterEach
    void everythingIsClosedInTheEnd() {
        home.close();
        assertThat(home.fake.open).as("left open in the provider").isEmpty();
    }

    @Test
    void onlyLinesAndNamesOpenIt() {
        String line = home.segment().share();
        for (String text :
                new String[] {"", " ", "orders", "udma:orders", "xrma4j" + line.substring(6), line.substring(1)}) {
            assertInvalid(() -> home.context.importMemory(text))
                    .withMessageContaining("neither a line of share()")
                    .withMessageContaining("'fake:NAME'");
        }
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> home.context.importMemory(line.substring(0, line.length() - 1)));
        assertInvalid(() -> home.context.importMemory("fake:orders")).withMessageContaining("no process published it");
        assertInvalid(() -> home.context.importMemory("fake:../x")).withMessageContaining("1…255 letters");
        home.context.importMemory("\t" + line + "\n").close();
    }

    @Test
    void rangesAreCheckedBeforeAnythingMoves() {
        long size = memory.lengthBytes();
        assertInvalid(() -> memory.write(size - 7, new byte[8]))
                .withMessageContaining("remote memory")
                .withMessageContaining("offset 4089 + length 8 lies outside its 4096 bytes");
        assertInvalid(() -> memory.write(-1, new byte[8]));
        assertInvalid(() -> memory.read(Long.MAX_VALUE, 8));
        assertInvalid(() -> memory.read(0, -1));
        assertInvalid(() -> memory.read(0, Integer.MAX_VALUE)).withMessageContaining("2147483647");
        assertInvalid(() -> memory.readLong(size)).withMessageContaining("offset 4096");
        assertInvalid(() -> memory.fetchAndAdd(4, 1)).withMessageContaining("not a multiple of its size 8");
        assertInvalid(() -> memory.write(0, new byte[8], 1, 8))
                .withMessageContaining("index 1 + length 8 lies outside");
        assertInvalid(() -> memory.read(0, new byte[8], 0, -1));
        memory.write(size, new byte[0]);
        assertThat(memory.read(size, 0)).isEmpty();
    }

    @Test
    void memoryOutOfReachIsRefused() {
        Arena closed = Arena.ofConfined();
        MemorySegment dead = closed.allocate(8);
        closed.close();
        assertInvalid(() -> memory.write(0, dead)).withMessageContaining("the arena of source is closed");
        MemorySegment readOnly = MemorySegment.ofArray(new byte[8]).asReadOnly();
        assertInvalid(() -> memory.read(0, readOnly)).withMessageContaining("destination is read-only");
        memory.write(0, readOnly);
        try (Arena confined = Arena.ofConfined()) {
            CompletableFuture<Void> other = memory.writeAsync(0, confined.allocate(8));
            assertThat(other).failsWithin(java.time.Duration.ofSeconds(10));
            assertThat(other.exceptionNow()).hasMessageContaining("belongs to another thread");
        }
    }

    @Test
    void whatTheAccessDoesNotAllowIsNotPermitted() {
        LocalSegment readable = home.context.register(home.context.allocate(64), Access.READ);
        try (RemoteMemory readOnly = home.context.importMemory(readable.share())) {
            assertRefused(UrmaStatus.ENOPERM, () -> readOnly.write(0, new byte[1]))
                    .withMessageContaining("READ");
            assertRefused(UrmaStatus.ENOPERM, () -> readOnly.writeLong(0, 1));
            assertRefused(UrmaStatus.ENOPERM, () -> readOnly.swap(0, 1));
            assertThat(readOnly.read(0, 64)).hasSize(64);
        }
    }

    @Test
    void aFailureNamesOperationRangeAndStatusAndIsSurvived() {
        for (CompletionStatus status : CompletionStatus.values()) {
            boolean possible =
                    status != CompletionStatus.SUCCESS && !status.isMarker() && status != CompletionStatus.WR_UNHANDLED;
            if (possible) {
                home.fake.results.add(status);
                assertThatExceptionOfType(OperationFailedException.class)
                        .isThrownBy(() -> memory.write(16, new byte[300]))
                        .withMessageContaining("write of offset 16 + length 300 ended with " + status)
                        .matches(failure -> failure.completionStatus() == status);
                memory.write(16, new byte[300]);
            }
        }
        assertThat(home.fake.open.stream().filter("send queue"::equals)).hasSize(1);
    }

    @Test
    void aFailureOfALaterPieceIsSurvived() {
        RemoteMemory large = home.context.importMemory(home.context
                .register(home.context.allocate(8 << 20), Access.READ_WRITE)
                .share());
        byte[] bytes = new byte[7 << 20];
        for (int failing = 0; failing < 7; failing++) {
            succeedThenFail(failing);
            assertThatExceptionOfType(OperationFailedException.class)
                    .isThrownBy(() -> large.write(1, bytes))
                    .withMessageContaining("write of offset 1 + length 7340032 ended with ACK_TIMEOUT_ERR");
            home.fake.results.clear();
            succeedThenFail(failing);
            assertThatExceptionOfType(OperationFailedException.class)
                    .isThrownBy(() -> large.read(1, bytes))
                    .withMessageContaining("read of offset 1");
            home.fake.results.clear();
            large.write(0, bytes);
            large.read(0, bytes);
        }
    }

    private void succeedThenFail(int successes) {
        for (int i = 0; i < successes; i++) {
            home.fake.results.add(CompletionStatus.SUCCESS);
        }
        home.fake.results.add(CompletionStatus.ACK_TIMEOUT_ERR);
    }

    /** Otherwise it takes a CPU until the queue's timeout. */
    @Test
    void anInterruptedThreadSleepsUntilItsRecordArrives() {
        memory.readLong(0); // makes the queue
        FakeQueues.hold(home.context, true);
        InterruptedSleeper sleeper = InterruptedSleeper.start(() -> memory.readLong(0));

        sleeper.awaitSleep();
        FakeQueues.hold(home.context, false);

        sleeper.assertEndsInterrupted();
    }

    @Test
    void aRevokedSegmentIsToldAtOnceAndAgain() {
        FakeImport.of(memory.segment(), home.context).revoked = true;
        for (int i = 0; i < 2; i++) {
            assertRefused(UrmaStatus.ENOPERM, () -> memory.readLong(0)).withMessageContaining("revoked the segment");
        }
    }

    @Test
    void afterCloseAllIsClosed() {
        memory.close();
        memory.close();
        assertInvalid(() -> memory.readLong(0))
                .withMessageContaining("remote memory")
                .withMessageContaining("is closed");
        assertInvalid(() -> RemoteMemory.of(memory.segment())).withMessageContaining("is closed");
    }

    @Test
    void overAnImportedSegmentItLeavesTheSegmentOpen() {
        RemoteSegment segment = home.imported(Access.READ_WRITE_ATOMIC);
        try (RemoteMemory over = RemoteMemory.of(segment)) {
            over.writeLong(0, 1);
        }
        assertThat(home.jfs().read(segment, 0, home.segment(), 0, 8, 1)).isTrue();
    }

    @Test
    void manyThreadsShareFewQueues() {
        var calls = java.util.stream.IntStream.range(0, 200)
                .mapToObj(i -> memory.fetchAndAddAsync(8L * i, 1))
                .toArray(CompletableFuture<?>[]::new);
        assertThat(CompletableFuture.allOf(calls)).succeedsWithin(java.time.Duration.ofSeconds(20));
        assertThat(home.fake.open.stream().filter("send queue"::equals)).hasSizeLessThanOrEqualTo(8);
    }
}
