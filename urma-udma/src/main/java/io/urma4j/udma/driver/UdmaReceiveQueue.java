package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.JfrConfig;
import io.urma4j.OrderType;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderReceiveQueue;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.SpinLock;
import io.urma4j.udma.command.ReceiveQueueConfig;
import io.urma4j.udma.command.ReceiveStats;
import io.urma4j.udma.engine.EventLoop;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.ReceiveWqe;
import io.urma4j.udma.ring.RnrTimer;
import io.urma4j.udma.ring.WqRing;
import org.jspecify.annotations.Nullable;

/** A receive queue: puts buffers into the card's ring. A short lock serialises posting threads. */
final class UdmaReceiveQueue implements ProviderReceiveQueue, Tagged {
    private final Queues queues;
    private final LocalContext local;
    private final int id;
    private final JfrConfig config;
    private final UdmaJfc jfc;
    private final int depth;
    private final int strideBytes;
    private final NativeMemory ring;
    private final EventLoop eventLoop;
    private final int tag;
    private final int handle;
    private final int number;
    private final int queueKey;
    private final Receives receives;
    private final SpinLock lock = new SpinLock();
    private final ReceiveEntries entries; // guarded by the lock

    private long posted; // guarded by the lock
    private volatile ReceiveState state = ReceiveState.READY;
    private volatile boolean closed;

    UdmaReceiveQueue(Queues queues, int id, JfrConfig config, UdmaJfc jfc) {
        this.queues = queues;
        this.local = queues.local();
        this.id = id;
        this.config = config;
        this.jfc = jfc;
        this.depth = Rings.ceilingPowerOfTwo(config.depth());
        this.strideBytes = ReceiveWqe.strideBytes(config.maxSges());
        this.ring = Rings.allocate(this, WqRing.bytes(depth, strideBytes));
        this.entries = new ReceiveEntries(depth, config.maxSges());
        this.eventLoop = local.eventLoop();
        this.queueKey = config.mode() == TransportMode.UM ? queueKey(local.adapter(), config) : 0;
        this.receives = new Receives(this, id, 0);
        this.tag = local.adapter().tag(this);
        queues.owners().put(tag, receives);
        this.handle = eventLoop.call(card -> Queues.create(id, wanted -> card.createReceiveQueue(cardConfig(wanted))));
        this.number = eventLoop.call(card -> card.receiveNumber(handle));
        OrderType orderType = config.orderType().effective(config.mode());
        if (config.mode() != TransportMode.RC) { // else Jetties alone receive by it (S5.4)
            queues.announce(number, importable(JettyDescriptor.Kind.JFR, config.mode(), orderType, null));
        }
    }

    /** It, or a Jetty that receives by it, as peers may import it. */
    Importable importable(
            JettyDescriptor.Kind kind, TransportMode mode, OrderType orderType, @Nullable RcBinding binding) {
        return new Importable(kind, mode, orderType, config.policy(), config.token(), queueKey, binding);
    }

    /** The token itself, if there is one: a foreign peer gets it by hand. */
    private static int queueKey(Adapter adapter, JfrConfig config) {
        return config.policy() == TokenPolicy.NONE
                ? adapter.random().nextInt(Integer.MAX_VALUE)
                : config.token().value();
    }

    private ReceiveQueueConfig cardConfig(int wantedNumber) {
        ReceiveQueueConfig.Builder builder = ReceiveQueueConfig.builder(ring, depth, strideBytes, jfc.cq())
                .number(wantedNumber)
                .tag(tag)
                .rnrTimerCode(RnrTimer.code(config.minRnrTimer().toNanos()))
                .threshold(config.rxThreshold())
                .allowInvalidate(config.allowInvalidate());
        switch (config.mode()) {
            case UM -> builder.datagrams(queueKey);
            case RC -> builder.connected();
            case RM -> {}
        }
        return builder.build();
    }

    int handle() {
        return handle;
    }

    JfrConfig config() {
        return config;
    }

    int queueKey() {
        return queueKey;
    }

    // ---- posting

    @Override
    public boolean receive(ProviderSegment buffer, long offset, long lengthBytes, long userContext) {
        lock.acquire();
        try {
            if (!mayAdd()) {
                return false;
            }
            checkBuffer((UdmaSegment) buffer);
            int entry = entries.take(userContext);
            entries.pin(entry, buffer);
            long at = WqRing.at(posted, depth, strideBytes);
            ReceiveWqe.put(ring, at, 1, entry);
            ReceiveWqe.range(ring, at, 0, ((UdmaSegment) buffer).localKey(), length(lengthBytes), offset);
            WqRing.produced(ring, ++posted);
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
            for (int i = 0; i < request.sgeCount; i++) {
                checkBuffer((UdmaSegment) request.sgeSegment[i]);
            }
            int entry = entries.take(request.userContext);
            entries.pin(entry, request);
            long at = WqRing.at(posted, depth, strideBytes);
            ReceiveWqe.put(ring, at, request.sgeCount, entry);
            for (int i = 0; i < request.sgeCount; i++) {
                UdmaSegment segment = (UdmaSegment) request.sgeSegment[i];
                assert segment != null : "checked by the API";
                ReceiveWqe.range(ring, at, i, segment.localKey(), length(request.sgeLength[i]), request.sgeOffset[i]);
            }
            WqRing.produced(ring, ++posted);
            return true;
        } finally {
            lock.release();
        }
    }

    /** A datagram is dropped unless it can be placed at once, which a device cannot promise. */
    private void checkBuffer(@Nullable UdmaSegment buffer) {
        if (buffer != null && buffer.isOnDevice() && config.mode() == TransportMode.UM) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, buffer, "lies in device memory, which receives no datagrams of " + this);
        }
    }

    /** A buffer longer than any message is shortened to the maximum of an element. */
    private static int length(long lengthBytes) {
        return (int) Math.min(lengthBytes, 0xFFFF_FFFFL);
    }

    private boolean mayAdd() {
        checkOpen();
        if (state == ReceiveState.ERROR) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is in ERROR and takes no receive work requests");
        }
        return posted - WqRing.consumed(ring) < depth;
    }

    /** Commands check under the card's lock, or a close that runs meanwhile lets them reach the next queue of that handle. */
    private void checkOpen() {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is closed");
        }
    }

    // ---- records

    /**
     * The receiver of messages, as its records name it: a JFR, or a Jetty that uses one.
     *
     * @param id as applications see it
     * @param recordFlags of {@link CompletionRecord}
     */
    record Receives(UdmaReceiveQueue queue, int id, int recordFlags) implements RecordOwner, Tagged {
        @Override
        public void record(long[] words, int at, NativeMemory ring, long cqe, int word) {
            words[at] = CompletionRecord.header(
                    Cqe.status(word), Cqe.opcode(word), recordFlags | flags(Cqe.flags(word)), id);
            words[at + CompletionRecord.USER_CONTEXT] = queue.recordTaken((int) Cqe.position(ring, cqe));
            words[at + CompletionRecord.LENGTH] = Cqe.lengthBytes(ring, cqe);
            words[at + CompletionRecord.IMMEDIATE] = Cqe.immediate(ring, cqe);
            words[at + CompletionRecord.REMOTE] = Cqe.remote(ring, cqe);
            words[at + CompletionRecord.REMOTE_EID_HIGH] = Cqe.remoteEidHigh(ring, cqe);
            words[at + CompletionRecord.REMOTE_EID_LOW] = Cqe.remoteEidLow(ring, cqe);
        }

        private static int flags(int flags) {
            return CompletionRecord.RECEIVE
                    | ((flags & Cqe.HAS_IMMEDIATE) != 0 ? CompletionRecord.HAS_IMMEDIATE : 0)
                    | ((flags & Cqe.HAS_INVALIDATED) != 0 ? CompletionRecord.HAS_INVALIDATED : 0)
                    | ((flags & Cqe.SOLICITED) != 0 ? CompletionRecord.SOLICITED : 0);
        }

        @Override
        public void ended(NativeMemory ring, long cqe, int word) {
            queue.letGo((int) Cqe.position(ring, cqe));
        }

        @Override
        public void removed(NativeMemory ring, long cqe) {
            var _ = queue.recordTaken((int) Cqe.position(ring, cqe));
        }
    }

    /** The record of an entry is polled; returns its user context. */
    private long recordTaken(int entry) {
        lock.acquire();
        try {
            return entries.give(entry);
        } finally {
            lock.release();
        }
    }

    /** The record of an entry exists, and will be polled. */
    private void letGo(int entry) {
        lock.acquire();
        entries.unpin(entry);
        lock.release();
    }

    // ---- states and the rest

    @Override
    public void failed(int status) {
        state = ReceiveState.ERROR;
        local.raise(AsyncEvent.Type.JFR_ERR, this, "its " + jfc + " has overflowed");
    }

    @Override
    public void receivesLow(long left) {
        local.raise(
                AsyncEvent.Type.JFR_LIMIT, this, left + " receive work requests are left, fewer than its rxThreshold");
    }

    @Override
    public void rxThreshold(int threshold) {
        eventLoop.run(card -> {
            checkOpen();
            card.threshold(handle, threshold);
        });
    }

    @Override
    public void modify(ReceiveState next) {
        QueueState entered = switch (next) {
            case RESET -> QueueState.RESET;
            case READY -> QueueState.READY;
            case ERROR -> QueueState.ERROR;
        };
        eventLoop.run(card -> {
            checkOpen();
            state = next; // first: the card may enter ERROR at once
            card.modifyReceiveQueue(handle, entered);
        });
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

    @Override
    public JettyDescriptor descriptor() {
        return local.describe(
                id, JettyDescriptor.Kind.JFR, config.mode(), config.orderType(), config.policy(), number, -1);
    }

    @Override
    public Counters counters() {
        ReceiveStats stats = eventLoop.call(card -> {
            checkOpen();
            return card.receiveStats(handle);
        });
        return Counters.builder()
                .add("received", stats.received())
                .add("receivedBytes", stats.receivedBytes())
                .add("waiting", stats.waiting())
                .add("notReady", stats.notReady())
                .add("dropped", stats.dropped())
                .build();
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
        } finally {
            lock.release();
        }
        queues.withdraw(number);
        eventLoop
                .call(card -> {
                    card.destroyReceiveQueue(handle);
                    return local.adapter().copies().copiesIn(); // of messages in progress, whose buffers are free next
                })
                .join();
        queues.detach(tag);
        queues.forgetClosed();
        lock.acquire();
        entries.unpinAll();
        lock.release();
        queues.forget(this);
    }

    @Override
    public String toString() {
        return "JFR " + local.uasid() + "/" + id;
    }
}
