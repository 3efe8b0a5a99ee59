package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.QueueState;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.SendQueueConfig;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** S10.5: a completion queue that has overflowed just before a queue of it becomes READY. */
class OverflowedQueuesTest {
    private static final int SHALLOW = 2;

    private final Host host = new Host(1, Hosts.MTU_BYTES);
    private final Host.Cq shallow = host.new Cq(SHALLOW);
    private final Host.Cq deep = host.new Cq(16);
    private long now = 1_000_000_000L;

    /** More records than there are places. */
    private Host.Sends overflow() {
        Host.Sends queue = host.new Sends(SendQueueConfig.Kind.RM, shallow, UnaryOperator.identity());
        for (int i = 0; i <= SHALLOW; i++) {
            queue.nop();
        }
        host.card.step(++now);
        assertThat(host.events).contains("CQ " + shallow.handle + " overflowed");
        return queue;
    }

    @Test
    void aSendQueueIsNotReadyAgain() {
        Host.Sends queue = overflow();
        shallow.pollAll();
        queue.flush(++now);
        host.card.modifySendQueue(queue.handle, QueueState.RESET, ++now);
        host.events.clear();

        host.card.modifySendQueue(queue.handle, QueueState.READY, ++now);
        host.card.step(++now);

        assertThat(queue.state()).isEqualTo(QueueState.ERROR);
        assertThat(host.events).containsExactly("send queue 1 failed");
    }

    @Test
    void aReceiveQueueIsNotReadyAgain() {
        Host.Receives receives = host.new Receives(shallow);
        overflow();
        host.card.modifyReceiveQueue(receives.handle, QueueState.RESET);
        host.events.clear();

        host.card.modifyReceiveQueue(receives.handle, QueueState.READY);

        assertThat(host.events).containsExactly("receive queue 100 failed");
    }

    /** It was in RESET at the overflow, and so stayed there. */
    @Test
    void aJettyIsNotReadyWithoutItsReceiveRecords() {
        Host.Receives receives = host.new Receives(deep);
        Host.Sends jetty = host
        .new Sends(SendQueueConfig.Kind.RC, deep, config -> config.receives(receives.handle, shallow.handle, 101));
        overflow();
        assertThat(jetty.state()).isEqualTo(QueueState.RESET);

        host.card.connectRc(
                jetty.handle,
                CardConnectionConfig.builder(host.port(new Host.Address(2, Hosts.MTU_BYTES)), 99)
                        .build(),
                ++now);
        host.card.step(++now);

        assertThat(jetty.state()).isEqualTo(QueueState.ERROR);
    }
}
