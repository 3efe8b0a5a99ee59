package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** S8.9: a queue of a peer is one target to a send queue, however often it was imported. */
class FlowsTest {
    private static final long SECOND = 1_000_000_000L;

    private final Hosts hosts = new Hosts();
    private final Host here = hosts.here;
    private final Host.Cq cq = here.new Cq(64);
    private final Host.Cq cqThere = hosts.there.new Cq(64);
    private final Host.Receives receives = hosts.there.new Receives(cqThere);
    private final int target = here.card.createTarget(hosts.toThere, receives.number());
    private final int again = here.card.createTarget(hosts.toThere, receives.number());

    private Host.Sends queue(UnaryOperator<SendQueueConfig.Builder> with) {
        return here.new Sends(SendQueueConfig.Kind.RM, cq, with);
    }

    private List<Long> arrived() {
        return cqThere.pollAll().stream().map(Host.CqRecord::immediate).toList();
    }

    private List<Integer> statuses() {
        return cq.pollAll().stream().map(Host.CqRecord::status).toList();
    }

    @Test
    void aMessageByAnotherImportDoesNotPassOneThatFoundNoReceive() {
        Host.Sends queue = queue(builder -> builder);
        queue.message(WorkOpcode.SEND_IMM, target, 8, 1);
        hosts.run();
        assertThat(here.events).containsExactly("not ready for send queue 1");
        receives.post(2, 64);

        queue.message(WorkOpcode.SEND_IMM, again, 8, 2);
        hosts.run(SECOND / 100);

        assertThat(arrived()).containsExactly(1L, 2L);
        assertThat(statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.SUCCESS);
    }

    /** S6.12: each import is a target of its own. */
    @Test
    void aFailureOfOneImportLeavesTheOther() {
        Host.Sends queue = queue(builder -> builder.errorByTarget(true).rnrRetry(0));
        queue.message(WorkOpcode.SEND_IMM, target, 8, 1);
        hosts.run(SECOND / 100);
        assertThat(statuses()).containsExactly(WorkStatus.RNR_RETRY_CNT_EXC_ERR);
        receives.post(2, 64);

        queue.message(WorkOpcode.SEND_IMM, target, 8, 2);
        queue.message(WorkOpcode.SEND_IMM, again, 8, 3);
        hosts.run(SECOND / 100);

        assertThat(arrived()).containsExactly(3L);
        assertThat(statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR, WorkStatus.SUCCESS);
    }

    /** Its handle is that of the next import. */
    @Test
    void anImportThatIsClosedTakesItsFailureAlong() {
        Host.Sends queue = queue(builder -> builder.errorByTarget(true).rnrRetry(0));
        queue.message(WorkOpcode.SEND_IMM, target, 8, 1);
        queue.message(WorkOpcode.SEND_IMM, again, 8, 2);
        hosts.run(SECOND / 100);
        assertThat(statuses()).hasSize(2).doesNotContain(WorkStatus.SUCCESS);
        here.card.destroyTarget(target);
        int anew = here.card.createTarget(hosts.toThere, receives.number());
        assertThat(anew).isEqualTo(target);
        receives.post(2, 64);

        queue.message(WorkOpcode.SEND_IMM, anew, 8, 3);
        hosts.run(SECOND / 100);

        assertThat(arrived()).containsExactly(3L);
        assertThat(statuses()).containsExactly(WorkStatus.SUCCESS);
    }

    @Test
    void whatIsLeftOfAFlowServesTheOtherImport() {
        Host.Sends queue = queue(builder -> builder);
        receives.post(4, 64);
        queue.message(WorkOpcode.SEND_IMM, target, 8, 1);
        queue.message(WorkOpcode.SEND_IMM, again, 8, 2);
        hosts.run();
        here.card.destroyTarget(target);
        queue.message(WorkOpcode.SEND_IMM, again, 8, 3);
        hosts.run();
        here.card.destroyTarget(again);
        int other = here.card.createTarget(hosts.toThere, receives.number());

        queue.message(WorkOpcode.SEND_IMM, other, 8, 4);
        hosts.run();

        assertThat(arrived()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(statuses()).hasSize(4).containsOnly(WorkStatus.SUCCESS);
    }
}
