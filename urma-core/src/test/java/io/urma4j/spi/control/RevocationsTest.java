package io.urma4j.spi.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Revocation;
import io.urma4j.spi.support.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RevocationsTest {
    private static final long DEADLINE = 100;

    private final Timers timers = new Timers();
    private final Revocations<String> revocations = new Revocations<>(grant -> "importer of " + grant);
    private final List<String> log = new ArrayList<>();

    private CompletableFuture<Revocation> revoke(String... grants) {
        return revocations.await(
                List.of(grants),
                timers::at,
                DEADLINE,
                () -> log.add("released"),
                importers -> log.add("late: " + importers));
    }

    @Test
    void withoutGrantsItIsCompleteAtOnce() {
        assertThat(revoke()).isCompletedWithValue(Revocation.COMPLETED);
        assertThat(log).containsExactly("released");
    }

    @Test
    void itIsCompleteWhenTheLastGrantHasEnded() {
        var revocation = revoke("a", "b");

        revocations.ended("b");
        assertThat(revocation).isNotDone();
        revocations.ended("a");

        assertThat(revocation).isCompletedWithValue(Revocation.COMPLETED);
        assertThat(log).containsExactly("released");
        assertThat(timers.size()).isZero();
    }

    @Test
    void theDeadlineNamesThoseThatHaveNotReleased() {
        var revocation = revoke("b", "c", "a");
        revocations.ended("c");

        timers.fire(DEADLINE);

        assertThat(revocation)
                .isCompletedWithValue(
                        new Revocation(Revocation.Status.QUARANTINED, List.of("importer of a", "importer of b")));
        assertThat(log).containsExactly("late: [importer of a, importer of b]");
    }

    @Test
    void anEndAfterTheDeadlineReleasesOnce() {
        var _ = revoke("a");
        timers.fire(DEADLINE);

        revocations.ended("a");
        revocations.ended("a");

        assertThat(log).containsExactly("late: [importer of a]", "released");
    }

    @Test
    void oneEndedGrantCountsForEachRevocation() {
        var first = revoke("a");
        var second = revoke("a", "b");

        revocations.ended("a");

        assertThat(first).isCompletedWithValue(Revocation.COMPLETED);
        assertThat(second).isNotDone();
    }
}
