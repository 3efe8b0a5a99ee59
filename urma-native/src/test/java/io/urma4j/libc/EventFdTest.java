package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class EventFdTest {
    @Test
    void drainTakesAllSignalsAtOnce() {
        try (EventFd event = EventFd.create()) {
            event.signal();
            event.signal();

            assertThat(event.drain()).isEqualTo(2);
            assertThat(event.drain()).isZero();
        }
    }

    @Test
    void closedOneRefuses() {
        EventFd event = EventFd.create();
        event.close();

        assertThatThrownBy(event::signal).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(event::drain).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void adoptedOneIsTheSameEvent() {
        try (EventFd event = EventFd.create();
                EventFd adopted = EventFd.adopt(event.fd().duplicate())) {
            adopted.signal();

            assertThat(event.drain()).isEqualTo(1);
        }
    }

    @Test
    void somethingElseIsNotAdopted() {
        try (Fd memory = MemFd.create("urma:not-an-event", 8)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> EventFd.adopt(memory))
                    .withMessageContaining("urma:not-an-event")
                    .withMessageEndingWith("not anon_inode:[eventfd]");
            assertThat(memory.isClosed()).isFalse();
        }
    }

    @Test
    void blockingOneIsNotAdopted() {
        int setFlags = 4;
        try (EventFd event = EventFd.create()) {
            assertThat(Fd.fcntl(event.fd(), setFlags, 0)).isZero();

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> EventFd.adopt(event.fd()))
                    .withMessageEndingWith("is a blocking eventfd");
        }
    }

    /** Once compiled: the interpreter boxes, so rounds before that do not count. */
    @Test
    void signalAndDrainAllocateNothing() {
        int calls = 10_000;
        try (EventFd event = EventFd.create()) {
            long leastBytes = LongStream.range(0, 50)
                    .map(_ -> bytesAllocatedBy(event, calls))
                    .min()
                    .orElseThrow();

            // less than the smallest object for every hundredth call: the measurement itself is an object or two
            assertThat(leastBytes).isLessThan(calls / 100L * 16);
        }
    }

    private static long bytesAllocatedBy(EventFd event, int count) {
        long before = allocatedBytes();
        for (int i = 0; i < count; i++) {
            event.signal();
            event.drain();
        }
        return allocatedBytes() - before;
    }

    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
