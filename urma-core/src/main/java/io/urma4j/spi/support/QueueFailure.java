package io.urma4j.spi.support;

import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The event of a send queue that went to ERROR (S6.6). */
public final class QueueFailure {
    private QueueFailure() {}

    /**
     * Creates the event.
     *
     * @param isJetty whether the queue is the send half of a Jetty
     * @param queue the provider's object
     * @param cause status of the failed work request; null if ERROR was requested, or the completion queue overflowed
     */
    public static AsyncEvent event(boolean isJetty, Object queue, @Nullable CompletionStatus cause) {
        AsyncEvent.Type type = isJetty ? AsyncEvent.Type.JETTY_ERR : AsyncEvent.Type.JFS_ERR;
        String detail = cause == null
                ? "ERROR was requested, or its JFC has overflowed"
                : "a work request failed with " + cause;
        return new AsyncEvent(type, queue, detail, Optional.ofNullable(cause));
    }
}
