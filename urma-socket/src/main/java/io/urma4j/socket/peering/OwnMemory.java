package io.urma4j.socket.peering;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.SharedMemory;
import io.urma4j.UrmaContext;
import java.lang.foreign.MemorySegment;

/** Memory of this process, registered as a whole for others. */
record OwnMemory(SharedMemory memory, LocalSegment segment) implements AutoCloseable {
    /** Allocates and registers it, or does neither. */
    static OwnMemory open(UrmaContext context, long lengthBytes, Access access) {
        SharedMemory memory = context.allocate(lengthBytes);
        try {
            return new OwnMemory(memory, context.register(memory, access));
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    MemorySegment bytes() {
        return memory.segment();
    }

    @Override
    public void close() {
        segment.close();
        memory.close();
    }
}
