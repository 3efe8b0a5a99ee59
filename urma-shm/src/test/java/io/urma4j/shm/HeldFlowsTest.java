package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.shm.ring.RingLayout;
import org.junit.jupiter.api.Test;

class HeldFlowsTest {
    private final HeldFlows held = new HeldFlows();

    @Test
    void aFlowIsHeldUntilItStartsAnew() {
        held.hold(7, 100);

        assertThat(held.holds(7, 101)).isTrue();
        assertThat(held.holds(8, 102)).isFalse();

        held.release(7);
        assertThat(held.holds(7, 103)).isFalse();
        assertThat(held.isEmpty()).isTrue();
    }

    @Test
    void aPeerThatInventsFlowsFillsNoMemory() {
        for (int position = 0; position < 1_000_000; position++) {
            held.hold(position, position);
        }

        assertThat(held.size()).isLessThanOrEqualTo(2 * RingLayout.SLOTS);
        assertThat(held.holds(999_999, 1_000_000)).isTrue();
    }

    /** The chunks of a long message are refused one after the other, for more than one lap of the ring. */
    @Test
    void aFlowThatGoesOnBeingTurnedAwayStaysHeld() {
        held.hold(-1, 0);
        for (int position = 1; position < 10 * RingLayout.SLOTS; position++) {
            if (position % 100 == 0) {
                assertThat(held.holds(-1, position)).isTrue();
            } else {
                held.hold(position, position);
            }
        }
    }
}
