package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class FutexTest {
    private static final long DEADLINE_NANOS = 10_000_000_000L;

    @Test
    void otherValueReturnsAtOnce() {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(Futex.await(arena.allocate(JAVA_INT), 1, DEADLINE_NANOS)).isTrue();
        }
    }

    @Test
    void waitEndsWithItsTimeout() {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(Futex.await(arena.allocate(JAVA_INT), 0, 1_000_000)).isFalse();
        }
    }

    @Test
    void wakeEndsAWait() throws InterruptedException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(JAVA_INT);
            var woken = new AtomicBoolean();
            Thread waiter = Thread.ofPlatform().start(() -> woken.set(Futex.await(word, 0, DEADLINE_NANOS)));

            while (Futex.wake(word, 1) == 0) {
                Thread.onSpinWait(); // it does not wait yet; ends with its deadline at the latest
                if (!waiter.isAlive()) {
                    break;
                }
            }
            waiter.join();

            assertThat(woken).isTrue();
        }
    }
}
