package io.urma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceMemory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread asks for the end of a copy: the one that handed it to the driver, until it has something else to do. */
@Timeout(60)
class LoneCopyTest {
    private static final long SOON = TimeUnit.SECONDS.toNanos(20);
    private static final String CALLING = "urma-cuda-0";
    private static final String POLLING = "urma-cuda-0-poll";

    /** Waits for the calls; the copies are in progress meanwhile. */
    private static void awaitQueries(CudaFixture cuda, String function, int count, Copy... copies) {
        long deadline = System.nanoTime() + SOON;
        try {
            while (cuda.driver.count(function) < count) {
                assertThat(copies).noneMatch(Copy::isDone);
                assertThat(System.nanoTime() - deadline).as(function).isNegative();
                Thread.onSpinWait();
            }
        } catch (AssertionError e) {
            cuda.driver.letGo();
            throw e;
        }
    }

    @Test
    void copiesOneAtATimeNeedNeitherEventNorPollingThread() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream first = cuda.client.engine(0).openStream();
                CopyStream second = cuda.client.engine(0).openStream()) {
            Copy copy = new Copy();
            for (int i = 0; i < 100; i++) {
                (i % 3 == 0 ? first : second).fill(memory.address(), 4096, (byte) i, copy);
                assertThat(copy.await(SOON)).isTrue();
                assertThat(copy.failure()).isNull();
            }
            assertThat(cuda.driver.threads("cuStreamQuery")).containsExactly(CALLING);
            assertThat(cuda.driver.count("cuEventRecord")).isZero();
            assertThat(cuda.driver.count("cuEventQuery")).isZero();
        }
    }

    @Test
    void aSecondCopySendsBothToThePollingThread() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            Copy first = new Copy();
            Copy second = new Copy();
            cuda.driver.hold(true);
            stream.fill(memory.address(), 4096, (byte) 1, first);
            awaitQueries(cuda, "cuStreamQuery", 1, first);
            stream.fill(memory.address(), 4096, (byte) 2, second);
            awaitQueries(cuda, "cuEventQuery", 3, first, second);
            assertThat(cuda.driver.threads("cuEventQuery")).containsExactly(POLLING);

            cuda.driver.hold(false);
            assertThat(second.await(SOON)).isTrue();
            assertThat(first.isDone()).as("the first of the stream").isTrue();
            assertThat(first.failure()).isNull();
            assertThat(cuda.driver.byteAt(memory.address())).isEqualTo((byte) 2);
        }
    }

    /** Its event lies before the next copy, whose bytes move 200 ms later. */
    @Test
    void aCopyThatIsHandedOverWaitsForNoLaterOne() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            Copy first = new Copy();
            Copy second = new Copy();
            cuda.driver.delay(TimeUnit.MILLISECONDS.toNanos(200));
            stream.fill(memory.address(), 4096, (byte) 1, first);
            stream.fill(memory.address(), 4096, (byte) 2, second);
            assertThat(first.await(SOON)).isTrue();
            assertThat(cuda.driver.byteAt(memory.address())).isEqualTo((byte) 1);

            cuda.driver.delay(0);
            assertThat(second.await(SOON)).isTrue();
            assertThat(cuda.driver.byteAt(memory.address())).isEqualTo((byte) 2);
        }
    }

    /** A call that takes long, such as an allocation, delays the start of copies, and the end of none. */
    @Test
    void aLoneCopyEndsWhileAnotherCallBlocks() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            Copy copy = new Copy();
            cuda.driver.hold(true);
            stream.fill(memory.address(), 4096, (byte) 1, copy);
            awaitQueries(cuda, "cuStreamQuery", 3, copy);
            int before = cuda.driver.count("cuPointerGetAttributes");
            cuda.driver.block("cuPointerGetAttributes", end);
            Thread other = Thread.ofPlatform().start(() -> cuda.memory.wrap("cuda", 0, memory.address(), 64));
            while (cuda.driver.count("cuPointerGetAttributes") == before) {
                Thread.onSpinWait();
            }
            awaitQueries(cuda, "cuEventQuery", 3, copy);

            cuda.driver.hold(false);
            assertThat(copy.await(SOON)).isTrue();
            assertThat(other.join(Duration.ofMillis(10)))
                    .as("the call has returned")
                    .isFalse();
            end.countDown();
            other.join();
        } finally {
            end.countDown();
        }
    }

    @Test
    void aLoneCopyFailsWhenItsDeviceIsLost() {
        try (CudaFixture cuda = new CudaFixture()) {
            DeviceMemory memory = cuda.allocate(4096);
            CopyStream stream = cuda.client.engine(0).openStream();
            Copy copy = new Copy();
            cuda.driver.hold(true);
            stream.fill(memory.address(), 4096, (byte) 1, copy);
            awaitQueries(cuda, "cuStreamQuery", 1, copy);
            cuda.lose(0, CudaCode.ILLEGAL_ADDRESS);

            assertThat(copy.await(SOON)).isTrue();
            assertThat(copy.failure()).hasMessageContaining("is lost: cuStreamQuery failed");
            assertThat(cuda.driver.threads("cuStreamQuery")).containsExactly(CALLING);
            assertThat(cuda.driver.count("cuEventQuery")).isZero();
        }
    }
}
