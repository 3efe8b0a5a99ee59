package io.urma4j.udma.control;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request without an answer.
 *
 * @param givesBack whether it is sent also for a caller that waits no more
 * @param unclaimed takes an answer that gives something to a caller that waits no more; null if no answer gives anything
 */
record Pending(
        long number,
        String what,
        boolean givesBack,
        ByteBuffer body,
        Retransmission retransmission,
        CompletableFuture<PeerMessage> answer,
        @Nullable Consumer<PeerMessage> unclaimed) {}
