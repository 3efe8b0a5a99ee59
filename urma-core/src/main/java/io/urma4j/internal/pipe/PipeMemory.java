package io.urma4j.internal.pipe;

import io.urma4j.PipeWriter;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** How a {@link PipeWriter} reaches the bytes of its pipe, of which {@link PipeLayout} tells. For one thread. */
public sealed interface PipeMemory permits MappedPipe, QueuedPipe {
    /**
     * Puts a frame there, and the 0 behind it; a reader that sees its word sees all of it.
     *
     * @param at where its word is, counted from the first frame
     * @return false when there is no room for now, and nothing was put
     */
    boolean put(long at, MemorySegment source, long sourceOffset, int lengthBytes);

    /** Says that the next frame is the first one, where a word is 0 now; as {@link #put}. */
    boolean turn(long at);

    /** Says that there is no next frame; ends with ETIMEOUT if what is in flight has not arrived within that time. */
    void end(long at, Duration timeout);

    /** How many bytes of frames the reader is done with; as it said last if it does not answer within that time. */
    long taken(long timeoutNanos);

    /** By the writer, after its end. */
    void close();
}
