package io.urma4j.udma.device;

import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.transport.ReceiveWork;
import org.jspecify.annotations.Nullable;

/** The receiver of messages for a number: a receive queue, or a Jetty with its receive queue. */
final class Receiver implements ReceiveWork {
    private final Registry registry;
    private final ReceiveQueue queue;
    private final CompletionQueue cq;
    private final int number;
    private final int tag;
    private final @Nullable SendQueue jetty;

    /** A receive queue that receives for its own number. */
    Receiver(Registry registry, ReceiveQueue queue) {
        this.registry = registry;
        this.queue = queue;
        this.cq = queue.cq();
        this.number = queue.number();
        this.tag = queue.config().tag();
        this.jetty = null;
    }

    /** A Jetty, which receives by that queue, and has its records in that completion queue. */
    Receiver(Registry registry, ReceiveQueue queue, CompletionQueue cq, SendQueue jetty) {
        this.registry = registry;
        this.queue = queue;
        this.cq = cq;
        this.number = jetty.number();
        this.tag = jetty.config().receiveTag();
        this.jetty = jetty;
    }

    ReceiveQueue queue() {
        return queue;
    }

    CompletionQueue cq() {
        return cq;
    }

    /** The key required in datagrams to it. */
    int queueKey() {
        return jetty == null ? queue.config().queueKey() : jetty.config().queueKey();
    }

    @Nullable
    SendQueue jetty() {
        return jetty;
    }

    /** Whether messages are refused for good, not only rejected for a while (S6.5). */
    boolean refuses() {
        return queue.state() == QueueState.ERROR || (jetty != null && jetty.state() == QueueState.ERROR);
    }

    /** Whether a message that begins now would find a receive work request. */
    boolean isReady() {
        return !refuses() && !isAsleep() && !queue.isEmpty();
    }

    private boolean isAsleep() {
        return queue.state() != QueueState.READY || (jetty != null && jetty.state() == QueueState.RESET);
    }

    @Override
    public long take() {
        if (isAsleep()) {
            return NONE;
        }
        ReceiveInProgress taken = queue.take(this);
        return taken == null ? NONE : taken.handle();
    }

    @Override
    public int rnrTimerCode() {
        return queue.config().rnrTimerCode();
    }

    @Override
    public boolean allowsInvalidate() {
        return queue.config().allowInvalidate();
    }

    @Override
    public long capacityBytes(long handle) {
        ReceiveInProgress taken = queue.find(handle);
        return taken == null ? 0 : taken.capacityBytes;
    }

    @Override
    public boolean scatter(long handle, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
        ReceiveInProgress taken = queue.find(handle);
        return taken != null && taken.scatter(toOffset, from, fromOffset, lengthBytes);
    }

    @Override
    public long place(long handle, long toOffset, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        ReceiveInProgress taken = queue.find(handle);
        if (taken == null) {
            return Memory.REFUSED;
        }
        if (taken.scatter(toOffset, from, fromOffset, lengthBytes)) {
            return Memory.AT_ONCE; // memory of the host, as mostly
        }
        CopyWaiter waiter = registry.copyWaiter(connection);
        return taken.copy(toOffset, from, fromOffset, lengthBytes, waiter);
    }

    @Override
    public void done(
            long handle,
            int status,
            int opcode,
            long lengthBytes,
            long immediate,
            boolean solicited,
            int sourceQueue,
            int connection,
            long nowNanos) {
        ReceiveInProgress taken = queue.find(handle);
        if (taken == null) {
            return; // closed meanwhile
        }
        int flags = Cqe.RECEIVE | flagsOf(opcode, status) | (solicited ? Cqe.SOLICITED : 0);
        long told = opcode == WorkOpcode.SEND_INVALIDATE ? queue.keys().recordId((int) immediate) : immediate;
        registry.fillRemote(cq.ring(), cq.at(), sourceQueue, connection);
        queue.end(taken, lengthBytes);
        cq.putPromised(Cqe.word(status, opcode, flags), number, tag, taken.cookie, lengthBytes, told, nowNanos);
    }

    private static int flagsOf(int opcode, int status) {
        if (opcode == WorkOpcode.SEND_IMM || opcode == WorkOpcode.WRITE_IMM) {
            return Cqe.HAS_IMMEDIATE;
        }
        return opcode == WorkOpcode.SEND_INVALIDATE && status == WorkStatus.SUCCESS ? Cqe.HAS_INVALIDATED : 0;
    }

    @Override
    public void giveBack(long handle) {
        ReceiveInProgress taken = queue.find(handle);
        if (taken != null) {
            cq.takeBackPromise();
            queue.giveBack(taken);
        }
    }

    /** The receiver is closed. */
    void close() {
        queue.abandon(this);
    }
}
