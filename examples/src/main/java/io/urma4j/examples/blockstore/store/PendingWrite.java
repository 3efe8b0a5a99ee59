package io.urma4j.examples.blockstore.store;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A write that waits for its force. Its payload must not change before {@link #done} completes. */
final class PendingWrite {
    private final SlotHeader header;
    private final ByteBuffer payload;
    private final CompletableFuture<WriteResult> done = new CompletableFuture<>();

    PendingWrite(SlotHeader header, ByteBuffer payload) {
        this.header = header;
        this.payload = payload;
    }

    SlotHeader header() {
        return header;
    }

    ByteBuffer payload() {
        return payload;
    }

    CompletableFuture<WriteResult> done() {
        return done;
    }

    long block() {
        return header.block();
    }

    long revision() {
        return header.revision();
    }
}
