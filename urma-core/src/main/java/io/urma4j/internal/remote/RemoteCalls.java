package io.urma4j.internal.remote;

import io.urma4j.Opcode;
import io.urma4j.UrmaException;
import java.lang.foreign.MemorySegment;

/**
 * How the simple calls on a segment are made. Their ranges have been checked; access, alignment, and whether this thread may
 * use the caller's memory, have not. Each returns when its bytes are where they belong, or throws {@link UrmaException}.
 * Safe for any thread.
 */
public sealed interface RemoteCalls permits MappedCalls, QueuedCalls {
    /** What messages call the memory of a caller that writes. */
    String SOURCE = "source";

    /** The name in messages of the memory of a reading caller. */
    String DESTINATION = "destination";

    /** The reason if the memory of a caller was closed during the call. */
    String CLOSED_MEANWHILE = "the arena of the caller's memory was closed during the call";

    /** Writes all of {@code source}. */
    void write(long offset, MemorySegment source);

    /** Fills {@code destination}. */
    void read(long offset, MemorySegment destination);

    /** Writes 8 bytes in native order; in one piece when {@code offset} is a multiple of 8. */
    void writeLong(long offset, long value);

    /** Reads 8 bytes in native order; in one piece when {@code offset} is a multiple of 8. */
    long readLong(long offset);

    /** The same, ends with ETIMEOUT when it would take longer. It makes no object, so that pipes make none. */
    long readLong(long offset, long limitNanos);

    /** One of the seven atomics on 8 bytes; gives the value before. */
    long atomic(Opcode opcode, long offset, long operand, long expected);

    /** Writes 4 bytes in native order; in one piece when {@code offset} is a multiple of 4. */
    void writeInt(long offset, int value);

    /** Reads 4 bytes in native order; in one piece when {@code offset} is a multiple of 4. */
    int readInt(long offset);

    /** One of the seven atomics on 4 bytes; gives the value before. */
    int atomicInt(Opcode opcode, long offset, int operand, int expected);

    /** The same calls, each of which ends with ETIMEOUT when it would take longer. */
    RemoteCalls within(long timeoutNanos);

    /** By the owner, after its end. */
    void close();
}
