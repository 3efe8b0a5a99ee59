package io.urma4j.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.urma4j.ContextOptions;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A caller may say "for ever"; providers count in nanoseconds. */
class NanosTest {
    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    @Test
    void foreverIsMoreThanACentury() {
        assertThat(Nanos.bounded(FOREVER)).isGreaterThan(Duration.ofDays(36_525));
        assertThat(Nanos.of(FOREVER)).isEqualTo(Nanos.bounded(FOREVER).toNanos());
        assertThat(Nanos.bounded(Duration.ofSeconds(-5))).isEqualTo(Duration.ofSeconds(-5));
    }

    static Duration[] foreverInEachConfiguration() {
        ContextOptions options =
                ContextOptions.DEFAULT.withCloseTimeout(FOREVER).withImportTimeout(FOREVER);
        return new Duration[] {
            JfsConfig.builder().timeout(FOREVER).build().timeout(),
            JfrConfig.builder().minRnrTimer(FOREVER).build().minRnrTimer(),
            new JfcConfig(8, false, 8, FOREVER).moderationPeriod(),
            options.closeTimeout(),
            options.importTimeout()
        };
    }

    @ParameterizedTest
    @MethodSource("foreverInEachConfiguration")
    void providersCanCountIt(Duration configured) {
        assertThatCode(configured::toNanos).doesNotThrowAnyException();
    }
}
