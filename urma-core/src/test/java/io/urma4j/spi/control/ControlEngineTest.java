package io.urma4j.spi.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.spi.support.GuessLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class ControlEngineTest {
    private final Home home = new Home();
    private final List<Integer> undone = new ArrayList<>();

    @Test
    void aStepFailsWithItsOwnFailure() {
        var cause = new IllegalStateException("broken");

        assertThat(home.ask(() -> CompletableFuture.failedFuture(new CompletionException(cause)))
                        .exceptionNow())
                .isSameAs(cause);
        assertThat(home.ask(() -> {
                            throw cause;
                        })
                        .exceptionNow())
                .isSameAs(cause);
    }

    /** S12.6: a close waits for its step without a timeout. */
    @Test
    void aStepThatEndsInAnErrorHasAResult() {
        var error = new AssertionError("broken");

        assertThat(home.ask(() -> {
                            throw error;
                        })
                        .exceptionNow())
                .isSameAs(error);
    }

    @Test
    void aClosedOrEndedEngineRefusesSteps() {
        home.isClosed = true;
        assertThat(home.ask(CompletableFuture::new).exceptionNow()).hasMessageContaining("is closed");
        home.isClosed = false;
        home.isEnded = true;
        assertThat(home.ask(CompletableFuture::new).exceptionNow()).hasMessageContaining("is closed");
    }

    @Test
    void theResultOfACancelledCallIsUndone() {
        var made = new CompletableFuture<Integer>();
        var result = home.ask(() -> made, undone::add);

        result.cancel(false);
        made.complete(7);

        assertThat(undone).containsExactly(7);
    }

    @Test
    void theLongestTimeoutIsInTheFuture() {
        home.pass(Long.MAX_VALUE / 4);

        assertThat(home.deadline(Duration.ofSeconds(Long.MAX_VALUE)) - home.nanos())
                .isPositive();
        assertThat(home.deadline(Duration.ofNanos(5)) - home.nanos()).isEqualTo(5);
    }

    @Test
    void guessesOfACallerThatFailsAreDelayedUpToALimit() {
        GuessLimiter<Integer> limiter = new GuessLimiter<>();
        List<String> log = new ArrayList<>();
        Runnable guess = () -> limiter.check(
                home,
                1,
                () -> false,
                () -> {
                    log.add("checked");
                    return false;
                },
                () -> true,
                () -> log.add("full"));
        int atOnce = 0;
        while (log.size() == atOnce) {
            atOnce++;
            guess.run();
        }

        for (int i = 1; i < GuessLimiter.MAX_DELAYED; i++) {
            guess.run();
        }
        assertThat(log).doesNotContain("full");
        guess.run();
        assertThat(log).endsWith("full").containsOnlyOnce("full");
        int before = log.size();
        home.pass(Duration.ofHours(1).toNanos());
        assertThat(log.size()).isGreaterThan(before);
    }
}
