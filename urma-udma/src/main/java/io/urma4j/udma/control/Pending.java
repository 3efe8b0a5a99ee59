package io.urma4j.udma.control;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A request without an answer. */
record Pending(
        long number,
        String what,
        ByteBuffer body,
        Retransmission retransmission,
        CompletableFuture<PeerMessage> answer) {}
