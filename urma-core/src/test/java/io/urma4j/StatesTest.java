package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** S6.1, S6.2: the moves that {@code modify} may make. */
class StatesTest {
    private static final Set<String> QUEUE_MOVES = Set.of(
            "RESET→READY", "READY→SUSPENDED", "READY→ERROR", "SUSPENDED→READY", "SUSPENDED→ERROR", "ERROR→RESET");
    private static final Set<String> RECEIVE_MOVES = Set.of("RESET→READY", "READY→RESET", "READY→ERROR", "ERROR→RESET");

    @Test
    void aQueueMovesAsTheTableSays() {
        for (QueueState from : QueueState.values()) {
            for (QueueState to : QueueState.values()) {
                assertThat(from.mayBecome(to)).as(from + "→" + to).isEqualTo(QUEUE_MOVES.contains(from + "→" + to));
            }
        }
    }

    @Test
    void aReceiveQueueMovesAsTheTableSays() {
        for (ReceiveState from : ReceiveState.values()) {
            for (ReceiveState to : ReceiveState.values()) {
                assertThat(from.mayBecome(to)).as(from + "→" + to).isEqualTo(RECEIVE_MOVES.contains(from + "→" + to));
            }
        }
    }

    @Test
    void modifyRefusesOtherMovesNamingBothStates() {
        try (FakeHome home = new FakeHome()) {
            Jfs jfs = home.jfs();
            jfs.modify(QueueState.READY); // where it is already
            assertInvalid(() -> jfs.modify(QueueState.RESET)).withMessageContaining("from READY to RESET");
            jfs.modify(QueueState.ERROR);
            assertInvalid(() -> jfs.modify(QueueState.SUSPENDED)).withMessageContaining("from ERROR to SUSPENDED");
            assertThat(jfs.state()).isEqualTo(QueueState.ERROR);
            Jfr jfr = home.context.createJfr(home.jfc(), JfrConfig.builder().build());
            jfr.modify(ReceiveState.ERROR);
            assertInvalid(() -> jfr.modify(ReceiveState.READY)).withMessageContaining("from ERROR to READY");
        }
    }

    @Test
    void onlyBindMakesAnRcJettyReady() {
        try (FakeHome home = new FakeHome()) {
            Jetty jetty = home.jetty(TransportMode.RC);
            assertThat(jetty.state()).isEqualTo(QueueState.RESET);
            assertInvalid(() -> jetty.modify(QueueState.READY)).withMessageContaining("use bind");
            assertInvalid(() -> jetty.modify(QueueState.SUSPENDED)).withMessageNotContaining("bind");
        }
    }
}
