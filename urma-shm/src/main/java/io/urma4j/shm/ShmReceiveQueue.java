package io.urma4j.shm;

import io.urma4j.AsyncEvent;
import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.JfrConfig;
import io.urma4j.ReceiveState;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.spi.ProviderReceiveQueue;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.SpinLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A receive queue: buffers wait here for messages, first in, first out. Several Jetties and several peers' messages may
 * take from it; a short lock, that of its JFC, keeps them apart.
 */
final class ShmReceiveQueue implements ProviderReceiveQueue, RecordOwner {
    /** The longest wait of a sender that finds no receive work request. */
    static final int MAX_RNR_MICROS = 10_000_000;

    private final LocalContext context;
    private final int id;
    private final JfrConfig config;
    private final JfcRecords jfc;
    private final Consumer<ShmReceiveQueue> onClose;
    private final int ownerIndex;
    private final int rnrMicros;
    private final boolean datagrams;
    private final SpinLock lock; // the JFC's: a short message takes one lock for its buffer and its record
    private final int depth;

    // guarded by the lock
    private ReceiveWr[] waiting; // grows by doubling, when more are given back than the depth has room for
    private int mask;
    private long head;
    private long tail;
    private int taken; // by messages that have no record yet
    private long notReady;
    private final DropCounts drops = new DropCounts();
    private @Nullable ReceiveWr spare; // an emptied one
    private int rxThreshold; // 0 when no event is due

    // written by any thread that drives a path: of two simultaneous messages of two peers, one may go uncounted
    private long received;
    private long receivedBytes;

    private volatile ReceiveState state = ReceiveState.READY;
    private volatile boolean closed;

    /** A queue that is READY; {@code onClose} is called at its end, when it takes no more messages. */
    ShmReceiveQueue(LocalContext context, int id, JfrConfig config, JfcRecords jfc, Consumer<ShmReceiveQueue> onClose) {
        this.context = context;
        this.id = id;
        this.config = config;
        this.jfc = jfc;
        this.onClose = onClose;
        this.lock = jfc.lock();
        this.datagrams = config.mode() == TransportMode.UM;
        this.depth = JfcRecords.ceilingPowerOfTwo(config.depth());
        this.waiting = new ReceiveWr[depth];
        this.mask = depth - 1;
        this.rxThreshold = config.rxThreshold();
        this.rnrMicros = (int) Math.max(config.minRnrTimer().toNanos() / 1_000, 1); // at most MAX_RNR_MICROS
        this.ownerIndex = jfc.attach(this);
    }

    @Override
    public boolean receive(ProviderSegment buffer, long offset, long lengthBytes, long userContext) {
        lock.acquire();
        try {
            if (!mayAdd()) {
                return false;
            }
            next().fill((ShmSegment) buffer, offset, lengthBytes, userContext);
            tail++;
            return true;
        } finally {
            lock.release();
        }
    }

    @Override
    public boolean receive(WorkRequest request) {
        lock.acquire();
        try {
            if (!mayAdd()) {
                return false;
            }
            next().fill(request);
            tail++;
            return true;
        } finally {
            lock.release();
        }
    }

    private boolean mayAdd() {
        checkOpen();
        if (state == ReceiveState.ERROR) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is in ERROR and takes no receive work requests");
        }
        return tail - head + taken < depth;
    }

    /** Under the lock. */
    private void checkOpen() {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is closed");
        }
    }

    private ReceiveWr next() {
        int index = (int) tail & mask;
        ReceiveWr wr = waiting[index];
        if (wr == null) {
            wr = new ReceiveWr(jfc);
            waiting[index] = wr;
        }
        wr.position = tail;
        return wr;
    }

    /**
     * Progress: takes the oldest receive work request for a message, until it is {@linkplain #free free} and {@linkplain
     * #emptied emptied}, or {@linkplain #giveBack given back}; null when there is none.
     */
    @Nullable
    ReceiveWr take() {
        lock.acquire();
        try {
            if (state != ReceiveState.READY || head == tail) {
                notReady++;
                return null;
            }
            int index = (int) head++ & mask;
            ReceiveWr wr = waiting[index];
            waiting[index] = spare; // another may be given back to its place
            spare = null;
            wr.isTaken = true;
            taken++;
            if (tail - head < rxThreshold) {
                tellLimit();
            }
            return wr;
        } finally {
            lock.release();
        }
    }

    /**
     * Progress: has the oldest receive work request take the message in {@code slot}, and makes its record. For what lies
     * in one slot and is taken in the usual way; false when it is otherwise: then nothing has happened.
     */
    boolean takeShort(RingReceiver slot, long header, RemoteName sender) {
        int length = slot.chunkBytes();
        lock.acquire();
        try {
            if (state != ReceiveState.READY || head == tail || !jfc.takesArrivals()) {
                return false;
            }
            ReceiveWr wr = waiting[(int) head & mask];
            if (length > wr.capacityBytes || wr.buffers.isOnDevice()) {
                return false;
            }
            wr.scatterShort(slot.memory(), slot.payloadAt(), length);
            wr.buffers.release();
            head++;
            if (tail - head < rxThreshold) {
                tellLimit();
            }
            count(length);
            long provenance = JfcRecords.provenance(ownerIndex, 0);
            jfc.pushArrival(header, wr.userContext, length, 0, sender.queue(slot.source()), sender, provenance);
            return true;
        } finally {
            lock.release();
        }
    }

    /** Under the lock; at most once for each time that the threshold is set. */
    private void tellLimit() {
        context.raise(
                AsyncEvent.Type.JFR_LIMIT,
                this,
                tail - head + " receive work requests are left, its rxThreshold is " + rxThreshold);
        rxThreshold = 0;
    }

    @Override
    public void rxThreshold(int threshold) {
        lock.acquire();
        try {
            checkOpen();
            rxThreshold = threshold;
            if (tail - head < threshold) {
                tellLimit();
            }
        } finally {
            lock.release();
        }
    }

    /** Whether there is a receive work request; soon it may be otherwise. */
    boolean seemsReady() {
        return state == ReceiveState.READY && head != tail;
    }

    /** Progress: a datagram found no receive work request. */
    void drop(Drop reason) {
        lock.acquire();
        drops.count(reason);
        lock.release();
    }

    /**
     * Progress: the message is there. Before its record: the thread that sees that may close a buffer at once, or post
     * another one.
     */
    void free(ReceiveWr wr) {
        lock.acquire();
        release(wr);
        lock.release();
    }

    private void release(ReceiveWr wr) {
        if (wr.isTaken) {
            wr.isTaken = false;
            wr.buffers.unpin();
            taken--;
        }
    }

    /** Progress: the message has ended, and names its buffers no more. */
    void emptied(ReceiveWr wr) {
        lock.acquire();
        release(wr);
        wr.buffers.forget();
        spare = wr;
        lock.release();
    }

    /** Progress: a message has its record. */
    void count(long lengthBytes) {
        received++;
        receivedBytes += lengthBytes;
    }

    /** Progress: the message was not consumed after all; its buffers are waiting again, in the order of the posts (S10.1). */
    void giveBack(ReceiveWr wr) {
        lock.acquire();
        try {
            release(wr);
            if (closed) {
                wr.buffers.forget();
                return;
            }
            if (tail - head > mask) { // it was free for a moment, in which a thread has filled the queue
                grow();
            }
            wr.buffers.pin();
            long at = --head;
            for (; at + 1 < tail && waiting[(int) (at + 1) & mask].position < wr.position; at++) {
                waiting[(int) at & mask] = waiting[(int) (at + 1) & mask];
            }
            waiting[(int) at & mask] = wr;
        } finally {
            lock.release();
        }
    }

    /** At most by as many as messages can be between their buffers and their records: one of each path. */
    private void grow() {
        ReceiveWr[] room = new ReceiveWr[2 * waiting.length];
        for (long position = head; position < tail; position++) {
            room[(int) position & (room.length - 1)] = waiting[(int) position & mask];
        }
        waiting = room;
        mask = room.length - 1;
    }

    @Override
    public void jfcFailed() {
        if (state != ReceiveState.ERROR) {
            state = ReceiveState.ERROR;
            context.raise(AsyncEvent.Type.JFR_ERR, this, "its " + jfc + " has overflowed");
        }
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public ReceiveState state() {
        return state;
    }

    boolean takesDatagrams() {
        return datagrams;
    }

    JfcRecords jfc() {
        return jfc;
    }

    boolean isClosed() {
        return closed;
    }

    int ownerIndex() {
        return ownerIndex;
    }

    /** How long a sender that found nothing here waits. */
    int rnrMicros() {
        return rnrMicros;
    }

    boolean allowsInvalidate() {
        return config.allowInvalidate();
    }

    JfrConfig config() {
        return config;
    }

    @Override
    public JettyDescriptor descriptor() {
        return context.describe(id, JettyDescriptor.Kind.JFR, config.mode(), config.orderType(), config.policy());
    }

    @Override
    public void modify(ReceiveState next) {
        lock.acquire();
        try {
            checkOpen();
            state = next;
            if (next == ReceiveState.READY && !jfc.isValid()) { // it has overflowed since the caller looked
                jfcFailed();
            }
        } finally {
            lock.release();
        }
    }

    @Override
    public Counters counters() {
        lock.acquire();
        try {
            checkOpen();
            Counters.Builder counters = Counters.builder()
                    .add("received", received)
                    .add("receivedBytes", receivedBytes)
                    .add("waiting", tail - head)
                    .add("notReady", notReady);
            return drops.addTo(counters, Drop.OF_RECEIVERS).build();
        } finally {
            lock.release();
        }
    }

    @Override
    public void close() {
        lock.acquire();
        try {
            if (closed) {
                return;
            }
            closed = true;
            state = ReceiveState.ERROR;
            for (; head < tail; head++) {
                waiting[(int) head & mask].buffers.release();
            }
        } finally {
            lock.release();
        }
        onClose.accept(this);
    }

    @Override
    public String toString() {
        return "JFR " + context.uasid() + "/" + id;
    }
}
