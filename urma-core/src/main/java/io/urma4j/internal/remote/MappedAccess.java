package io.urma4j.internal.remote;

import io.urma4j.CompletionStatus;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaException;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;

/** Says what it means when an access to mapped memory of others threw. Safe for any thread. */
public final class MappedAccess {
    private final Object owner;
    private final Lifetime life;
    private final RemoteSegment segment;
    private final MemorySegment memory;

    /**
     * For accesses to {@code memory}, as which {@code segment} is mapped.
     *
     * @param life of the owner, in whose name the accesses are made
     */
    public MappedAccess(Object owner, Lifetime life, RemoteSegment segment, MemorySegment memory) {
        this.owner = owner;
        this.life = life;
        this.segment = segment;
        this.memory = memory;
    }

    /**
     * What a call ends with where the caller's own memory may be the reason: that is looked at now, since nearly always it
     * is none.
     *
     * @param wasInterrupted whether the thread was interrupted before the access
     */
    public UrmaException failure(
            String argument,
            MemorySegment own,
            String operation,
            long offset,
            RuntimeException cause,
            boolean wasInterrupted) {
        Placement.forgetFence(cause, wasInterrupted);
        if (!(cause instanceof UrmaException) && memory.scope().isAlive()) {
            Checks.usableHere(owner, argument, own);
        }
        return meaning(operation, offset, own.byteSize(), cause);
    }

    /** What a call ends with that was refused, or in the middle of which a memory was taken away. */
    public UrmaException failure(String operation, long offset, long lengthBytes, RuntimeException cause) {
        Placement.forgetFence(cause);
        return meaning(operation, offset, lengthBytes, cause);
    }

    private UrmaException meaning(String operation, long offset, long lengthBytes, RuntimeException cause) {
        if (life.isClosed()) {
            return Checks.closed(owner); // whatever was found closed first
        }
        if (cause instanceof UrmaException refusal) {
            return refusal;
        }
        if (memory.scope().isAlive()) {
            return Checks.invalid(owner, RemoteCalls.CLOSED_MEANWHILE);
        }
        String words = operation + " of offset " + offset + " + length " + lengthBytes;
        return ApiAccess.api().failed(owner, words, CompletionStatus.REM_ACCESS_ABORT_ERR, segment);
    }
}
