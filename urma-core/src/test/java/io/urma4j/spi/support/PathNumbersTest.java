package io.urma4j.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.CompletionRecord;
import org.junit.jupiter.api.Test;

class PathNumbersTest {
    private static final int ALL = 0xFFFF;

    private final PathNumbers numbers = new PathNumbers();

    @Test
    void noTwoPathsThatLiveHaveOneNumberInRecords() {
        int old = numbers.take();

        for (int i = 0; i < 3 * ALL; i++) {
            int number = numbers.take();
            assertThat(CompletionRecord.path(CompletionRecord.remote(7, 7, number)))
                    .as("path %d in a record", i)
                    .isEqualTo(number)
                    .isNotZero()
                    .isNotEqualTo(old);
            numbers.give(number);
        }
    }

    @Test
    void aNumberComesAgainAfterAllOthers() {
        int first = numbers.take();
        numbers.give(first);

        for (int i = 1; i < ALL; i++) {
            int number = numbers.take();
            assertThat(number).isNotEqualTo(first);
            numbers.give(number);
        }
        assertThat(numbers.take()).isEqualTo(first);
    }

    @Test
    void whenAllAreTakenItSaysSo() {
        for (int i = 0; i < ALL; i++) {
            numbers.take();
        }

        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(numbers::take)
                .satisfies(refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.ENOMEM));
        numbers.give(7);
        assertThat(numbers.take()).isEqualTo(7);
    }
}
