package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.OrderType;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.Resource;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.shm.ring.OwnedRing;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.Placement;
import io.urma4j.spi.support.QueueFailure;
import io.urma4j.spi.support.SpinLock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A send queue. The thread that posts a read, a write or an atomic executes it, writes its record, and returns, without
 * another thread. A request that cannot be finished so, because it is a message or must follow one, goes to the {@link
 * SendWindow} through {@link DeferredPosts}. {@link SendSlots} decides between the two, {@link QueueMoves} changes states.
 */
final class ShmSendQueue implements ProviderSendQueue, RecordOwner {
    private final ShmContext context;
    private final int id;
    private final JfsConfig config;
    private final ShmJfc jfc;
    private final @Nullable ShmReceiveQueue receives;
    private final boolean locked;
    private final long timeoutNanos;
    private final int ownerIndex;
    private final int recordFlags;
    private final long recordBase;
    private final @Nullable OwnedRing owned; // when neither queue nor JFC are locked
    private final SpinLock lock; // the JFC's: a post that makes a record takes one lock for both
    private final SendSlots slots;
    private final SendWindow window;
    private final WindowRecords records;
    private final DeferredPosts deferred;
    private final QueueMoves moves;
    private final RcBinding binding;

    private @Nullable Inbound receiving; // when its receive records go to a JFC of its own; set before anybody knows it

    private volatile boolean closed;

    /** A longer copy of a locked queue runs without the lock, which other queues need for their records. */
    private static final long LONG_COPY_BYTES = 1 << 16;

    ShmSendQueue(ShmContext context, int id, JfsConfig config, ShmJfc jfc, @Nullable ShmReceiveQueue receives) {
        this.context = context;
        this.id = id;
        this.config = config;
        this.jfc = jfc;
        this.receives = receives;
        this.locked = !(config.lockFree() && jfc.isLockFree());
        this.timeoutNanos = config.timeout().toNanos();
        this.slots = new SendSlots(ShmJfc.ceilingPowerOfTwo(config.depth()), config.signalEvery());
        this.recordFlags = receives == null ? 0 : CompletionRecord.JETTY;
        QueueState born = config.mode() == TransportMode.RC ? QueueState.RESET : QueueState.READY;
        this.window = new SendWindow(this, slots.depth(), config, born);
        this.binding = new RcBinding(context, this);
        this.lock = jfc.lock();
        this.moves = new QueueMoves(this, window, binding, jfc);
        this.owned = locked ? null : jfc.owned();
        this.recordBase = CompletionRecord.header(0, 0, recordFlags, id);
        entering(born);
        this.ownerIndex = jfc.attach(this);
        this.records = new WindowRecords(context, this, jfc, ownerIndex);
        this.deferred = new DeferredPosts(this, slots, window, records, binding, config, jfc, locked);
    }

    // Opcode.value() as constants
    private static final int WRITE = 0x00;
    private static final int READ = 0x10;

    static {
        assert WRITE == Opcode.WRITE.value() && READ == Opcode.READ.value();
    }

    // ---- posts that are finished here

    @Override
    public boolean write(
            ProviderImport target,
            long targetOffset,
            ProviderSegment source,
            long sourceOffset,
            long lengthBytes,
            long userContext,
            int flags) {
        ShmImport remote = (ShmImport) target;
        ShmSegment local = (ShmSegment) source;
        enter();
        try {
            if (!slots.areOpen() && !mayFinishHere()) {
                return deferred.defer(
                        Opcode.WRITE, remote, targetOffset, local, sourceOffset, lengthBytes, userContext, flags);
            }
            long position = slots.take(lengthBytes);
            try {
                boolean isLong = lengthBytes > LONG_COPY_BYTES && leaveForCopy();
                Placement.write(local.memory, sourceOffset, remote.memory, targetOffset, lengthBytes);
                if (isLong) {
                    returnFromCopy();
                }
            } catch (RuntimeException e) {
                return failed(e, position, Opcode.WRITE, remote, local, lengthBytes, userContext);
            }
            complete(position, WRITE, lengthBytes, userContext, flags);
            return true;
        } finally {
            leave();
        }
    }

    @Override
    public boolean read(
            ProviderImport source,
            long sourceOffset,
            ProviderSegment destination,
            long destinationOffset,
            long lengthBytes,
            long userContext,
            int flags) {
        ShmImport remote = (ShmImport) source;
        ShmSegment local = (ShmSegment) destination;
        enter();
        try {
            if (!slots.areOpen() && !mayFinishHere()) {
                return deferred.defer(
                        Opcode.READ, remote, sourceOffset, local, destinationOffset, lengthBytes, userContext, flags);
            }
            long position = slots.take(lengthBytes);
            try {
                boolean isLong = lengthBytes > LONG_COPY_BYTES && leaveForCopy();
                Placement.read(remote.memory, sourceOffset, local.memory, destinationOffset, lengthBytes);
                if (isLong) {
                    returnFromCopy();
                }
            } catch (RuntimeException e) {
                return failed(e, position, Opcode.READ, remote, local, lengthBytes, userContext);
            }
            complete(position, READ, lengthBytes, userContext, flags);
            return true;
        } finally {
            leave();
        }
    }

    @Override
    public boolean atomic(
            int opcode,
            ProviderImport target,
            long targetOffset,
            ProviderSegment result,
            long resultOffset,
            int sizeBytes,
            long operand,
            long expected,
            long userContext,
            int flags) {
        ShmImport remote = (ShmImport) target;
        ShmSegment local = (ShmSegment) result;
        enter();
        try {
            if (!slots.areOpen() && !mayFinishHere()) {
                return deferred.deferAtomic(
                        Opcode.of(opcode),
                        remote,
                        targetOffset,
                        local,
                        resultOffset,
                        sizeBytes,
                        operand,
                        expected,
                        userContext,
                        flags);
            }
            long position = slots.take(sizeBytes);
            try {
                Placement.atomic(
                        opcode, remote.memory, targetOffset, local.memory, resultOffset, sizeBytes, operand, expected);
            } catch (RuntimeException e) {
                return failed(e, position, Opcode.of(opcode), remote, local, sizeBytes, userContext);
            }
            complete(position, opcode, sizeBytes, userContext, flags);
            return true;
        } finally {
            leave();
        }
    }

    private void enter() {
        if (locked) {
            lock.acquire();
        }
    }

    private void leave() {
        if (locked) {
            lock.release();
        }
    }

    /**
     * The gate is closed or the slots seem to be used up: checks in detail. True if a one-sided operation may run in the
     * caller's thread after all: no request that it must follow is unfinished, and a slot is free.
     */
    private boolean mayFinishHere() {
        deferred.claimWindow();
        try {
            return slots.openAfterPolls(!records.areElsewhere());
        } finally {
            deferred.releaseWindow();
        }
    }

    /**
     * Releases the lock for a long copy. Until its end the queue is busy: posts go to the window and wait there, so that
     * none overtakes it. False if there is no lock to release.
     */
    private boolean leaveForCopy() {
        if (!locked) {
            return false;
        }
        slots.shut(SendSlots.BUSY);
        lock.release();
        return true;
    }

    private void returnFromCopy() {
        lock.acquire();
        slots.open(SendSlots.BUSY);
    }

    /** Whether a long copy is in progress, which everything in the window must follow. */
    boolean isBusy() {
        return slots.areShut(SendSlots.BUSY);
    }

    /** Writes the record of an operation that has just been executed. */
    private void complete(long position, int opcode, long lengthBytes, long userContext, int flags) {
        if (slots.areShut()) {
            deferred.completeLate(position, opcode, lengthBytes, userContext, flags);
            return;
        }
        if ((flags & PostFlags.SIGNALLED_BIT) == 0) {
            return;
        }
        long header = recordBase | opcode << 8;
        long provenance = ShmJfc.provenance(ownerIndex, position);
        OwnedRing ring = owned;
        boolean told = ring == null
                ? jfc.push(header, userContext, lengthBytes, provenance)
                : jfc.pushOwned(ring, header, userContext, lengthBytes, provenance);
        if (!told) {
            deferred.keep(position, Opcode.of(opcode), CompletionStatus.SUCCESS, lengthBytes, userContext);
        }
    }

    /** Rare: a memory was closed. */
    private boolean failed(
            RuntimeException failure,
            long position,
            Opcode opcode,
            ShmImport remote,
            ShmSegment local,
            long lengthBytes,
            long userContext) {
        if (isBusy()) {
            returnFromCopy();
        }
        return deferred.failed(failure, position, opcode, remote, local, lengthBytes, userContext);
    }

    /** One-sided operations no longer run within their posts, since some of their targets must be refused. */
    void divert() {
        slots.shut(SendSlots.DIVERTED);
    }

    @Override
    public boolean send(
            int opcode,
            @Nullable ProviderTarget target,
            ProviderSegment source,
            long sourceOffset,
            long lengthBytes,
            long immediate,
            long userContext,
            int flags) {
        return deferred.send(
                opcode, target, (ShmSegment) source, sourceOffset, lengthBytes, immediate, userContext, flags);
    }

    @Override
    public boolean post(WorkRequest request) {
        return deferred.post(request);
    }

    // ---- progress, from any thread

    /** Slots of the ring with (parts of) messages of this queue were answered: handles at most {@code most}. */
    int answered(MessagePath path, int most) {
        lock.acquire();
        try {
            int count = path.reapFor(this, window, most);
            window.advance();
            return count;
        } finally {
            lock.release();
        }
    }

    /** Starts waiting requests, if possible. */
    void advance(long nowNanos, boolean insist) {
        if (!window.isWatched()) {
            return;
        }
        if (insist) {
            lock.acquire();
        } else if (!lock.tryAcquire()) {
            return; // a polling thread comes again
        }
        try {
            window.advance(nowNanos);
        } finally {
            lock.release();
        }
    }

    /** Fails requests that have waited too long for their peer; returns when to check again. */
    long expire(long nowNanos, long pausedNanos) {
        if (window.order().window().isEmpty()) {
            return Long.MAX_VALUE; // read without the lock: what is added just now is seen to the next time
        }
        lock.acquire();
        try {
            window.expire(nowNanos, pausedNanos, timeoutNanos);
            return window.nextRetryNanos();
        } finally {
            lock.release();
        }
    }

    void peerLost(Peer peer) {
        lock.acquire();
        try {
            window.peerLost(peer);
        } finally {
            lock.release();
        }
    }

    @Override
    public void recordTaken(int position) {
        slots.free(position);
    }

    @Override
    public void jfcFailed() {
        if (state() != QueueState.RESET) { // where nothing works, and which READY does not follow any more
            window.order().failures().fail();
        }
    }

    /** The slots before {@code end} are free. No thread polls meanwhile. */
    void freeTo(long end) {
        slots.freeTo(end);
    }

    ShmJfc jfc() {
        return jfc;
    }

    WindowRecords records() {
        return records;
    }

    /** The position of the next work request. */
    long posted() {
        return slots.posted();
    }

    /** Behind the youngest work request whose record was polled. */
    long freed() {
        return slots.freed();
    }

    boolean isClosed() {
        return closed;
    }

    long header(int status, Opcode opcode) {
        return CompletionRecord.header(status, opcode.value(), recordFlags, id);
    }

    // ---- state

    /** Under the lock: the queue is about to enter a state. */
    void entering(QueueState next) {
        if (next == QueueState.READY) {
            slots.open(SendSlots.NOT_READY);
        } else {
            slots.shut(SendSlots.NOT_READY);
        }
    }

    /**
     * The queue is in ERROR.
     *
     * @param cause status of the failed work request; null if none failed
     */
    void failed(@Nullable CompletionStatus cause) {
        context.raise(QueueFailure.event(receives != null, this, cause));
        context.memberFailed(this);
    }

    /** Sends its receive records to that JFC instead of its JFR's. */
    Inbound receivesInto(ShmJfc receiveJfc, ShmReceiveQueue mine) {
        int index = receiveJfc.attach(new JettyReceives(context, this));
        receiving = new Inbound(id, mine, this, receiveJfc, index);
        return receiving;
    }

    /** The JFC of its receive records has overflowed, or another one of its records. */
    void failLater() {
        moves.fail();
    }

    @Override
    public QueueState state() {
        return window.state();
    }

    @Override
    public void modify(QueueState next) {
        moves.modify(next);
    }

    @Override
    public int flush(long[] words, int maxRecords) {
        return moves.flush(words, maxRecords);
    }

    @Override
    public long[] quiesce(Duration timeout) {
        return moves.quiesce(timeout);
    }

    // ---- RC

    @Override
    public CompletableFuture<Void> bind(ProviderTarget target, Duration timeout) {
        return moves.bind((ShmTarget) target, timeout);
    }

    @Override
    public boolean isDraining() {
        return moves.isDraining();
    }

    @Override
    public CompletableFuture<Void> unbind(Duration timeout) {
        return moves.unbind(timeout);
    }

    @Override
    public boolean isBound() {
        return binding.target() != null;
    }

    boolean isDatagram() {
        return config.mode() == TransportMode.UM;
    }

    boolean isRc() {
        return config.mode() == TransportMode.RC;
    }

    RcBinding binding() {
        return binding;
    }

    /** Whether a message of that queue may be delivered here (S5.8). */
    boolean admits(Peer peer, int sourceId) {
        return !isRc() || binding.admits(peer, sourceId);
    }

    // ---- the rest

    @Override
    public int id() {
        return id;
    }

    @Override
    public int depth() {
        return slots.depth();
    }

    OrderType orderType() {
        return config.orderType().effective(config.mode());
    }

    int rnrRetry() {
        return config.rnrRetry();
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    ShmContext context() {
        return context;
    }

    @Override
    public JettyDescriptor descriptor() {
        return context.describe(id, JettyDescriptor.Kind.JETTY, config.mode(), config.orderType(), policy());
    }

    private TokenPolicy policy() {
        return receives == null ? TokenPolicy.NONE : receives.policy();
    }

    /** Where messages to this Jetty find their buffers. */
    @Nullable
    ShmReceiveQueue receives() {
        return receives;
    }

    @Override
    public Counters counters() {
        Counters.Builder counters = Counters.builder()
                .add("posted", slots.posted())
                .add("postedBytes", slots.postedBytes())
                .add("unpolled", slots.posted() - slots.freed())
                .add("notReady", window.rnr())
                .add("failed", window.order().failures().failures());
        return window.drops().addTo(counters, Drop.OF_SENDERS).build();
    }

    /** What it waits for, for inspection. */
    List<Resource> describeWaits() {
        if (window.order()
                .window()
                .isEmpty()) { // spares the lock; a look that comes too early does no harm
            return List.of();
        }
        Waits waits = new Waits(id, state());
        lock.acquire();
        try {
            waits.addAll(window.order().window());
        } finally {
            lock.release();
        }
        return waits.lines();
    }

    @Override
    public void close() {
        lock.acquire();
        try {
            if (closed) {
                return;
            }
            closed = true;
            slots.shut(SendSlots.CLOSED);
            window.clear();
        } finally {
            lock.release();
        }
        jfc.detach(ownerIndex);
        records.close();
        context.forget(this);
        Inbound mine = receiving;
        if (mine != null) {
            context.abandonReceives(mine::equals);
            mine.jfc().detach(mine.ownerIndex());
        }
    }

    @Override
    public String toString() {
        return (receives == null ? "JFS " : "Jetty ") + context.uasid() + "/" + id;
    }
}
