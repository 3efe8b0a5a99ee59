package io.urma4j.spi;

import io.urma4j.peer.DeviceEvent;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A work request that the API passes to a provider: a struct, written and read by one thread within one call, and reused
 * for the next. Fields that an opcode does not need keep stale values and must not be read. It has more fields than other classes since
 * it is the union of what all opcodes need, and a post allocates nothing.
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

    /** The target of {@link #operand} in WRITE_NOTIFY. */
    public @Nullable ProviderImport notify;

    public long notifyOffset;

    /** The target of messages; null for the bound peer. */
    public @Nullable ProviderTarget target;

    /** Must be done before the request starts, which keeps its place meanwhile; null for none. */
    public @Nullable DeviceEvent after;

    /** The JFC of the record; null for the queue's own JFC. */
    public @Nullable ProviderJfc jfc;

    /** The hint for the member of a Jetty group. */
    public int targetHint;

    /** Operand of atomics, value of WRITE_NOTIFY, immediate of WRITE_IMM and SEND_IMM, token id of SEND_INVALIDATE. */
    public long operand;

    /** The comparand of CAS. */
    public long expected;

    /** Sum of all local lengths. */
    public long lengthBytes;

    /** If not null, the payload is here and is copied during the call; there are no local ranges then. */
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
