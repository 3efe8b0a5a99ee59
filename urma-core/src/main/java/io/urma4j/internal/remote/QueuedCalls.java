package io.urma4j.internal.remote;

import io.urma4j.Opcode;
import io.urma4j.RemoteRange;
import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.Nanos;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Simple calls as work requests: each has a lane to itself until its record is there. */
public final class QueuedCalls implements RemoteCalls {
    private final Object owner;
    private final RemoteLanes lanes;
    private final long timeoutNanos;

    /**
     * With one lane.
     *
     * @param life of the owner, which closes this after its end
     * @throws UrmaException when there is no room for a queue
     */
    public QueuedCalls(Object owner, Lifetime life, RemoteRange remote) {
        this(
                owner,
                new RemoteLanes(owner, life, () -> new RemoteLane(owner, remote, remote.lengthBytes())),
                Nanos.FOREVER);
    }

    private QueuedCalls(Object owner, RemoteLanes lanes, long timeoutNanos) {
        this.owner = owner;
        this.lanes = lanes;
        this.timeoutNanos = timeoutNanos;
    }

    @Override
    public void write(long offset, MemorySegment source) {
        perform(SOURCE, source, lane -> lane.write(offset, source));
    }

    @Override
    public void read(long offset, MemorySegment destination) {
        perform(DESTINATION, destination, lane -> lane.read(offset, destination));
    }

    private void perform(String argument, MemorySegment own, Consumer<RemoteLane> operation) {
        Checks.usableHere(owner, argument, own);
        try {
            lanes.perform(timeoutNanos, lane -> {
                operation.accept(lane);
                return 0;
            });
        } catch (IllegalStateException _) {
            throw Checks.invalid(owner, CLOSED_MEANWHILE);
        }
    }

    @Override
    public void writeLong(long offset, long value) {
        lanes.perform(timeoutNanos, lane -> {
            lane.writeLong(offset, value);
            return 0;
        });
    }

    @Override
    public long readLong(long offset) {
        return lanes.readLong(timeoutNanos, offset);
    }

    @Override
    public long readLong(long offset, long limitNanos) {
        return lanes.readLong(Math.min(limitNanos, timeoutNanos), offset);
    }

    @Override
    public long atomic(Opcode opcode, long offset, long operand, long expected) {
        return lanes.perform(timeoutNanos, lane -> lane.atomic(opcode, offset, operand, expected));
    }

    @Override
    public void writeInt(long offset, int value) {
        lanes.perform(timeoutNanos, lane -> {
            lane.writeInt(offset, value);
            return 0;
        });
    }

    @Override
    public int readInt(long offset) {
        return (int) lanes.perform(timeoutNanos, lane -> lane.readInt(offset));
    }

    @Override
    public int atomicInt(Opcode opcode, long offset, int operand, int expected) {
        return (int) lanes.perform(timeoutNanos, lane -> lane.atomicInt(opcode, offset, operand, expected));
    }

    @Override
    public RemoteCalls within(long nanos) {
        return new QueuedCalls(owner, lanes, nanos);
    }

    @Override
    public void close() {
        lanes.close();
    }
}
