package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.spi.support.QueueFailure;

/**
 * What a send queue reports to its context.
 *
 * @param queue the provider's object, which events name
 * @param isJetty whether it is the send half of a Jetty
 * @param onError called when it has gone to ERROR
 */
record SendEvents(LocalContext context, Object queue, boolean isJetty, Runnable onError) {
    private static final int SUCCESS = CompletionStatus.SUCCESS.value();

    /** The queue is in ERROR; {@code cause} is the status of the failed work request, or SUCCESS if none failed. */
    void failed(int cause) {
        CompletionStatus status = cause == SUCCESS ? null : CompletionStatus.of(cause);
        context.raise(QueueFailure.event(isJetty, queue, status));
        onError.run();
    }

    void receiverNotReady(Object target) {
        context.receiverNotReady(queue, target);
    }
}
