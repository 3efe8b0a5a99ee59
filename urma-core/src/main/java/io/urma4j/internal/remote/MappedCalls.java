package io.urma4j.internal.remote;

import io.urma4j.Opcode;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaException;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Lifetime;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;

/**
 * Simple calls on memory that is mapped here: the calling thread moves the bytes itself, and needs no queue, no record and
 * no lock. Safe for any thread.
 */
public final class MappedCalls implements RemoteCalls {
    private static final ApiAccess API = ApiAccess.api();

    private final RemoteSegment segment;
    private final MemorySegment memory;
    private final MappedAccess access;

    /**
     * On a segment for which {@link #suit} holds.
     *
     * @param life of the owner, which closes this after its end
     * @throws UrmaException EINVAL when its home took it back
     */
    public MappedCalls(Object owner, Lifetime life, RemoteSegment segment) {
        this.segment = segment;
        this.memory = segment.map();
        this.access = new MappedAccess(owner, life, segment, memory);
    }

    /** Whether all calls can be made so: its memory may be mapped, and the CPU's atomics are those of the device. */
    public static boolean suit(RemoteSegment segment) {
        return API.isMappable(segment)
                && API.attributesOf(segment.context()).capabilities().cpuAtomics();
    }

    @Override
    public void write(long offset, MemorySegment source) {
        long length = source.byteSize();
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            API.checkWritable(segment);
            Placement.write(source, 0, memory, offset, length);
        } catch (IllegalStateException | WrongThreadException | UrmaException e) {
            throw access.failure(SOURCE, source, "write", offset, e, wasInterrupted);
        }
    }

    @Override
    public void read(long offset, MemorySegment destination) {
        long length = destination.byteSize();
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            API.checkReadable(segment);
            Placement.read(memory, offset, destination, 0, length);
        } catch (IllegalStateException | WrongThreadException | UrmaException e) {
            throw access.failure(DESTINATION, destination, "read", offset, e, wasInterrupted);
        }
    }

    @Override
    public void writeLong(long offset, long value) {
        try {
            API.checkWritable(segment);
            Placement.writeLong(memory, offset, value);
        } catch (IllegalStateException | UrmaException e) {
            throw access.failure("write", offset, Long.BYTES, e);
        }
    }

    @Override
    public long readLong(long offset) {
        try {
            API.checkReadable(segment);
            return Placement.readLong(memory, offset);
        } catch (IllegalStateException | UrmaException e) {
            throw access.failure("read", offset, Long.BYTES, e);
        }
    }

    @Override
    public long readLong(long offset, long limitNanos) {
        return readLong(offset);
    }

    @Override
    public long atomic(Opcode opcode, long offset, long operand, long expected) {
        try {
            API.checkAtomic(segment, offset, Long.BYTES);
            return Placement.atomic64(opcode.value(), memory, offset, operand, expected);
        } catch (IllegalStateException | UrmaException e) {
            throw access.failure(opcode.name(), offset, Long.BYTES, e);
        }
    }

    @Override
    public void writeInt(long offset, int value) {
        try {
            API.checkWritable(segment);
            Placement.writeInt(memory, offset, value);
        } catch (IllegalStateException | UrmaException e) {
            throw access.failure("write", offset, Integer.BYTES, e);
        }
    }

    @Override
    public int readInt(long offset) {
        try {
            API.checkReadable(segment);
            return Placement.readInt(memory, offset);
        } catch (IllegalStateException | UrmaException e) {
            throw access.failure("read", offset, Integer.BYTES, e);
        }
    }

    @Override
    public int atomicInt(Opcode opcode, long offset, int operand, int expected) {
        try {
            API.checkAtomic(segment, offset, Integer.BYTES);
            return Placement.atomic32(opcode.value(), memory, offset, operand, expected);
        } catch (IllegalStateException | UrmaException e) {
            throw access.failure(opcode.name(), offset, Integer.BYTES, e);
        }
    }

    /** The same: a call of these waits for nothing. */
    @Override
    public RemoteCalls within(long timeoutNanos) {
        return this;
    }

    @Override
    public void close() {}
}
