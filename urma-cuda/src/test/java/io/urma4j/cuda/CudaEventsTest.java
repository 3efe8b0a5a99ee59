package io.urma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.peer.Copy;
import io.urma4j.peer.DeviceEvent;
import io.urma4j.peer.DeviceMemory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Events of the user, on streams of the user: a fill stands for the kernel. */
class CudaEventsTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    /** The user's stream and event, in the thread of the test, which has the primary context of the device. */
    private static final class User implements AutoCloseable {
        private final FakeCudaDriver driver;
        final long stream;
        final long event;

        User(FakeCudaDriver driver) {
            this.driver = driver;
            driver.setCurrentContext(driver.retainPrimaryContext(0));
            stream = driver.createStream(CudaDriver.STREAM_NON_BLOCKING);
            event = driver.createEvent(CudaDriver.EVENT_DISABLE_TIMING);
        }

        void launch(DeviceMemory memory) {
            driver.fill(memory.address(), (byte) 7, memory.lengthBytes(), stream);
            driver.recordEvent(event, stream);
        }

        @Override
        public void close() {
            driver.destroyEvent(event);
            driver.destroyStream(stream);
            driver.setCurrentContext(0);
            driver.releasePrimaryContext(0);
        }
    }

    @Test
    void eventIsDoneOnceItsStreamIs() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096);
                User user = new User(cuda.driver)) {
            cuda.driver.hold(true);
            user.launch(memory);
            DeviceEvent event = cuda.memory.event("cuda", 0, user.event);
            assertThat(event.await(Duration.ofMillis(50))).isFalse();
            assertThat(cuda.driver.byteAt(memory.address())).isZero();

            cuda.driver.hold(false);

            assertThat(event.await(SOON)).isTrue();
            assertThat(event.failure()).isNull();
            assertThat(cuda.driver.byteAt(memory.address())).isEqualTo((byte) 7);
            assertThat(cuda.memory.event("cuda", 0, user.event).isDone())
                    .as("of another look")
                    .isTrue();
        }
    }

    /** Before the library has used the device: it enters the context itself. */
    @Test
    void eventOfADeviceWithoutMemoryOfTheLibrary() {
        try (CudaFixture cuda = new CudaFixture();
                User user = new User(cuda.driver)) {
            cuda.driver.recordEvent(user.event, user.stream);

            assertThat(cuda.memory.event("cuda", 0, user.event).await(SOON)).isTrue();
        }
    }

    @Test
    void whatIsNoEventIsRefused() {
        try (CudaFixture cuda = new CudaFixture()) {
            assertThatThrownBy(() -> cuda.memory.event("cuda", 0, 0xBAD))
                    .isInstanceOf(UrmaException.class)
                    .hasMessageContaining("has no event 0xbad");
        }
    }

    @Test
    void eventFailsWithItsDevice() {
        try (CudaFixture cuda = new CudaFixture()) {
            DeviceMemory memory = cuda.allocate(4096);
            User user = new User(cuda.driver);
            cuda.driver.hold(true);
            user.launch(memory);
            DeviceEvent event = cuda.memory.event("cuda", 0, user.event);

            cuda.lose(0, CudaCode.ILLEGAL_ADDRESS);

            assertThat(event.await(SOON)).isTrue();
            assertThat(event.failure()).hasMessageContaining("is lost");
            cuda.driver.letGo();
            memory.close();
        }
    }

    @Test
    void eventFailsWithTheEndOfItsClient() {
        try (CudaFixture cuda = new CudaFixture();
                User user = new User(cuda.driver)) {
            cuda.driver.hold(true);
            cuda.driver.recordEvent(user.event, user.stream);
            DeviceEvent event = cuda.memory.event("cuda", 0, user.event);

            cuda.memory.close();

            assertThat(event.await(SOON)).isTrue();
            assertThat(event.failure()).hasMessageContaining("is closed");
            cuda.driver.letGo();
        }
    }

    @Test
    void eventsFailWithTheirClientThoughACopyHangs() {
        try (CudaFixture cuda = new CudaFixture()) {
            DeviceMemory memory = cuda.allocate(4096);
            User user = new User(cuda.driver);
            cuda.driver.hold(true);
            cuda.driver.recordEvent(user.event, user.stream);
            DeviceEvent event = cuda.memory.event("cuda", 0, user.event);
            cuda.client.engine(0).openStream().fill(memory.address(), 1, (byte) 1, new Copy());

            cuda.client.close();

            assertThat(event.await(SOON)).isTrue();
            assertThat(event.failure()).hasMessageContaining("is closed");
            cuda.abandon();
        }
    }

    /** The thread that asks for events is in the driver when the client ends, and for longer. */
    @Test
    void eventsFailWithTheirClientThoughTheDriverHangs() {
        try (CudaFixture cuda = new CudaFixture()) {
            User user = new User(cuda.driver);
            cuda.driver.hold(true);
            cuda.driver.recordEvent(user.event, user.stream);
            DeviceEvent event = cuda.memory.event("cuda", 0, user.event);
            DeviceEvent other = cuda.memory.event("cuda", 0, user.event);
            cuda.driver.block("cuEventQuery", new CountDownLatch(1));

            cuda.memory.close();

            assertThat(event.await(SOON)).isTrue();
            assertThat(event.failure()).hasMessageContaining("is closed");
            assertThat(other.await(SOON)).isTrue();
            cuda.abandon();
        }
    }
}
