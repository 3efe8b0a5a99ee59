package io.urma4j.buffer;

import io.urma4j.CompletionStatus;
import io.urma4j.OperationFailedException;
import io.urma4j.UrmaException;
import java.util.Optional;

/**
 * The result of a transfer.
 *
 * @param bytes of all its local ranges if it succeeded, else 0: any part may have been moved
 * @param failure the first one; empty if it succeeded
 */
public record TransferResult(TransferStatus status, long bytes, Optional<UrmaException> failure) {
    static TransferResult success(long bytes) {
        return new TransferResult(TransferStatus.SUCCESS, bytes, Optional.empty());
    }

    static TransferResult failed(TransferStatus status, UrmaException failure) {
        return new TransferResult(status, 0, Optional.of(failure));
    }

    public boolean isSuccess() {
        return status == TransferStatus.SUCCESS;
    }

    /** How the first request that failed has ended; empty if none did. */
    public Optional<CompletionStatus> completionStatus() {
        return failure.filter(OperationFailedException.class::isInstance)
                .map(cause -> ((OperationFailedException) cause).completionStatus());
    }

    /**
     * This result, if it is a success.
     *
     * @throws UrmaException the failure; ETIMEOUT if the timeout expired
     */
    public TransferResult orThrow() {
        failure.ifPresent(cause -> {
            throw cause;
        });
        return this;
    }
}
