package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;

/** A local range of a work request: a local key, and an offset in its memory. */
final class LocalRange {
    private LocalRange() {}

    /** Copies into the range; false if the memory is closed, or the range is not inside. */
    static boolean store(KeyTable memory, int key, long offset, NativeMemory from, long fromOffset, int lengthBytes) {
        MemorySegment local = memory.local(key);
        return local != null
                && isInside(local, offset, lengthBytes)
                && Dma.write(from, fromOffset, local, offset, lengthBytes);
    }

    /** Copies from the range; false if the memory is closed, or the range is not inside. */
    static boolean load(KeyTable memory, int key, long offset, NativeMemory to, long toOffset, int lengthBytes) {
        MemorySegment local = memory.local(key);
        return local != null
                && isInside(local, offset, lengthBytes)
                && Dma.read(local, offset, to, toOffset, lengthBytes);
    }

    /** The same for all of a packet's payload, which may stay where it is. */
    static boolean load(KeyTable memory, int key, long offset, Packet to, int lengthBytes) {
        MemorySegment local = memory.local(key);
        return local != null
                && isInside(local, offset, lengthBytes)
                && (memory.refer(key, offset, to, lengthBytes)
                        || Dma.read(local, offset, to.bytes(), to.payloadAt(), lengthBytes));
    }

    private static boolean isInside(MemorySegment memory, long offset, int lengthBytes) {
        return offset >= 0 && offset <= memory.byteSize() - lengthBytes;
    }
}
