package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Simple calls as work requests: each has a lane to itself until its record is there. */
final class QueuedCalls implements RemoteCalls {
    private final Object owner;
    private final RemoteLanes lanes;

    /**
     * With one lane.
     *
     * @param life of the owner, who closes this after its end
     * @throws UrmaException when there is no room for a queue
     */
    QueuedCalls(Object owner, Lifetime life, RemoteSegment segment) {
        this.owner = owner;
        this.lanes = new RemoteLanes(owner, life, () -> RemoteLane.open(owner, segment));
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
            lanes.perform(lane -> {
                operation.accept(lane);
                return 0;
            });
        } catch (IllegalStateException _) {
            throw Checks.invalid(owner, CLOSED_MEANWHILE);
        }
    }

    @Override
    public void writeLong(long offset, long value) {
        lanes.perform(lane -> {
            lane.writeLong(offset, value);
            return 0;
        });
    }

    @Override
    public long readLong(long offset) {
        return lanes.perform(lane -> lane.readLong(offset));
    }

    @Override
    public long atomic(Opcode opcode, long offset, long operand, long expected) {
        return lanes.perform(lane -> lane.atomic(opcode, offset, operand, expected));
    }

    @Override
    public void close() {
        lanes.close();
    }
}
