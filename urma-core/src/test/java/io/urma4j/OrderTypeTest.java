package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** S5.2: which order types exist in which mode. */
class OrderTypeTest {
    private static final Map<TransportMode, Set<OrderType>> LEGAL = Map.of(
            TransportMode.RM, Set.of(OrderType.DEF, OrderType.OI),
            TransportMode.RC, Set.of(OrderType.DEF, OrderType.OT, OrderType.OL, OrderType.NO),
            TransportMode.UM, Set.of(OrderType.DEF, OrderType.NO));

    @Test
    void theTableHolds() {
        for (TransportMode mode : TransportMode.values()) {
            assertThat(OrderType.values())
                    .filteredOn(type -> type.isLegalFor(mode))
                    .as("legal in mode %s", mode)
                    .containsExactlyInAnyOrderElementsOf(LEGAL.get(mode));
        }
    }

    @Test
    void defaultsBecomeTheModesOwn() {
        assertThat(OrderType.DEF.effective(TransportMode.RM)).isEqualTo(OrderType.OI);
        assertThat(OrderType.DEF.effective(TransportMode.RC)).isEqualTo(OrderType.OL);
        assertThat(OrderType.DEF.effective(TransportMode.UM)).isEqualTo(OrderType.NO);
        assertThat(OrderType.OT.effective(TransportMode.RC)).isEqualTo(OrderType.OT);
    }

    @Test
    void othersAreRefusedWhenAQueueIsMade() {
        try (FakeHome home = new FakeHome()) {
            Jfc jfc = home.jfc();
            JfsConfig config = JfsConfig.builder().orderType(OrderType.OL).build();
            FakeHome.assertInvalid(() -> home.context.createJfs(jfc, config))
                    .withMessageContaining("order type OL does not exist in mode RM");
            assertThat(home.context.createJfs(jfc, JfsConfig.DEFAULT).orderType())
                    .isEqualTo(OrderType.OI);
        }
    }
}
