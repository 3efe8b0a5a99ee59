package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** No contract is left out of the suite. */
class ConformanceTest {
    @Test
    void everyContractRunsOnce() {
        assertThat(Arrays.stream(Conformance.class.getDeclaredClasses())
                        .filter(type -> type.isAnnotationPresent(Nested.class))
                        .<Class<?>>map(Class::getSuperclass))
                .containsExactlyInAnyOrderElementsOf(RuleIndex.CONTRACTS);
    }
}
