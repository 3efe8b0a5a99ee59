package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.JettyId;
import io.urma4j.Opcode;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The contents of a completion record, as a value that can be sent between processes.
 *
 * @param receive whether a message arrived; else a work request of the send side ended
 * @param jetty whether the local queue is a Jetty
 * @param lastOfErrorDrain whether the record carries {@code flush_err_done}, or is the marker (S6.6)
 * @param pathNumber of the path that a message came by; 0 on the send side
 */
public record Outcome(
        CompletionStatus status,
        Opcode opcode,
        boolean receive,
        boolean jetty,
        boolean lastOfErrorDrain,
        int localId,
        long userContext,
        long lengthBytes,
        OptionalLong immediate,
        OptionalLong invalidatedTokenId,
        Optional<JettyId> source,
        int pathNumber) {

    static Outcome of(CompletionBatch batch, int index) {
        CompletionStatus status = batch.status(index);
        boolean receive = batch.isReceive(index);
        assertThat(batch.isSuspendDone(index))
                .as("suspend_done of a record with %s (S6.10)", status)
                .isEqualTo(status == CompletionStatus.WR_SUSPEND_DONE);
        return new Outcome(
                status,
                batch.opcode(index),
                receive,
                batch.isJetty(index),
                batch.isFlushErrDone(index) || status == CompletionStatus.WR_FLUSH_ERR_DONE,
                batch.localId(index),
                batch.userContext(index),
                batch.lengthBytes(index),
                batch.hasImmediate(index) ? OptionalLong.of(batch.immediate(index)) : OptionalLong.empty(),
                batch.hasInvalidatedTokenId(index)
                        ? OptionalLong.of(batch.invalidatedTokenId(index))
                        : OptionalLong.empty(),
                receive ? Optional.of(batch.source(index)) : Optional.empty(),
                receive ? batch.pathNumber(index) : 0);
    }

    public boolean isSuccess() {
        return status == CompletionStatus.SUCCESS;
    }
}
