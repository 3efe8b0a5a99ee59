package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TimerFdTest {
    private static final long SOON_NANOS = 5_000_000;
    private static final long LONG_NANOS = Duration.ofHours(1).toNanos();

    @Test
    void isReadableOnceItsTimeHasCome() {
        try (TimerFd timer = TimerFd.create()) {
            assertThat(isReadable(timer, 0)).isFalse();
            long start = System.nanoTime();

            timer.set(SOON_NANOS);

            assertThat(isReadable(timer, -1)).isTrue();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SOON_NANOS);
        }
    }

    @Test
    void setAnewItIsNoLongerReadable() {
        try (TimerFd timer = TimerFd.create()) {
            timer.set(1);
            assertThat(isReadable(timer, -1)).isTrue();

            timer.set(LONG_NANOS);

            assertThat(isReadable(timer, 0)).isFalse();
        }
    }

    @Test
    void whoWaitsForAnEdgeIsToldEachTime() {
        try (TimerFd timer = TimerFd.create();
                Epoll epoll = Epoll.create(1)) {
            epoll.add(timer.fd(), Epoll.IN | Epoll.EDGE_TRIGGERED, 7);
            for (int i = 0; i < 3; i++) {
                timer.set(SOON_NANOS);

                assertThat(epoll.await(-1)).isEqualTo(1);
                assertThat(epoll.tag(0)).isEqualTo(7);
                assertThat(epoll.await(0)).isZero();
            }
        }
    }

    @Test
    void noTimeAtAllIsRefused() {
        try (TimerFd timer = TimerFd.create()) {
            assertThatIllegalArgumentException().isThrownBy(() -> timer.set(0)).withMessage("delayNanos 0 is below 1");
        }
    }

    @Test
    void closedOneRefuses() {
        TimerFd timer = TimerFd.create();
        timer.close();
        timer.close();

        assertThatThrownBy(() -> timer.set(1)).isInstanceOf(IllegalStateException.class);
    }

    private static boolean isReadable(TimerFd timer, int timeoutMillis) {
        return Poll.await(timer.fd(), Poll.IN, timeoutMillis) != 0;
    }
}
