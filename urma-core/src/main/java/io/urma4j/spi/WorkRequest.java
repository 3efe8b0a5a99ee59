package io.urma4j.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A work request on its way from the API to a provider: a struct, written and read by one thread within one call, and
 * reused for the next. Fields that an opcode does not need keep stale values and must not be read.
 */
public final class WorkRequest {
    /** {@code Opcode.value()}; ignored by receive queues. */
    public int opcode;

    /** Bits of {@code PostFlags}. */
    public int flags;

    public long userContext;

    /** The one remote range of one-sided operations. */
    public @Nullable ProviderImport remote;

    public long remoteOffset;

    /** Where WRITE_NOTIFY stores {@link #operand}. */
    public @Nullable ProviderImport notify;

    public long notifyOffset;

    /** Whom messages go to; null for the bound peer. */
    public @Nullable ProviderTarget target;

    /** Where the record goes; null for the queue's own JFC. */
    public @Nullable ProviderJfc jfc;

    /** Which member of a Jetty group is meant. */
    public int targetHint;

    /** Immediate of WRITE_IMM and SEND_IMM; token id of SEND_INVALIDATE. */
    public long immediate;

    /** Operand of atomics, value of WRITE_NOTIFY. */
    public long operand;

    /** What CAS expects. */
    public long expected;

    /** Sum of all local lengths. */
    public long lengthBytes;

    /** When not null, the payload lies here and is copied during the call; there are no local ranges then. */
    public @Nullable MemorySegment inline;

    public int sgeCount;
    public final @Nullable ProviderSegment[] sgeSegment;
    public final long[] sgeOffset;
    public final long[] sgeLength;

    public WorkRequest(int maxSges) {
        sgeSegment = new ProviderSegment[maxSges];
        sgeOffset = new long[maxSges];
        sgeLength = new long[maxSges];
    }
}
