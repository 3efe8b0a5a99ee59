package io.urma4j;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A completion record as a value: for {@code flush}, tests and messages. The hot path reads a {@link CompletionBatch}
 * instead.
 *
 * @param opcode the opcode of the work request, or of the received message
 * @param localId the local queue
 * @param userContext the value given at post; 0 for markers
 * @param immediate present if the message carried one
 * @param source the sender of the message; receive side only
 */
public record Completion(
        CompletionStatus status,
        Opcode opcode,
        int localId,
        long userContext,
        long lengthBytes,
        OptionalLong immediate,
        Optional<JettyId> source) {

    public boolean isSuccess() {
        return status == CompletionStatus.SUCCESS;
    }
}
