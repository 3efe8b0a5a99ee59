package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.transport.CopyState;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of device memory that a connection is sending: some chunks, each in a fragment, fetched ahead of the packets that carry
 * them. A packet that is retransmitted after its chunk was given up has it fetched once more. A connection holds a few fragments,
 * whatever its peer does, so that others find some. For each packet: {@link #beginPacket}, {@link #fetch} for its parts, {@link
 * #awaits}, and {@link #load} for its parts once it awaits nothing.
 */
final class SourceWindow {
    /** Chunks of one connection: those of a packet with the most local ranges, and some ahead. */
    static final int CHUNKS = 20;

    private static final int CHUNK_BYTES = CopyPort.MAX_BYTES;

    /** Chunks that are asked for at once: while one is sent, the copy engine fills others. */
    private static final int AHEAD = 3;

    private final CopyPort copies;
    private final Chunk[] chunks = new Chunk[CHUNKS];
    private @Nullable CopyWaiter awaiting; // whose bytes are not here yet
    private long uses;

    private boolean isReady = true; // the packet that was begun
    private boolean isStarved; // until there are fragments for a whole packet

    /** A part of a local range. */
    private static final class Chunk {
        @Nullable
        CopyWaiter owner; // null: free

        long position;
        int range;
        long number; // counted from the start of the range
        long copy; // or Memory.REFUSED
        long usedAt;

        @SuppressWarnings("ReferenceEquality") // an owner is itself
        boolean isOf(CopyWaiter some, long at) {
            return owner == some && position == at;
        }
    }

    SourceWindow(CopyPort copies) {
        this.copies = copies;
        for (int i = 0; i < CHUNKS; i++) {
            chunks[i] = new Chunk();
        }
    }

    /** A packet is about to be sent that begins with this part: what lies before it in its message is not needed any more. */
    void beginPacket(CopyWaiter of, long position, RangeParts part) {
        uses++;
        isReady = true;
        long first = part.within / CHUNK_BYTES;
        for (Chunk chunk : chunks) {
            boolean isBefore = chunk.range < part.index || chunk.range == part.index && chunk.number < first;
            if (chunk.isOf(of, position) && isBefore) {
                release(chunk);
            }
        }
    }

    /**
     * Fetches a part of the packet that was begun, and some bytes behind it, as far as they are not here.
     *
     * @param part within a range of the region
     * @param offset of the range in its registration
     */
    void fetch(CopyWaiter of, long position, RangeParts part, int region, long offset) {
        int chunkBytes = (int) Math.min(CHUNK_BYTES, part.rangeBytes());
        isStarved = isStarved && !copies.mayBegin(region, chunkBytes, of);
        if (isStarved) {
            isReady = false;
            return;
        }
        long first = part.within / CHUNK_BYTES;
        long last = (part.within + part.lengthBytes - 1) / CHUNK_BYTES;
        for (long number = first; number < last + AHEAD && number * CHUNK_BYTES < part.rangeBytes(); number++) {
            Chunk chunk = find(of, position, part.index, number);
            if (chunk == null) {
                chunk = begin(of, position, part, number, region, offset, number <= last);
            }
            if (number <= last) {
                isReady &= chunk != null && hasEnded(chunk);
            } else if (chunk == null) {
                break;
            }
            touch(chunk, number <= last);
        }
    }

    /**
     * Whether the packet waits for its bytes. They are not waited for if they never come. A packet that found too few fragments holds
     * none meanwhile, so that two connections never wait for each other.
     */
    boolean awaits(CopyWaiter of) {
        if (isStarved) {
            for (Chunk chunk : chunks) {
                release(chunk);
            }
        }
        awaiting = isReady ? null : of;
        return !isReady;
    }

    /** Whether a packet waits for its bytes. */
    boolean isAwaited() {
        return awaiting != null;
    }

    /** What a packet needs stays until the next one; what was fetched ahead may give its place to that. */
    private void touch(@Nullable Chunk chunk, boolean isNeeded) {
        if (chunk != null) {
            chunk.usedAt = isNeeded ? uses : uses - 1;
        }
    }

    private boolean hasEnded(Chunk chunk) {
        return chunk.copy < 0 || copies.state(chunk.copy) != CopyState.RUNNING;
    }

    private @Nullable Chunk find(CopyWaiter of, long position, int range, long number) {
        for (Chunk chunk : chunks) {
            if (chunk.isOf(of, position) && chunk.range == range && chunk.number == number) {
                return chunk;
            }
        }
        return null;
    }

    /** Begins to fetch a chunk; null if it must wait. What is fetched ahead takes no other's place. */
    private @Nullable Chunk begin(
            CopyWaiter of, long position, RangeParts part, long number, int region, long offset, boolean isNeeded) {
        Chunk chunk = oldest();
        if (chunk.owner != null && (!isNeeded || chunk.usedAt == uses)) {
            return null;
        }
        release(chunk);
        long start = number * CHUNK_BYTES;
        int length = (int) Math.min(CHUNK_BYTES, part.rangeBytes() - start);
        long copy = copies.copyOut(region, offset + start, length, of);
        if (copy == Memory.BUSY) {
            isStarved |= isNeeded;
            return null;
        }
        chunk.owner = of;
        chunk.position = position;
        chunk.range = part.index;
        chunk.number = number;
        chunk.copy = copy;
        return chunk;
    }

    /** A free chunk, else the one that was used least recently. */
    private Chunk oldest() {
        Chunk oldest = chunks[0];
        for (Chunk chunk : chunks) {
            if (chunk.owner == null) {
                return chunk;
            }
            if (chunk.usedAt < oldest.usedAt) {
                oldest = chunk;
            }
        }
        return oldest;
    }

    private void release(Chunk chunk) {
        if (chunk.owner != null && chunk.copy > 0) {
            copies.release(chunk.copy);
        }
        chunk.owner = null;
    }

    /** Copies a part that is not awaited; false if the device failed, or the memory is gone. */
    boolean load(CopyWaiter of, long position, RangeParts part, NativeMemory to, long toOffset) {
        int done = 0;
        while (done < part.lengthBytes) {
            long at = part.within + done;
            Chunk chunk = find(of, position, part.index, at / CHUNK_BYTES);
            if (chunk == null || chunk.copy < 0 || copies.state(chunk.copy) != CopyState.DONE) {
                return false;
            }
            int inChunk = (int) (at % CHUNK_BYTES);
            int step = Math.min(part.lengthBytes - done, CHUNK_BYTES - inChunk);
            MemorySegment.copy(copies.bytes(chunk.copy), inChunk, to.segment(), toOffset + done, step);
            done += step;
        }
        return true;
    }

    /** What the peer has whole is not retransmitted: its fragments are for others. */
    void forget(CopyWaiter of, long position) {
        for (Chunk chunk : chunks) {
            if (chunk.isOf(of, position)) {
                release(chunk);
            }
        }
    }

    /** The work request has ended. */
    @SuppressWarnings("ReferenceEquality") // an owner is itself
    void forget(CopyWaiter of) {
        awaiting = awaiting == of ? null : awaiting;
        for (Chunk chunk : chunks) {
            if (chunk.owner == of) {
                release(chunk);
            }
        }
    }
}
