package io.urma4j.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;

/** S2.1: messages name argument, value and limit. */
class ChecksTest {
    @Test
    void valuesOutsideAreNamedWithTheirLimits() {
        assertThat(Checks.inRange("jfc 1", "depth", 5, 1, 5)).isEqualTo(5);
        assertInvalid(() -> Checks.inRange("jfc 1", "depth", 6, 1, 5))
                .withMessage("jfc 1: depth is 6, must lie in 1…5 (EINVAL)");
        assertInvalid(() -> Checks.inRange("jfc 1", "depth", 0L, 1L, 5L)).withMessageContaining("depth is 0");
    }

    @Test
    void rangesEndWithTheSegment() {
        Checks.range("segment", 0, 4096, 4096);
        Checks.range("segment", 4096, 0, 4096);
        assertInvalid(() -> Checks.range("segment", 4096, 1, 4096))
                .withMessageContaining("offset 4096 + length 1 lies outside its 4096 bytes");
        assertInvalid(() -> Checks.range("segment", 4089, 8, 4096));
        assertInvalid(() -> Checks.range("segment", -1, 8, 4096));
        assertInvalid(() -> Checks.range("segment", 0, -1, 4096));
        assertInvalid(() -> Checks.range("segment", Long.MAX_VALUE, Long.MAX_VALUE, 4096));
        assertInvalid(() -> Checks.range("segment", Long.MAX_VALUE, 1, 4096));
        assertInvalid(() -> Checks.range("segment", 1, Long.MAX_VALUE, Long.MAX_VALUE));
    }

    @Test
    void durationsMustBeLongerThanNothing() {
        assertInvalid(() -> Checks.positive("x", "timeout", Duration.ZERO)).withMessageContaining("timeout is PT0S");
        assertInvalid(() -> Checks.positive("x", "timeout", Duration.ofNanos(-1)));
        assertThat(Checks.positive("x", "timeout", Duration.ofNanos(1))).isEqualTo(Duration.ofNanos(1));
    }

    @Test
    void memoryMustBeAliveAndWithinReach() throws InterruptedException {
        Checks.usableHere("x", "payload", MemorySegment.ofArray(new byte[1]));
        Arena closed = Arena.ofConfined();
        MemorySegment dead = closed.allocate(8);
        closed.close();
        assertInvalid(() -> Checks.usableHere("x", "payload", dead))
                .withMessageContaining("arena of payload is closed");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mine = arena.allocate(8);
            Thread other = Thread.ofPlatform()
                    .start(() -> assertInvalid(() -> Checks.usableHere("x", "payload", mine))
                            .withMessageContaining("another thread"));
            other.join();
        }
    }

    @Test
    void centuriesDoNotOverflow() {
        assertThat(Nanos.of(Duration.ofMillis(3))).isEqualTo(3_000_000);
        assertThat(Nanos.of(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE / 2);
        assertThat(Nanos.of(Duration.ofSeconds(Long.MIN_VALUE))).isNegative();
        assertThat(Nanos.deadlineAfter(Duration.ofSeconds(Long.MAX_VALUE)) - System.nanoTime())
                .isPositive();
    }

    private static ThrowableAssertAlternative<UrmaException> assertInvalid(ThrowingCallable call) {
        return assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(call)
                .matches(failure -> failure.status() == UrmaStatus.EINVAL);
    }
}
