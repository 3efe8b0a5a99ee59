package io.urma4j.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SharedResultTest {
    private final Timers timers = new Timers();
    private final SharedResult<String> shared = new SharedResult<>();

    private CompletableFuture<String> await(long deadlineNanos) {
        return shared.await(
                timers::at,
                deadlineNanos,
                () -> new UrmaException(UrmaStatus.ETIMEOUT, "caller of " + deadlineNanos, "waits no longer"));
    }

    @Test
    void callerThatHasGivenUpLeavesNothing() {
        var hasty = await(10);
        var patient = await(20);

        timers.fire(10);

        assertThat(hasty.exceptionNow()).hasMessageContaining("caller of 10");
        assertThat(patient).isNotDone();
        assertThat(shared.waiting()).isEqualTo(1);
    }

    @Test
    void eachCallerThatWaitsHasTheResultAndNoTimerStays() {
        var first = await(10);
        var second = await(20);

        shared.complete("there");

        assertThat(first).isCompletedWithValue("there");
        assertThat(second).isCompletedWithValue("there");
        assertThat(shared.waiting()).isZero();
        assertThat(timers.size()).isZero();
        assertThat(shared.value()).isEqualTo("there");
    }

    @Test
    void callerThatComesLaterHasItAtOnce() {
        shared.complete("there");

        assertThat(await(10)).isCompletedWithValue("there");
        assertThat(timers.size()).isZero();
    }

    @Test
    void failureIsThatOfAllCallers() {
        var first = await(10);
        var failure = new UrmaException(UrmaStatus.ENOPERM, "home", "refused");

        shared.fail(failure);

        assertThat(first.exceptionNow()).isSameAs(failure);
        assertThat(await(20)).isCompletedExceptionally();
        assertThat(shared.hasFailed()).isTrue();
        assertThat(shared.value()).isNull();
    }

    @Test
    void resultOfAFutureIsShared() {
        CompletableFuture<String> asked = new CompletableFuture<>();
        SharedResult<String> answer = new SharedResult<>(asked);
        var caller = answer.await(timers::at, 10, () -> new UrmaException(UrmaStatus.ETIMEOUT, "caller", "late"));

        asked.complete("there");

        assertThat(caller).isCompletedWithValue("there");
    }
}
