package io.urma4j.tools.perftest;

import io.urma4j.LocalSegment;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.MemorySegment;

/**
 * The memory of a side's payloads and counters, as {@code --memory} chooses it, and the host's way to its bytes. For one thread;
 * its context and session free it.
 */
sealed interface PayloadMemory {
    /** What operations name; its offsets are those of {@link Layout}. */
    LocalSegment segment();

    /** Fills a range with the bytes that follow from a seed. */
    void fill(long at, long lengthBytes, long seed);

    /** Fills a range with zeroes. */
    void clear(long at, long lengthBytes);

    /** The bytes of a range as they are now; only until the next call. */
    MemorySegment look(long at, long lengthBytes);

    /** The host's own memory. */
    record OnHost(LocalSegment segment) implements PayloadMemory {
        @Override
        public void fill(long at, long lengthBytes, long seed) {
            Pattern.fill(look(at, lengthBytes), seed);
        }

        @Override
        public void clear(long at, long lengthBytes) {
            look(at, lengthBytes).fill((byte) 0);
        }

        @Override
        public MemorySegment look(long at, long lengthBytes) {
            return segment.memory().asSlice(at, lengthBytes);
        }
    }

    /**
     * Memory of a device, which the host reaches by copies.
     *
     * @param staging memory of the host, as long as the longest range
     */
    record OnDevice(LocalSegment segment, DeviceMemory memory, MemorySegment staging) implements PayloadMemory {
        @Override
        public void fill(long at, long lengthBytes, long seed) {
            MemorySegment bytes = staging.asSlice(0, lengthBytes);
            Pattern.fill(bytes, seed);
            memory.copyFrom(at, bytes);
        }

        @Override
        public void clear(long at, long lengthBytes) {
            memory.fill(at, lengthBytes, (byte) 0);
        }

        @Override
        public MemorySegment look(long at, long lengthBytes) {
            MemorySegment bytes = staging.asSlice(0, lengthBytes);
            memory.copyTo(at, bytes);
            return bytes;
        }
    }
}
