package io.urma4j.udma.device;

import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.ReceiveQueueConfig;
import io.urma4j.udma.command.ReceiveStats;
import io.urma4j.udma.ring.WqRing;
import io.urma4j.udma.transport.ReceiveWork;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A receive queue: its buffers wait for messages, first in, first out. Several Jetties may use it, each as a {@link
 * Receiver}; one more is for messages to its own number.
 */
final class ReceiveQueue implements CompletionQueue.User {
    private final int number;
    private final CardListener listener;
    private final KeyTable keys;
    private final CopyPort copies;
    private final ReceiveQueueConfig config;
    private final CompletionQueue cq;
    private final NativeMemory ring;
    private final List<ReceiveInProgress> all = new ArrayList<>();

    private @Nullable ReceiveInProgress free;
    private @Nullable ReceiveInProgress givenBack; // in the order of posting, before the ring
    private int givenBackCount;
    private long head; // the next element of the ring
    private int open; // taken from the ring, and without a record: they count until then
    private long tail; // as the driver said when it was asked last
    private QueueState state = QueueState.READY;
    private int threshold;
    private long notReady;
    private long dropped;
    private long received;
    private long receivedBytes;

    ReceiveQueue(
            int number,
            CardListener listener,
            KeyTable keys,
            CopyPort copies,
            ReceiveQueueConfig config,
            CompletionQueue cq) {
        this.number = number;
        this.listener = listener;
        this.keys = keys;
        this.copies = copies;
        this.config = config;
        this.cq = cq;
        this.ring = config.ring();
        this.threshold = config.threshold();
        cq.add(this);
    }

    int number() {
        return number;
    }

    ReceiveQueueConfig config() {
        return config;
    }

    CompletionQueue cq() {
        return cq;
    }

    KeyTable keys() {
        return keys;
    }

    QueueState state() {
        return state;
    }

    void enter(QueueState next) {
        state = next;
        if (next == QueueState.READY && !cq.isValid()) { // it has overflowed since the caller looked (S10.5)
            cqFailed();
        }
    }

    long waiting() {
        tail = WqRing.produced(ring);
        return givenBackCount + tail - head;
    }

    boolean isEmpty() {
        if (givenBack == null && head == tail) {
            tail = WqRing.produced(ring);
        }
        return givenBack == null && head == tail;
    }

    // ---- taking

    /** Takes the oldest receive work request for a message; null if there is none. */
    @Nullable
    ReceiveInProgress take(Receiver receiver) {
        ReceiveInProgress taken = givenBack;
        boolean isQuiet = taken == null || taken.isQuiet();
        if (state != QueueState.READY || isEmpty() || !isQuiet || !receiver.cq().promise()) {
            notReady++;
            return null;
        }
        if (taken != null) {
            givenBack = taken.next;
            givenBackCount--;
        } else {
            taken = unused();
            taken.position = head;
            taken.fill(ring, WqRing.at(head++, config.depth(), config.strideBytes()));
            open++;
        }
        taken.receiver = receiver;
        if (threshold > 0 && waiting() < threshold) {
            tellLow();
        }
        return taken;
    }

    private ReceiveInProgress unused() {
        ReceiveInProgress taken = free;
        if (taken == null) {
            taken = new ReceiveInProgress(
                    all.size(), keys, copies); // once for each message that arrives at the same time
            all.add(taken);
        } else {
            free = taken.next;
        }
        return taken;
    }

    /** The object of a handle; null if the handle is of an earlier use. */
    @Nullable
    ReceiveInProgress find(long handle) {
        if (handle == ReceiveWork.NONE) {
            return null;
        }
        ReceiveInProgress taken = all.get((int) handle);
        return taken.generation == (int) (handle >>> Integer.SIZE) && taken.receiver != null ? taken : null;
    }

    /** Its message has its record; only now may another one be posted for it, or there could be more records than its depth. */
    void end(ReceiveInProgress taken, long lengthBytes) {
        received++;
        receivedBytes += lengthBytes;
        release(taken);
        open--;
        WqRing.consumed(ring, head - open);
    }

    private void release(ReceiveInProgress taken) {
        taken.generation++;
        taken.receiver = null;
        taken.next = free;
        free = taken;
    }

    /** Its message does not complete: it is taken again in the order of posting (S10.1), before those in the ring. */
    void giveBack(ReceiveInProgress taken) {
        taken.generation++;
        taken.receiver = null;
        taken.giveBack();
        ReceiveInProgress before = null;
        ReceiveInProgress after = givenBack;
        while (after != null && after.position < taken.position) {
            before = after;
            after = after.next;
        }
        taken.next = after;
        if (before == null) {
            givenBack = taken;
        } else {
            before.next = taken;
        }
        givenBackCount++;
    }

    /** A receiver is closed: its receive work requests in progress are given back. */
    void abandon(Receiver closed) {
        for (ReceiveInProgress taken : all) {
            if (taken.receiver == closed) {
                closed.cq().takeBackPromise();
                giveBack(taken);
            }
        }
    }

    // ---- events

    /** At most once for each time that the threshold is set. */
    private void tellLow() {
        threshold = 0;
        listener.receivesLow(config.tag(), waiting());
    }

    void threshold(int next) {
        threshold = next;
        if (threshold > 0 && waiting() < threshold) {
            tellLow();
        }
    }

    /** A datagram found no receive work request. */
    void drop() {
        dropped++;
    }

    /** Its completion queue has overflowed, or the receive queue is closed. */
    @Override
    public void cqFailed() {
        if (state != QueueState.ERROR) {
            state = QueueState.ERROR;
            listener.receiveQueueFailed(config.tag());
        }
    }

    ReceiveStats stats() {
        return new ReceiveStats(received, receivedBytes, waiting(), notReady, dropped);
    }

    void close() {
        state = QueueState.ERROR;
        for (ReceiveInProgress taken : all) {
            Receiver receiver = taken.receiver;
            if (receiver != null) {
                receiver.cq().takeBackPromise();
                release(taken);
            }
        }
        cq.remove(this);
    }
}
