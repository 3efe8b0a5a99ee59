package io.urma4j.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** SEMANTICS §4: what is used cannot be closed, and is closed once. */
class LifetimeTest {
    private final Lifetime life = new Lifetime("queue 7");

    @Test
    void whoHoldsItIsNamed() {
        life.retain("Jetty 2");
        life.retain("Jetty 1");
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(life::end)
                .withMessage("queue 7: cannot be closed, still used by Jetty 1, Jetty 2 (EAGAIN)")
                .matches(failure -> failure.status() == UrmaStatus.EAGAIN);
        assertThat(life.isClosed()).isFalse();
        life.release("Jetty 1");
        life.release("Jetty 2");
        assertThat(life.end()).isTrue();
    }

    @Test
    void afterItsEndItIsClosedForAll() {
        assertThat(life.end()).isTrue();
        assertThat(life.end()).isFalse();
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(life::checkOpen)
                .withMessage("queue 7: is closed (EINVAL)");
        assertThatExceptionOfType(UrmaException.class).isThrownBy(() -> life.retain("late"));
        assertThat(life.isHeld()).isFalse();
    }

    @Test
    void anEndThatHoldersPreventChangesNothing() {
        life.retain("Jetty 1");
        assertThat(life.endUnlessHeld()).isFalse();
        assertThat(life.isClosed()).isFalse();
        life.release("Jetty 1");
        assertThat(life.endUnlessHeld()).isTrue();
        assertThat(life.endUnlessHeld()).isFalse();
        assertThat(life.end()).isFalse();
    }

    @Test
    void lastHolderCleansUpAfterAnEarlyEnd() {
        AtomicInteger cleanUps = new AtomicInteger();
        life.retain("segment 1");
        life.retain("segment 2");

        assertThat(life.endWithHolders(cleanUps::incrementAndGet)).isFalse();

        assertThat(life.isClosed()).isTrue();
        assertThatExceptionOfType(UrmaException.class).isThrownBy(() -> life.retain("late"));
        life.release("segment 1");
        life.release("segment 1");
        assertThat(life.endWithHolders(cleanUps::incrementAndGet)).isFalse();
        assertThat(life.end()).isFalse();
        assertThat(cleanUps).hasValue(0);
        life.release("segment 2");
        life.release("segment 2");
        assertThat(cleanUps).hasValue(1);
    }

    @Test
    void earlyEndWithoutHoldersIsForItsCallerToCleanUp() {
        AtomicInteger cleanUps = new AtomicInteger();

        assertThat(life.endWithHolders(cleanUps::incrementAndGet)).isTrue();
        assertThat(life.endWithHolders(cleanUps::incrementAndGet)).isFalse();

        assertThat(cleanUps).hasValue(0);
    }

    @Test
    void oneOfManyEndsIt() {
        AtomicInteger winners = new AtomicInteger();
        IntStream.range(0, 64).parallel().forEach(_ -> {
            if (life.end()) {
                winners.incrementAndGet();
            }
        });
        assertThat(winners).hasValue(1);
    }
}
