package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** What hangs fails in time, and what comes behind it runs. */
@Timeout(60)
class EndsWithinTest {
    @EndsWithin(seconds = 1)
    static class Hanging {
        @Test
        void waitsForEver() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1})
        void waitsOnceForEver(int count) throws InterruptedException {
            new CountDownLatch(count).await();
        }

        @Test
        void ends() {}
    }

    /** As the contracts of a provider do. */
    static class Inheriting extends Hanging {}

    @Test
    void testsThatHangFailAlone() {
        var summary = new SummaryGeneratingListener();

        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(Inheriting.class))
                                .build(),
                        summary);

        assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(2);
        assertThat(summary.getSummary().getFailures())
                .hasSize(2)
                .allSatisfy(
                        failure -> assertThat(failure.getException()).hasMessageContaining("timed out after 1000 ms"));
    }
}
