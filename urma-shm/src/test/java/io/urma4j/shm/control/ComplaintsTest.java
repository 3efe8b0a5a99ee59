package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ComplaintsTest {
    private static final long SECOND = 1_000_000_000;

    private final Complaints complaints = new Complaints(System.getLogger("test"));
    private final long start = System.nanoTime();

    @Test
    void aFewAreSaidAndTheRestIsCounted() {
        int said = 0;
        for (int i = 0; i < 1_000; i++) {
            said += complaints.allowance(start) >= 0 ? 1 : 0;
        }

        assertThat(said).isBetween(8, 10);
        assertThat(complaints.allowance(start + 3 * SECOND)).isEqualTo(1_000 - said);
        assertThat(complaints.allowance(start + 3 * SECOND)).isZero();
    }
}
