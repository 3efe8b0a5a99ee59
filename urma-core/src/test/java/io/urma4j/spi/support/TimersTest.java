package io.urma4j.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimersTest {
    private final Timers timers = new Timers();
    private final List<String> happened = new ArrayList<>();

    @Test
    void happensInTheOrderOfTheTimesAndNotBefore() {
        timers.at(30, () -> happened.add("c"));
        timers.at(10, () -> happened.add("a"));
        timers.at(10, () -> happened.add("b"));

        timers.fire(9);
        assertThat(happened).isEmpty();
        assertThat(timers.delayNanos(9)).isEqualTo(1);
        timers.fire(10);
        assertThat(happened).containsExactly("a", "b");
        timers.fire(1000);
        assertThat(happened).containsExactly("a", "b", "c");
        assertThat(timers.delayNanos(1000)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatIsCancelledDoesNotHappen() {
        Timers.Timer timer = timers.at(10, () -> happened.add("a"));
        timer.cancel();
        timer.cancel();

        timers.fire(10);
        assertThat(happened).isEmpty();
    }

    @Test
    void whatIsAddedMeanwhileWaitsForTheNextRound() {
        timers.at(10, () -> timers.at(10, () -> happened.add("again")));

        timers.fire(10);
        assertThat(happened).isEmpty();
        assertThat(timers.delayNanos(10)).isZero();
        timers.fire(10);
        assertThat(happened).containsExactly("again");
    }

    @Test
    void theClockMayWrap() {
        timers.at(Long.MIN_VALUE + 5, () -> happened.add("later"));
        timers.at(Long.MAX_VALUE - 5, () -> happened.add("sooner"));

        timers.fire(Long.MAX_VALUE);
        assertThat(happened).containsExactly("sooner");
        timers.fire(Long.MIN_VALUE + 5);
        assertThat(happened).containsExactly("sooner", "later");
    }
}
