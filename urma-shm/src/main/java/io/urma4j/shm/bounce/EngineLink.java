package io.urma4j.shm.bounce;

import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DmaEngine;
import java.lang.foreign.MemorySegment;

/**
 * A stream of a copy engine for which a bounce buffer is pinned.
 *
 * @param stream moves the bytes
 * @param pinning of the buffer
 */
record EngineLink(CopyStream stream, DmaEngine.Pinning pinning) {
    /** Pins the buffer; a failure leaves nothing pinned. */
    static EngineLink open(DmaEngine engine, MemorySegment buffer) {
        DmaEngine.Pinning pinning = engine.pinHost(buffer);
        try {
            return new EngineLink(engine.openStream(), pinning);
        } catch (RuntimeException | Error e) {
            pinning.close();
            throw e;
        }
    }

    /** Ends the stream, and unpins the buffer. */
    void close() {
        stream.close();
        pinning.close();
    }
}
