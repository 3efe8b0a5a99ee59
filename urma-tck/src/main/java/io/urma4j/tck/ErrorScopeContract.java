package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.ErrorScope;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import org.junit.jupiter.api.Test;

/** SEMANTICS §6, S6.12: failures that end less than the queue. */
public abstract class ErrorScopeContract extends Contract {
    private static final JfsConfig PER_TARGET =
            JfsConfig.builder().errorScope(ErrorScope.TARGET).rnrRetry(1).build();

    protected ErrorScopeContract(String device) {
        super(device);
    }

    /** S6.12: a failure towards one target flushes the requests to that target, and no others. */
    @Rule({"S6.12", "S6.8"})
    @Test
    void failureTowardsOneTargetLeavesTheOthers() {
        var slow = pair.receiver(4096);
        var ready = pair.receiver(4096);
        ready.receive(8, 64, 0);
        var queue = pair.initiator().queue(PER_TARGET);
        queue.jfs().send(slow.target(), queue.scratch(), 0, 8, 1);
        queue.jfs().send(slow.target(), queue.scratch(), 0, 8, 2);
        queue.jfs().send(ready.target(), queue.scratch(), 0, 8, 3);

        assertThat(queue.awaitCompletions(3))
                .extracting(Outcome::userContext, Outcome::status)
                .containsExactly(
                        tuple(1L, CompletionStatus.RNR_RETRY_CNT_EXC_ERR),
                        tuple(2L, CompletionStatus.WR_FLUSH_ERR),
                        tuple(3L, CompletionStatus.SUCCESS));
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
        assertThat(queue.send(ready.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();
        assertThat(queue.within(Patience.WATCH)).as("no marker").isEmpty();
    }

    /** S6.12: later posts to that target flush at once, until it is imported again. */
    @Rule("S6.12")
    @Test
    void targetThatFailedIsServedAgainWhenItIsImportedAnew() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(PER_TARGET);
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).status())
                .isEqualTo(CompletionStatus.RNR_RETRY_CNT_EXC_ERR);
        receiver.receive(8, 64, 0);

        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).status())
                .isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();

        var anew = pair.initiator().context().importJetty(receiver.queue().shared());
        assertThat(queue.send(anew, queue.scratch(), 0, 16).isSuccess()).isTrue();
        assertThat(receiver.queue().next()).returns(16L, Outcome::lengthBytes);
    }

    /** S6.12: a revoked segment is a target, too. */
    @Rule("S6.12")
    @Test
    void revokedSegmentFailsAlone() {
        var revoked = pair.importedAndRevoked(4096);
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(PER_TARGET);
        new Payload(5).fill(queue.scratch().memory(), 0, 0, 64);

        assertThat(queue.write(revoked, 0, queue.scratch(), 0, 8).status())
                .isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(queue.write(revoked, 0, queue.scratch(), 0, 8).status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        assertThat(queue.read(revoked, 0, queue.scratch(), 128, 8).status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);

        assertThat(queue.write(imported.remote(), 0, queue.scratch(), 0, 64).isSuccess())
                .isTrue();
        assertThat(imported.home().firstDifference(new Payload(5), 0, 0, 64)).isEqualTo(-1);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
    }

    /** S6.12, S12.4: the death of one peer does not affect requests to another. */
    @Rule({"S6.12", "S12.4"})
    @Test
    void deathOfOnePeerIsNoneOfAnothers() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var receiver = pair.receiver(4096);
        var here = pair.initiator().asHome().receiver();
        var buffer = pair.initiator().asHome().segment(4096, Access.READ_WRITE);
        var target = pair.initiator().context().importJetty(here.shared());
        var queue = pair.initiator().queue(PER_TARGET.toBuilder().rnrRetry(7).build());
        for (int i = 0; i < 4; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }
        queue.jfs().send(target, queue.scratch(), 0, 8, 4);

        processOfHome().kill();

        var outcomes = queue.awaitCompletions(4);
        assertThat(outcomes).extracting(Outcome::userContext).containsExactly(0L, 1L, 2L, 3L);
        assertThat(outcomes)
                .extracting(Outcome::status)
                .containsExactly(
                        CompletionStatus.ACK_TIMEOUT_ERR,
                        CompletionStatus.WR_FLUSH_ERR,
                        CompletionStatus.WR_FLUSH_ERR,
                        CompletionStatus.WR_FLUSH_ERR);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
        here.receive(buffer, 0, 64, 8);
        assertThat(queue.awaitCompletion()).returns(4L, Outcome::userContext).matches(Outcome::isSuccess);
    }

    /** S6.12: only RM may choose, and not together with errorSuspend. */
    @Rule({"S6.12", "S2.1", "S2.2"})
    @Test
    void scopeOfOneTargetIsRefusedWhereItMeansNothing() {
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        var jfr = context.createJfr(
                jfc, JfrConfig.builder().mode(TransportMode.RC).build());

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> context.createJetty(
                                jfc,
                                jfr,
                                Pair.RC_SEND.toBuilder()
                                        .errorScope(ErrorScope.TARGET)
                                        .build()))
                .hasMessageContaining("TARGET")
                .hasMessageContaining("RC");
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> context.createJfs(
                                jfc, PER_TARGET.toBuilder().errorSuspend(true).build()))
                .hasMessageContaining("errorSuspend");
        jfr.close();
        jfc.close(); // no queue uses it
    }
}
