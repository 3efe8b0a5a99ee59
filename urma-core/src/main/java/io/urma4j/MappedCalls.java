package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;

/**
 * Simple calls on memory that is mapped here: the calling thread moves the bytes itself, and needs no queue, no record and
 * no lock. Safe for any thread.
 */
final class MappedCalls implements RemoteCalls {
    private final Object owner;
    private final Lifetime life;
    private final RemoteSegment segment;
    private final UrmaContext context;
    private final MemorySegment memory;

    /**
     * On a segment for which {@link #suit} holds.
     *
     * @param life of the owner, who closes this after its end
     * @throws UrmaException EINVAL when its home took it back
     */
    MappedCalls(Object owner, Lifetime life, RemoteSegment segment) {
        this.owner = owner;
        this.life = life;
        this.segment = segment;
        this.context = segment.context();
        this.memory = segment.map();
    }

    /** Whether all calls can be made so: its memory may be mapped, and the CPU's atomics are those of the device. */
    static boolean suit(RemoteSegment segment) {
        return segment.isMappable()
                && segment.context().attributes().capabilities().cpuAtomics();
    }

    @Override
    public void write(long offset, MemorySegment source) {
        long length = source.byteSize();
        try {
            segment.checkedForWrite(context, offset, length);
            Placement.write(source, 0, memory, offset, length);
        } catch (IllegalStateException | WrongThreadException | UrmaException e) {
            throw failure(SOURCE, source, "write", offset, e);
        }
    }

    @Override
    public void read(long offset, MemorySegment destination) {
        long length = destination.byteSize();
        try {
            segment.checkedForRead(context, offset, length);
            Placement.read(memory, offset, destination, 0, length);
        } catch (IllegalStateException | WrongThreadException | UrmaException e) {
            throw failure(DESTINATION, destination, "read", offset, e);
        }
    }

    @Override
    public void writeLong(long offset, long value) {
        try {
            segment.checkedForWrite(context, offset, Long.BYTES);
            Placement.writeLong(memory, offset, value);
        } catch (IllegalStateException | UrmaException e) {
            throw failure("write", offset, Long.BYTES, e);
        }
    }

    @Override
    public long readLong(long offset) {
        try {
            segment.checkedForRead(context, offset, Long.BYTES);
            return Placement.readLong(memory, offset);
        } catch (IllegalStateException | UrmaException e) {
            throw failure("read", offset, Long.BYTES, e);
        }
    }

    @Override
    public long atomic(Opcode opcode, long offset, long operand, long expected) {
        try {
            segment.checkedForAtomic(context, offset, Long.BYTES);
            return Placement.atomic64(opcode.value(), memory, offset, operand, expected);
        } catch (IllegalStateException | UrmaException e) {
            throw failure(opcode.name(), offset, Long.BYTES, e);
        }
    }

    /** The same where the caller's own memory may be the reason: it is looked at now, since nearly always it is none. */
    private UrmaException failure(
            String argument, MemorySegment own, String operation, long offset, RuntimeException cause) {
        forgetFence(cause);
        if (!(cause instanceof UrmaException) && memory.scope().isAlive()) {
            Checks.usableHere(owner, argument, own);
        }
        return failure(operation, offset, own.byteSize(), cause);
    }

    /** What a call ends with that was refused, or in the middle of which a memory was taken away. */
    private UrmaException failure(String operation, long offset, long lengthBytes, RuntimeException cause) {
        forgetFence(cause);
        if (life.isClosed()) {
            return Checks.closed(owner); // whatever was found closed first
        }
        if (cause instanceof UrmaException refusal) {
            return refusal;
        }
        if (memory.scope().isAlive()) {
            return Checks.invalid(owner, CLOSED_MEANWHILE);
        }
        return new OperationFailedException(
                owner,
                operation + " of offset " + offset + " + length " + lengthBytes,
                CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    /** HotSpot throws a thread out of a copy by an asynchronous exception, and on the way sets its interrupt flag. */
    private static void forgetFence(RuntimeException cause) {
        if (cause instanceof IllegalStateException) {
            Thread.interrupted();
        }
    }

    @Override
    public void close() {}
}
