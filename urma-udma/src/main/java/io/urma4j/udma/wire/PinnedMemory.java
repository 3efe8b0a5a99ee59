package io.urma4j.udma.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory that stays mapped as long as a key opens it, so that a packet may refer to its payload there ({@link
 * Packet#refer}). Memory of a user's own arena is none: the user may close the arena at any time.
 *
 * <p>For one thread at a time.
 */
public final class PinnedMemory {
    /** A buffer has no more; in whole pages. */
    private static final long MAX_BYTES = Integer.MAX_VALUE - 4095;

    private final MemorySegment bytes;
    private final ByteBuffer view; // of the same bytes: the CRC takes no segment

    /** All of it, or the first 2 GiB less a page: a payload behind them is copied. */
    public PinnedMemory(MemorySegment memory) {
        this.bytes = memory.asSlice(0, Math.min(memory.byteSize(), MAX_BYTES));
        this.view = bytes.asByteBuffer();
    }

    /** The offset of a range of this memory, or of a slice of it; -1 for one that lies behind. */
    public long offset(MemorySegment slice, long offset, int lengthBytes) {
        long from = slice.address() + offset - bytes.address();
        return from <= bytes.byteSize() - lengthBytes ? from : -1;
    }

    MemorySegment bytes() {
        return bytes;
    }

    /** Those bytes, for the CRC. */
    ByteBuffer view(long offset, int lengthBytes) {
        return view.limit((int) offset + lengthBytes).position((int) offset);
    }

    @Override
    public String toString() {
        return bytes.byteSize() + " pinned bytes";
    }
}
