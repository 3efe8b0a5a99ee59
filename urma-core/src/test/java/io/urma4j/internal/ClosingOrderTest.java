package io.urma4j.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** S4.1: the order of closing. */
class ClosingOrderTest {
    private final ClosingOrder children = new ClosingOrder("context 1");
    private final List<String> closed = new ArrayList<>();

    private record Child(String name, List<String> closed) implements AutoCloseable {
        @Override
        public void close() {
            closed.add(name);
            if (name.startsWith("bad")) {
                throw new IllegalStateException(name);
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private Child child(String name) {
        return new Child(name, closed);
    }

    @Test
    void lowerRanksAndLaterOnesGoFirst() {
        children.add(child("memory 1"), 2);
        children.add(child("queue 1"), 1);
        children.add(child("memory 2"), 2);
        children.add(child("queue 2"), 1);
        Child gone = children.add(child("gone"), 0);
        children.remove(gone);
        assertThat(children.closeAll()).isNull();
        assertThat(closed).containsExactly("queue 2", "queue 1", "memory 2", "memory 1");
    }

    @Test
    void aFailureStopsNothing() {
        children.add(child("good"), 2);
        children.add(child("bad 2"), 1);
        children.add(child("bad 1"), 0);
        assertThat(children.closeAll())
                .hasMessage("bad 1")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
        assertThat(closed).containsExactly("bad 1", "bad 2", "good");
    }

    @Test
    void aChildThatIsHeldForAMomentIsAwaited() {
        AutoCloseable held = new AutoCloseable() {
            private int tries;

            @Override
            public void close() {
                if (++tries < 3) {
                    throw new UrmaException(UrmaStatus.EAGAIN, "memory", "is still used");
                }
            }
        };
        children.add(held, 0);

        assertThat(children.closeAll(Duration.ofSeconds(10))).isNull();
    }

    @Test
    void aChildThatIsHeldForGoodIsReported() {
        children.add(
                () -> {
                    throw new UrmaException(UrmaStatus.EAGAIN, "memory", "is still used");
                },
                0);

        assertThat(children.closeAll(Duration.ofMillis(20))).hasMessageContaining("is still used");
    }

    @Test
    void whatComesAfterTheEndIsClosedAndRefused() {
        assertThat(children.closeAll()).isNull();
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> children.add(child("late"), 0))
                .withMessage("context 1: is closed (EINVAL)");
        assertThat(closed).containsExactly("late");
        assertThat(children.tryAdd(child("later"), 0, () -> {})).isFalse();
        children.endIfEmpty();
    }

    @Test
    void openOnesAreNamed() {
        children.add(child("queue 1"), 1);
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(children::endIfEmpty)
                .withMessage("context 1: cannot be closed, still open: queue 1 (EAGAIN)")
                .matches(failure -> failure.status() == UrmaStatus.EAGAIN);
    }
}
