package io.urma4j.cuda;

import static io.urma4j.cuda.CudaFixture.assertSame;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.cuda.CudaFixture.Active;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyBatch;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams on the fake driver: when a copy counts as done, what waits, and what an abort can end. */
@Timeout(60)
class CudaStreamTest {
    private static final long SOON = TimeUnit.SECONDS.toNanos(20);

    @Test
    void aCopyIsDoneOnceItHasLeftItsStreamAndNoEarlier() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            MemorySegment pattern = cuda.pattern(4096, 1);
            Copy copy = new Copy();
            cuda.driver.hold(true);
            stream.copyIn(memory.address(), pattern, copy);
            awaitCalls(cuda, "cuStreamQuery", 3);
            assertThat(copy.isDone()).isFalse();
            assertThatThrownBy(() -> stream.copyIn(memory.address(), pattern, copy))
                    .isInstanceOf(IllegalStateException.class);

            cuda.driver.hold(false);
            assertThat(copy.await(SOON)).isTrue();
            assertThat(copy.failure()).isNull();
            assertSame(cuda.read(memory, 0, 4096), pattern);
        }
    }

    private static void awaitCalls(CudaFixture cuda, String function, int count) {
        long deadline = System.nanoTime() + SOON;
        try {
            while (cuda.driver.count(function) < count) {
                assertThat(System.nanoTime() - deadline)
                        .as("calls of " + function)
                        .isNegative();
                Thread.onSpinWait();
            }
        } catch (AssertionError e) {
            cuda.driver.letGo();
            throw e;
        }
    }

    private static CopyBatch batch(Active active, MemorySegment host, boolean isIn) {
        CopyBatch batch = new CopyBatch(active.region().engine(), 64);
        batch.begin(active.region(), host, isIn);
        for (int i = 0; i < 16; i++) {
            batch.add(i * 256L, (15 - i) * 256L, 256); // the blocks change their order
        }
        return batch;
    }

    @Test
    void severalRangesAreOneCopyWithoutAnEvent() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            MemorySegment pattern = cuda.pattern(4096, 1);
            MemorySegment back = cuda.arena.allocate(4096);
            Active active = CudaFixture.active(memory);

            CopyBatch in = batch(active, pattern, true);
            in.start(stream);
            assertThat(in.copy().await(SOON)).isTrue();
            assertThat(in.copy().failure()).isNull();
            assertSame(cuda.read(memory, 256, 256), pattern.asSlice(14 * 256, 256));
            CopyBatch out = batch(active, back, false);
            out.start(stream);
            assertThat(out.copy().await(SOON)).isTrue();
            assertSame(back, pattern);

            assertThat(cuda.driver.count("cuMemcpyHtoDAsync_v2")).isEqualTo(16);
            assertThat(cuda.driver.count("cuMemcpyDtoHAsync_v2")).isEqualTo(17); // one is the test's own
            assertThat(cuda.driver.count("cuEventRecord")).isZero();
            active.region().close();
        }
    }

    /** What the driver has of the list moves bytes until the stream is done. */
    @Test
    void rangesWhoseSuccessorFailsAreAwaited() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            MemorySegment pattern = cuda.pattern(4096, 2);
            memory.fill(0, 4096, (byte) 0);
            Active active = CudaFixture.active(memory);
            cuda.driver.hold(true);
            cuda.driver.failAfter("cuMemcpyHtoDAsync_v2", 3, CudaCode.INVALID_VALUE);

            CopyBatch in = batch(active, pattern, true);
            in.start(stream);
            awaitCalls(cuda, "cuStreamSynchronize", 1);
            assertThat(in.copy().isDone()).isFalse();
            cuda.driver.hold(false);
            assertThat(in.copy().await(SOON)).isTrue();

            assertThat(in.copy().failure()).hasMessageContaining("cuMemcpyHtoDAsync_v2");
            assertThat(cuda.driver.byteAt(memory.address() + 2 * 256)).isEqualTo(pattern.get(JAVA_BYTE, 13 * 256));
            cuda.driver.fail("cuMemcpyHtoDAsync_v2", 0);
            active.region().close();
        }
    }

    /** Each copy overwrites the one before; the last one wins only if they end in their order. */
    @Test
    void copiesOfAStreamEndInTheirOrder() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            cuda.driver.delay(20_000);
            List<Copy> copies = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                Copy copy = new Copy();
                stream.fill(memory.address(), 4096, (byte) i, copy);
                copies.add(copy);
            }
            MemorySegment seen = cuda.arena.allocate(4096);
            Copy last = new Copy();
            stream.copyOut(memory.address(), seen, last);
            for (int i = 0; i < copies.size(); i++) {
                assertThat(copies.get(i).await(SOON)).isTrue();
                assertThat(i == 0 || copies.get(i - 1).isDone()).isTrue();
            }
            assertThat(last.await(SOON)).isTrue();
            assertThat(seen.get(ValueLayout.JAVA_BYTE, 4095)).isEqualTo((byte) 299);
        }
    }

    @Test
    void bytesMoveWithinTheDevice() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(8192);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            MemorySegment pattern = cuda.pattern(1001, 5);
            memory.copyFrom(3, pattern);
            Copy copy = new Copy();
            stream.copyWithin(memory.address() + 3, memory.address() + 5000, 1001, copy);
            assertThat(copy.await(SOON)).isTrue();
            assertSame(cuda.read(memory, 5000, 1001), pattern);
        }
    }

    @Test
    void anEmptyCopyEndsBehindThoseBeforeIt() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            Copy first = new Copy();
            Copy empty = new Copy();
            stream.fill(memory.address(), 4096, (byte) 3, first);
            stream.copyIn(memory.address(), cuda.arena.allocate(0), empty);
            assertThat(empty.await(SOON)).isTrue();
            assertThat(first.isDone()).isTrue();
            assertThat(cuda.driver.count("cuMemcpyHtoDAsync_v2")).isZero();
        }
    }

    /** The driver gets a limited number; one that waits can be aborted, and one that the driver has cannot. */
    @Test
    void anAbortEndsACopyThatWaitsAndNoOther() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream first = cuda.client.engine(0).openStream();
                CopyStream second = cuda.client.engine(0).openStream()) {
            int limit = cuda.client.engine(0).maxInFlight();
            cuda.driver.hold(true);
            List<Copy> copies = new ArrayList<>();
            for (int i = 0; i < limit; i++) {
                Copy copy = new Copy();
                first.fill(memory.address(), 1, (byte) 1, copy);
                copies.add(copy);
            }
            awaitCalls(cuda, "cuMemsetD8Async", limit);
            Copy waits = new Copy();
            Copy goesOn = new Copy();
            second.fill(memory.address() + 1, 1, (byte) 2, waits);
            second.fill(memory.address() + 1, 1, (byte) 3, goesOn);

            first.abort(copies.getFirst());
            second.abort(waits);

            assertThat(waits.isDone()).isTrue();
            assertThat(waits.failure()).hasMessageContaining("was aborted before the driver had it");
            assertThat(copies.getFirst().isDone()).isFalse();
            assertThat(cuda.driver.count("cuMemsetD8Async")).isEqualTo(limit);
            cuda.driver.hold(false);
            assertThat(goesOn.await(SOON)).isTrue();
            assertThat(copies).allMatch(copy -> copy.await(SOON) && copy.failure() == null);
            assertThat(cuda.read(memory, 1, 1).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 3);
            assertThat(cuda.driver.count("cuMemsetD8Async")).isEqualTo(limit + 1);
        }
    }

    /** An error that the driver reports for one copy ends that copy, and no other. */
    @Test
    void aRefusedCopyFailsAlone() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            Copy copy = new Copy();
            stream.fill(memory.address() + (2 << 20), 1, (byte) 1, copy);
            assertThat(copy.await(SOON)).isTrue();
            assertThat(copy.failure())
                    .isInstanceOf(CudaException.class)
                    .hasMessageContaining("cuMemsetD8Async failed: CUDA_ERROR_FAKE (1)");
            memory.fill(0, 4096, (byte) 1);
        }
    }

    /** Its bytes may move although the event failed: the failure is reported once they do not. */
    @Test
    void aCopyWithoutAnEventIsWaitedFor() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            cuda.driver.fail("cuEventRecord", CudaCode.OUT_OF_MEMORY);
            cuda.driver.hold(true);
            Copy first = new Copy();
            Copy second = new Copy();
            stream.fill(memory.address(), 1, (byte) 9, first);
            awaitCalls(cuda, "cuStreamQuery", 1);
            stream.fill(memory.address() + 1, 1, (byte) 8, second);
            awaitCalls(cuda, "cuStreamSynchronize", 1);
            assertThat(first.isDone()).isFalse();

            cuda.driver.hold(false);
            assertThat(second.await(SOON)).isTrue();
            assertThat(first.failure()).hasMessageContaining("cuEventRecord failed");
            assertThat(cuda.driver.byteAt(memory.address())).isEqualTo((byte) 9);
            assertThat(second.failure()).as("of a copy that is alone then").isNull();
            cuda.driver.fail("cuEventRecord", 0);
        }
    }

    @Test
    void aClosedStreamRefusesAndItsCopiesHaveEnded() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096)) {
            CopyStream stream = cuda.client.engine(0).openStream();
            cuda.driver.delay(1_000_000);
            Copy copy = new Copy();
            stream.fill(memory.address(), 1, (byte) 1, copy);
            stream.close();
            stream.close();
            assertThat(copy.isDone()).isTrue();
            assertThat(cuda.driver.count("cuStreamDestroy_v2")).isOne();
            assertThat(cuda.driver.count("cuEventDestroy_v2")).isOne();
            assertThatThrownBy(() -> stream.fill(memory.address(), 1, (byte) 1, copy))
                    .hasMessageContaining("copy stream of CUDA device 0: is closed");
        }
    }

    @Test
    void theEndOfTheClientWaitsForItsCopies() {
        CudaFixture cuda = new CudaFixture();
        DeviceMemory memory = cuda.allocate(4096);
        CopyStream stream = cuda.client.engine(0).openStream();
        cuda.driver.delay(200_000);
        List<Copy> copies = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Copy copy = new Copy();
            stream.fill(memory.address(), 4096, (byte) i, copy);
            copies.add(copy);
        }
        cuda.client.close();

        assertThat(copies).allMatch(copy -> copy.isDone() && copy.failure() == null);
        assertThat(cuda.driver.leftovers()).isEmpty();
        assertThatThrownBy(() -> stream.fill(memory.address(), 1, (byte) 1, copies.getFirst()))
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> cuda.client.engine(0)).hasMessageContaining("cuda: is closed");
        stream.close();
        cuda.close();
    }

    /** The owner of a stream may free the memory of its copies next. */
    @Test
    void aStreamWaitsForItsCopiesBesideTheEndOfItsClient() throws Exception {
        CudaFixture cuda = new CudaFixture();
        DeviceMemory memory = cuda.allocate(4096);
        CopyStream stream = cuda.client.engine(0).openStream();
        cuda.driver.hold(true);
        Copy copy = new Copy();
        stream.fill(memory.address(), 4096, (byte) 1, copy);
        Thread client = Thread.ofPlatform().start(cuda.client::close);
        while (!isClosed(stream, memory)) {
            Thread.sleep(1);
        }

        Thread owner = Thread.ofPlatform().start(stream::close);
        assertThat(owner.join(Duration.ofMillis(1_500))).isFalse();
        assertThat(copy.isDone()).isFalse();

        cuda.driver.hold(false);
        owner.join();
        client.join();
        assertThat(copy.isDone()).isTrue();
        cuda.close();
    }

    private static boolean isClosed(CopyStream stream, DeviceMemory memory) {
        try {
            stream.fill(memory.address(), 1, (byte) 1, new Copy());
            return false;
        } catch (UrmaException e) {
            return true;
        }
    }

    @Test
    void heapMemoryAndClosedArenasAreRefused() {
        try (CudaFixture cuda = new CudaFixture();
                CopyStream stream = cuda.client.engine(0).openStream()) {
            Copy copy = new Copy();
            assertThatThrownBy(() -> stream.copyIn(1, MemorySegment.ofArray(new byte[8]), copy))
                    .hasMessageContaining("source is heap memory");
            assertThat(copy.isDone()).isTrue();
        }
    }

    /** An invalidation waits for what the driver has: it cannot be aborted. */
    @Test
    void anInvalidationWaitsForACopyOfTheDriver() throws Exception {
        try (CudaFixture cuda = new CudaFixture()) {
            DeviceMemory memory = cuda.allocate(4096);
            Active active = CudaFixture.active(memory);
            CopyStream stream = active.region().engine().openStream();
            cuda.driver.hold(true);
            Copy copy = new Copy();
            active.region().copyIn(stream, 0, cuda.pattern(4096, 2), copy);
            awaitCalls(cuda, "cuStreamQuery", 1);

            Thread force = Thread.ofPlatform().start(memory::closeByForce);
            awaitEvent(active, "revoke FREED");
            assertThat(force.join(Duration.ofMillis(50))).isFalse();
            assertThat(copy.isDone()).isFalse();

            cuda.driver.hold(false);
            force.join();
            assertThat(copy.isDone()).isTrue();
            assertThat(active.events()).containsExactly("revoke FREED", "invalidated FREED");
            active.region().close();
            stream.close();
        }
    }

    private static void awaitEvent(Active active, String event) {
        long deadline = System.nanoTime() + SOON;
        while (!active.events().contains(event)) {
            assertThat(System.nanoTime() - deadline).as(event).isNegative();
            Thread.onSpinWait();
        }
    }
}
