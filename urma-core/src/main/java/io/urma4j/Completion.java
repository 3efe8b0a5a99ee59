package io.urma4j;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A completion record as a value: for {@code flush}, tests and messages. The hot path reads a {@link CompletionBatch}
 * instead.
 *
 * @param opcode what the work request, or on the receive side the message, asked for
 * @param localId the local queue
 * @param userContext as given at post; 0 for markers
 * @param immediate present when the message carried one
 * @param source who sent the message; receive side only
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
