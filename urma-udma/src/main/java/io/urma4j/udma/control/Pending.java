package io.urma4j.udma.control;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A request without an answer.
 *
 * @param givesBack whether it is sent also for a caller that waits no more
 */
record Pending(
        long number,
        String what,
        boolean givesBack,
        ByteBuffer body,
        Retransmission retransmission,
        CompletableFuture<PeerMessage> answer) {}
