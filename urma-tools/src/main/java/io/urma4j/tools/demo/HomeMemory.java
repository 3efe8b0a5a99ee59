package io.urma4j.tools.demo;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.LocalSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.UrmaContext;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.tools.Session;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** A segment of the home, zeroed, and the host's way to its bytes. */
sealed interface HomeMemory {
    /** Allocates and registers the memory that the session was opened for. */
    static HomeMemory open(Session session, long sizeBytes, Access access) {
        UrmaContext context = session.context();
        if (session.memory().isHost()) {
            // reserved, so that a lack of memory fails now
            var memory = context.allocate(sizeBytes, AllocOptions.DEFAULT.withReserve());
            return new OnHost(context.register(memory, access));
        }
        DeviceMemory memory = session.allocateOnDevice(sizeBytes);
        memory.fill(0, sizeBytes, (byte) 0);
        return new OnDevice(context.register(memory, SegmentConfig.of(access)), memory);
    }

    LocalSegment segment();

    /**
     * Copies the bytes from {@code offset} on to all of {@code target}: what initiators have completed.
     *
     * @param target native memory of a shared arena, since a thread of the device may fill it
     */
    void read(long offset, MemorySegment target);

    /** Memory of the host. */
    record OnHost(LocalSegment segment) implements HomeMemory {
        @Override
        public void read(long offset, MemorySegment target) {
            VarHandle.acquireFence(); // behind the request, which came when the initiators were done
            MemorySegment.copy(segment.memory(), offset, target, 0, target.byteSize());
        }
    }

    /** Memory of a device. */
    record OnDevice(LocalSegment segment, DeviceMemory memory) implements HomeMemory {
        @Override
        public void read(long offset, MemorySegment target) {
            memory.copyTo(offset, target);
        }
    }
}
