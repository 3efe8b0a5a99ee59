package io.urma4j.npu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceEvent;
import io.urma4j.peer.PeerMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NpuEventsTest {
    private final SimulatedNpus npus = new SimulatedNpus(NpuConfig.parse("2"));
    private final PeerMemory memory = PeerMemory.open(UrmaOptions.DEFAULT);

    NpuEventsTest() {
        memory.add(npus);
    }

    @AfterEach
    void close() {
        memory.close();
        npus.close();
    }

    @Test
    void eventIsDoneWhenItsKernelEnds() {
        long kernel = npus.recordEvent(1);
        DeviceEvent event = memory.event("npu", 1, kernel);
        List<String> told = new ArrayList<>();
        event.whenDone(() -> {
            throw new IllegalStateException("an action of a test");
        });
        event.whenDone(() -> told.add("first"));
        assertThat(event.isDone()).isFalse();
        assertThat(event.await(Duration.ofMillis(1))).isFalse();
        assertThat(event).hasToString("npu:1 event 0x1, in progress");

        npus.endEvent(1, kernel);
        npus.failEvent(1, kernel); // too late

        assertThat(event.isDone()).isTrue();
        assertThat(event.failure()).isNull();
        event.whenDone(() -> told.add("second"));
        assertThat(told).containsExactly("first", "second");
        assertThat(memory.event("npu", 1, kernel)).hasToString("npu:1 event 0x1, done");
    }

    /** Of millions of kernels. */
    @Test
    void eventThatEndedWellIsNotKept() {
        try (NpuDeviceOfATest device = new NpuDeviceOfATest()) {
            NpuEvents events = new NpuEvents(device.device);
            long first = events.record();
            long failed = events.record();
            long runs = events.record();
            UrmaException fault = new UrmaException(UrmaStatus.FAIL, "test", "a fault");

            events.end(first, null);
            events.end(failed, fault);

            assertThat(events.count()).isEqualTo(2);
            List<Object> told = new ArrayList<>();
            events.whenDone(first, told::add);
            events.whenDone(failed, told::add);
            events.end(first, fault); // too late
            events.whenDone(first, told::add);
            assertThat(told).containsExactly(null, fault, null);
            events.end(runs, null);
            assertThatThrownBy(() -> events.whenDone(runs + 1, told::add)).hasMessageContaining("has no event 4");
            assertThatThrownBy(() -> events.whenDone(0, told::add)).hasMessageContaining("has no event 0");
        }
    }

    private static final class NpuDeviceOfATest implements AutoCloseable {
        final NpuDevice device = new NpuDevice(0, NpuConfig.parse("1"));

        @Override
        public void close() {
            device.close();
        }
    }

    @Test
    void interruptEndsAWait() {
        DeviceEvent event = memory.event("npu", 0, npus.recordEvent(0));
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> event.await(Duration.ofSeconds(10))).hasMessageContaining("EAGAIN");

        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fault", "reset", "loss", "close"})
    void eventFailsWithItsKernel(String how) {
        Consumer<Long> end = switch (how) {
            case "fault" -> kernel -> npus.failEvent(0, kernel);
            case "reset" -> _ -> npus.reset(0);
            case "loss" -> _ -> npus.lose(0);
            default -> _ -> npus.close();
        };
        long kernel = npus.recordEvent(0);
        DeviceEvent event = memory.event("npu", 0, kernel);

        end.accept(kernel);

        assertThat(event.await(Duration.ofSeconds(10))).isTrue();
        assertThat(event.failure()).isInstanceOf(UrmaException.class);
        assertThat(event.toString()).contains("failed: ");
    }

    /** A lost device ends nothing any more, so nothing may wait for it. */
    @Test
    void eventOfALostDeviceHasFailedAtOnce() {
        npus.lose(0);

        DeviceEvent event = memory.event("npu", 0, npus.recordEvent(0));

        assertThat(event.isDone()).isTrue();
        assertThat(event.failure()).isInstanceOf(UrmaException.class);
    }

    @Test
    void whatIsNoEventIsRefused() {
        assertThatThrownBy(() -> memory.event("npu", 0, 77)).hasMessageContaining("has no event 77");
        assertThatThrownBy(() -> memory.event("npu", 2, npus.recordEvent(1))).hasMessageContaining("has no device 2");
        assertThatThrownBy(() -> memory.event("nothing", 0, 1)).isInstanceOf(UrmaException.class);
    }
}
