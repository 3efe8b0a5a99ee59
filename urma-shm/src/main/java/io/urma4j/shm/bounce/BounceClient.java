package io.urma4j.shm.bounce;

import io.urma4j.AllocOptions;
import io.urma4j.libc.Fd;
import io.urma4j.shm.memory.ShmMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Asks one home to copy bytes of its device memory, by a bounce buffer of this context. Safe for any thread. */
public final class BounceClient implements AutoCloseable {
    private final ShmMemory buffer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition laneIsBack = lock.newCondition();
    private final Deque<BounceLane> free = new ArrayDeque<>(); // guarded by the lock, with all below
    private int lanes; // that can still be used
    private boolean closed;

    /** The way to the home. Safe for any thread. */
    public interface Sender {
        /** Sends a request; false if there is no room now. */
        boolean send(MemorySegment request);

        /** Whether the home is gone, so that no request is answered any more. */
        boolean isGone();
    }

    private BounceClient(ShmMemory buffer, Sender sender) {
        this.buffer = buffer;
        for (int i = BounceLayout.LANES - 1; i >= 0; i--) {
            free.addLast(new BounceLane(buffer.segment(), i, sender));
        }
        lanes = BounceLayout.LANES;
    }

    /** A client with a new bounce buffer, which the home must get before the first request. */
    public static BounceClient open(Sender sender) {
        return new BounceClient(ShmMemory.allocate(BounceLayout.BYTES, AllocOptions.DEFAULT, "urma-bounce"), sender);
    }

    /** The bounce buffer, for the home. */
    public Fd fd() {
        return buffer.fd();
    }

    void read(ServedMemory from, long offset, MemorySegment to, long toOffset, long lengthBytes) {
        from.checkOpen();
        if (lengthBytes == 0) {
            return;
        }
        BounceLane lane = take();
        try {
            lane.read(from, offset, to, toOffset, lengthBytes);
        } finally {
            give(lane);
        }
    }

    void write(ServedMemory to, long offset, MemorySegment from, long fromOffset, long lengthBytes) {
        to.checkOpen();
        if (lengthBytes == 0) {
            return;
        }
        BounceLane lane = take();
        try {
            lane.write(to, offset, from, fromOffset, lengthBytes);
        } finally {
            give(lane);
        }
    }

    long atomic(ServedMemory on, int opcode, long offset, int sizeBytes, long operand, long expected) {
        on.checkOpen();
        BounceLane lane = take();
        try {
            return lane.atomic(on, opcode, offset, sizeBytes, operand, expected);
        } finally {
            give(lane);
        }
    }

    private BounceLane take() {
        lock.lock();
        try {
            while (!closed && lanes > 0) {
                BounceLane lane = free.pollLast(); // the last one's slab may still be cached
                if (lane != null) {
                    return lane;
                }
                laneIsBack.awaitUninterruptibly();
            }
            throw BounceLane.gone();
        } finally {
            lock.unlock();
        }
    }

    /** One with a request that the home leaves unanswered is never used again. */
    private void give(BounceLane lane) {
        lock.lock();
        try {
            if (lane.isIdle()) {
                free.addLast(lane);
                laneIsBack.signal();
            } else if (--lanes == 0) {
                laneIsBack.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The home is gone. A transfer in progress fails. Idempotent. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            laneIsBack.signalAll();
        } finally {
            lock.unlock();
        }
        buffer.close();
    }

    @Override
    public String toString() {
        return "bounce buffer of " + BounceLayout.BYTES + " bytes";
    }
}
