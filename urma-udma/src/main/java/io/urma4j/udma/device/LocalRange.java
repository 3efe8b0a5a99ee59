package io.urma4j.udma.device;

import java.lang.foreign.MemorySegment;

/** Bytes of this machine's own work requests: a key of its own, and an offset in what that opens. */
final class LocalRange {
    private LocalRange() {}

    /** Copies to there; false when the memory is gone, or the range is not inside. */
    static boolean store(KeyTable memory, int key, long offset, MemorySegment from, long fromOffset, int lengthBytes) {
        MemorySegment local = memory.local(key);
        return local != null
                && isInside(local, offset, lengthBytes)
                && Dma.write(from, fromOffset, local, offset, lengthBytes);
    }

    /** Copies from there; false when the memory is gone, or the range is not inside. */
    static boolean load(KeyTable memory, int key, long offset, MemorySegment to, long toOffset, int lengthBytes) {
        MemorySegment local = memory.local(key);
        return local != null
                && isInside(local, offset, lengthBytes)
                && Dma.read(local, offset, to, toOffset, lengthBytes);
    }

    private static boolean isInside(MemorySegment memory, long offset, int lengthBytes) {
        return offset >= 0 && offset <= memory.byteSize() - lengthBytes;
    }
}
