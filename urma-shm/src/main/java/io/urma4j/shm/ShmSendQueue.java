package io.urma4j.shm;

import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.Counters;
import io.urma4j.ErrorScope;
import io.urma4j.JettyDescriptor;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.OrderType;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.Resource;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.shm.ring.OwnedRing;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.Claim;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A send queue. The thread that posts a read, a write or an atomic executes it, makes its record, and returns: nobody
 * else takes part. What cannot be finished so, because it is a message or must follow one, goes to the
 * {@link SendWindow}.
 *
 * <p>Each accepted work request has a position. It occupies a slot until its record, or a later one of the same queue,
 * is polled (S9.3): {@code posted − freed} slots are occupied.
 *
 * <p><b>Who may touch what.</b> {@code posted} and {@code deferredEnd} belong to whoever holds the claim, or to the one
 * thread that posts to a lock-free queue. {@code freed} belongs to the thread that polls; posts read it with acquire. The
 * window is guarded by the claim, in a lock-free queue too: progress works on it.
 */
final class ShmSendQueue implements ProviderSendQueue, RecordOwner {
    private static final VarHandle FREED;

    static {
        try {
            FREED = MethodHandles.lookup().findVarHandle(ShmSendQueue.class, "freed", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ShmContext context;
    private final int id;
    private final JfsConfig config;
    private final ShmJfc jfc;
    private final @Nullable ShmReceiveQueue receives;
    private final boolean locked;
    private final int depth;
    private final long timeoutNanos;
    private final boolean sendsAtOnce; // short messages, if nothing is in their way
    private final int ownerIndex;
    private final int recordFlags;
    private final long recordBase;
    private final @Nullable OwnedRing owned; // when neither queue nor JFC are locked
    private final Claim claim; // the JFC's: a post that makes a record takes one claim for both
    private final SendWindow window;
    private final WindowRecords records;
    private final QueueMoves moves;
    private final RcBond bond;

    private @Nullable Inbound receiving; // when its receive records go to a JFC of its own; set before anybody knows it

    private volatile QueueState state;
    private volatile boolean closed;
    private int gate; // why a post may not simply run: see the bits below

    // bits of the gate; 0 lets one-sided operations through
    private static final int NOT_READY = 1;
    private static final int DEFERRED = 2;
    private static final int CLOSED = 4;
    private static final int BUSY = 8;
    private static final int DIVERTED = 16;

    /** A longer copy of a locked queue is made without the claim, which others need for their records. */
    private static final long LONG_COPY_BYTES = 1 << 16;

    private long posted;
    private long postLimit; // posted may grow to here before freed must be asked again
    private long signalAt; // the position of the next work request that makes a record whatever it asks for (S9.3)
    private long deferredEnd; // behind the last position that went through the window
    private long freed;
    private long postedBytes;

    ShmSendQueue(ShmContext context, int id, JfsConfig config, ShmJfc jfc, @Nullable ShmReceiveQueue receives) {
        this.context = context;
        this.id = id;
        this.config = config;
        this.jfc = jfc;
        this.receives = receives;
        this.locked = !(config.lockFree() && jfc.isLockFree());
        this.timeoutNanos = config.timeout().toNanos();
        this.depth = ShmJfc.ceilingPowerOfTwo(config.depth());
        this.sendsAtOnce = config.mode() != TransportMode.UM && config.errorScope() != ErrorScope.TARGET;
        this.recordFlags = receives == null ? 0 : CompletionRecord.JETTY;
        this.window = new SendWindow(this, depth, config);
        this.bond = new RcBond(context, this);
        this.claim = jfc.claim();
        this.moves = new QueueMoves(this, window, jfc);
        this.owned = locked ? null : jfc.owned();
        this.recordBase = CompletionRecord.header(0, 0, recordFlags, id);
        this.signalAt = config.signalEvery() == 0 ? Long.MAX_VALUE : config.signalEvery() - 1;
        this.postLimit = Math.min(depth, signalAt);
        enter(config.mode() == TransportMode.RC ? QueueState.RESET : QueueState.READY);
        this.ownerIndex = jfc.attach(this);
        this.records = new WindowRecords(context, this, jfc, ownerIndex);
    }

    // Opcode.value() as constants
    private static final int WRITE = 0x00;
    private static final int READ = 0x10;
    private static final int SEND_INVALIDATE = 0x42;

    static {
        assert WRITE == Opcode.WRITE.value() && READ == Opcode.READ.value();
        assert SEND_INVALIDATE == Opcode.SEND_INVALIDATE.value();
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
            if ((gate != 0 || posted >= postLimit) && !mayFinishHere()) {
                return defer(Opcode.WRITE, remote, targetOffset, local, sourceOffset, lengthBytes, userContext, flags);
            }
            long position = posted++;
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
            if ((gate != 0 || posted >= postLimit) && !mayFinishHere()) {
                return defer(
                        Opcode.READ, remote, sourceOffset, local, destinationOffset, lengthBytes, userContext, flags);
            }
            long position = posted++;
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
            if ((gate != 0 || posted >= postLimit) && !mayFinishHere()) {
                return deferAtomic(
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
            long position = posted++;
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
            claim.acquire();
        }
    }

    private void leave() {
        if (locked) {
            claim.release();
        }
    }

    /**
     * The gate is shut or the slots seem to be used up: looks closer. True when a one-sided operation may run in the
     * caller's thread after all: nothing that it must follow is unfinished, and a slot is free.
     */
    private boolean mayFinishHere() {
        claimWindow();
        try {
            long free = (long) FREED.getAcquire(this);
            postLimit = Math.min(free + depth, signalAt);
            if (free >= deferredEnd && !records.areElsewhere()) {
                gate &= ~DEFERRED;
            }
            return gate == 0 && posted < postLimit;
        } finally {
            releaseWindow();
        }
    }

    private boolean isFull() {
        return posted - Math.max((long) FREED.getAcquire(this), records.freedElsewhere()) >= depth;
    }

    /**
     * Lets go of the claim for a long copy. Until its end the queue is busy: posts go to the window and wait there, so that
     * nothing overtakes it. False when there is no claim to let go.
     */
    private boolean leaveForCopy() {
        if (!locked) {
            return false;
        }
        gate |= BUSY;
        claim.release();
        return true;
    }

    private void returnFromCopy() {
        claim.acquire();
        gate &= ~BUSY;
    }

    /** Whether a long copy is under way, which everything in the window must follow. */
    boolean isBusy() {
        return (gate & BUSY) != 0;
    }

    /** Makes the record of an operation that has just been executed. */
    private void complete(long position, int opcode, long lengthBytes, long userContext, int flags) {
        postedBytes += lengthBytes;
        if (gate != 0) {
            completeLate(position, opcode, lengthBytes, userContext, flags);
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
            keep(position, Opcode.of(opcode), CompletionStatus.SUCCESS, lengthBytes, userContext);
        }
    }

    /** Rare: something happened to the queue during the operation, most likely a long copy. */
    private void completeLate(long position, int opcode, long lengthBytes, long userContext, int flags) {
        claimWindow();
        try {
            boolean silent = closed || (flags & PostFlags.SIGNALLED_BIT) == 0;
            long provenance = ShmJfc.provenance(ownerIndex, position);
            if (!silent && !jfc.push(recordBase | opcode << 8, userContext, lengthBytes, provenance)) {
                keepClaimed(position, Opcode.of(opcode), CompletionStatus.SUCCESS, lengthBytes, userContext);
                window.fail();
            }
            window.advance(System.nanoTime()); // what was posted meanwhile
        } finally {
            releaseWindow();
        }
    }

    /** Rare: a memory went away. The operation fails, and the queue goes to ERROR. */
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
        CompletionStatus status = OneSided.statusOf(failure, remote, local);
        if (closed) {
            return true;
        }
        claimWindow();
        try {
            CompletionStatus told = window.outage().statusOf(remote, status);
            keepClaimed(position, opcode, told, lengthBytes, userContext);
            window.outage().failed(remote);
            window.report();
        } finally {
            releaseWindow();
        }
        return true;
    }

    /** Rare: the record of an operation found no place. The window keeps it, in ERROR. */
    private void keep(long position, Opcode opcode, CompletionStatus status, long lengthBytes, long userContext) {
        claimWindow();
        try {
            keepClaimed(position, opcode, status, lengthBytes, userContext);
            window.fail();
            window.report();
        } finally {
            releaseWindow();
        }
    }

    private void keepClaimed(
            long position, Opcode opcode, CompletionStatus status, long lengthBytes, long userContext) {
        Wqe entry = window.entry(position);
        entry.fill(opcode, null, 0, lengthBytes, userContext, PostFlags.SIGNALLED_BIT);
        entry.sgeCount = 0;
        window.keep(position, entry, status);
        defersTo(posted);
    }

    /** One-sided operations no longer run within their posts, since some of their targets must be refused. */
    void divert() {
        gate |= DIVERTED;
    }

    private void defersTo(long end) {
        deferredEnd = end;
        gate |= DEFERRED;
    }

    // ---- posts that go through the window

    private boolean defer(
            Opcode opcode,
            ShmImport remote,
            long remoteOffset,
            ShmSegment local,
            long localOffset,
            long lengthBytes,
            long userContext,
            int flags) {
        return deferAtomic(opcode, remote, remoteOffset, local, localOffset, lengthBytes, 0, 0, userContext, flags);
    }

    private boolean deferAtomic(
            Opcode opcode,
            ShmImport remote,
            long remoteOffset,
            ShmSegment local,
            long localOffset,
            long lengthBytes,
            long operand,
            long expected,
            long userContext,
            int flags) {
        claimWindow();
        try {
            if (!mayDefer()) {
                return false;
            }
            Wqe entry = window.entry(posted);
            entry.fill(opcode, local, localOffset, lengthBytes, userContext, flags);
            entry.remote = remote;
            entry.remoteOffset = remoteOffset;
            entry.operand = operand;
            entry.expected = expected;
            accept(entry, null);
            return true;
        } finally {
            releaseWindow();
        }
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
        claim.acquire();
        try {
            if (lengthBytes <= RingLayout.SLOT_PAYLOAD_BYTES
                    && immediate == 0
                    && (gate & ~DEFERRED) == 0
                    && posted < postLimit
                    && sendsAtOnce
                    && sendNow(
                            opcode, target, (ShmSegment) source, sourceOffset, (int) lengthBytes, userContext, flags)) {
                return true;
            }
            if (!mayDefer()) {
                return false;
            }
            Wqe entry = window.entry(posted);
            entry.fill(Opcode.of(opcode), (ShmSegment) source, sourceOffset, lengthBytes, userContext, flags);
            entry.immediate = immediate;
            accept(entry, whom(target));
            return true;
        } finally {
            claim.release();
        }
    }

    /** A short message that follows nothing goes into the ring at once. False when it cannot: nothing has happened then. */
    private boolean sendNow(
            int opcode,
            @Nullable ProviderTarget target,
            ShmSegment source,
            long sourceOffset,
            int lengthBytes,
            long userContext,
            int flags) {
        ShmTarget to = target == null ? bond.target() : (ShmTarget) target;
        long position = posted;
        if (to == null || to.path.isDead() || opcode == SEND_INVALIDATE) {
            return false;
        }
        Lane lane = window.laneTo(to);
        if (!window.mayStartAtOnce(lane, position)) {
            return false;
        }
        try {
            if (!to.path.sendShort(this, position, opcode, flags, lane, source, sourceOffset, lengthBytes)) {
                return false;
            }
        } catch (RuntimeException e) {
            return false; // a memory has gone: who comes after us finds out which, and says so
        }
        window.entry(position).fillSent(Opcode.of(opcode), lane, source, sourceOffset, lengthBytes, userContext, flags);
        window.addSent(position);
        posted = position + 1;
        postedBytes += lengthBytes;
        defersTo(posted);
        return true;
    }

    @Override
    public boolean post(WorkRequest request) {
        if (request.jfc != null && request.jfc != jfc) {
            records.use((ShmJfc) request.jfc, posted);
        }
        claim.acquire();
        try {
            if (!mayDefer()) {
                return false;
            }
            Wqe entry = window.entry(posted);
            entry.fill(request);
            entry.recordJfc = request.jfc == jfc ? null : (ShmJfc) request.jfc;
            boolean message = entry.opcode.kind() == Opcode.Kind.MESSAGE;
            accept(entry, message ? whom(request.target) : null);
            return true;
        } finally {
            claim.release();
        }
    }

    /** The claim on the window: a locked queue has it already. */
    private void claimWindow() {
        if (!locked) {
            claim.acquire();
        }
    }

    private void releaseWindow() {
        if (!locked) {
            claim.release();
        }
    }

    /** Whether there is a slot; throws when the state refuses posts (S6.4). */
    private boolean mayDefer() {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is closed");
        }
        if (state == QueueState.RESET) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, this, "is in RESET and takes no work requests; bind makes it READY");
        }
        return !isFull() && window.hasRoom(posted);
    }

    private ShmTarget whom(@Nullable ProviderTarget target) {
        ShmTarget known = target == null ? bond.target() : (ShmTarget) target;
        if (known == null) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is not bound, nobody could receive");
        }
        return known;
    }

    private void accept(Wqe entry, @Nullable ShmTarget target) {
        if (posted >= signalAt) {
            entry.flags |= PostFlags.SIGNALLED_BIT;
            signalAt = posted + config.signalEvery();
        }
        window.add(posted, entry, target);
        posted++;
        postedBytes += entry.lengthBytes;
        postLimit = Math.min((long) FREED.getAcquire(this) + depth, signalAt);
        defersTo(posted);
        window.advance(timeIfNeeded());
    }

    /** Only a flow that repeats asks for the time; reading the clock costs as much as a post. */
    private long timeIfNeeded() {
        return window.mayRepeat() ? System.nanoTime() : 0;
    }

    // ---- progress, from any thread

    /** A slot in the ring that carried (a part of) the message at {@code position} was answered. */
    void answered(long position, int answer, int argument) {
        claim.acquire();
        try {
            window.answered(position, answer, argument);
            window.advance(timeIfNeeded());
        } finally {
            claim.release();
        }
    }

    /** Starts what waits, when it can. */
    void advance(long nowNanos, boolean insist) {
        if (!window.isWatched()) {
            return;
        }
        if (insist) {
            claim.acquire();
        } else if (!claim.tryAcquire()) {
            return; // whoever polls comes again
        }
        try {
            window.advance(nowNanos);
        } finally {
            claim.release();
        }
    }

    /** Fails what has waited too long for its peer; returns when to look again. */
    long expire(long nowNanos, long pausedNanos) {
        if (window.isEmpty()) {
            return Long.MAX_VALUE; // read without the claim: what is added just now is seen to the next time
        }
        claim.acquire();
        try {
            window.expire(nowNanos, pausedNanos, timeoutNanos);
            return window.nextRetryNanos();
        } finally {
            claim.release();
        }
    }

    void peerLost(Peer peer) {
        claim.acquire();
        try {
            window.peerLost(peer);
        } finally {
            claim.release();
        }
    }

    @Override
    public void recordTaken(int position) {
        long before = freed;
        long full = before + (position - (int) before);
        if (full >= before) {
            FREED.setRelease(this, full + 1);
        }
    }

    @Override
    public void jfcFailed() {
        window.fail();
    }

    /** All slots are free. Nobody polls meanwhile. */
    void allRecordsGone() {
        FREED.setRelease(this, posted);
    }

    ShmJfc jfc() {
        return jfc;
    }

    WindowRecords records() {
        return records;
    }

    /** The position of the next work request. */
    long posted() {
        return posted;
    }

    /** Behind the youngest work request whose record was polled. */
    long freed() {
        return (long) FREED.getAcquire(this);
    }

    boolean isClosed() {
        return closed;
    }

    long header(CompletionStatus status, Opcode opcode) {
        return CompletionRecord.header(status.value(), opcode.value(), recordFlags, id);
    }

    // ---- state

    /** Under the claim. */
    void enter(QueueState next) {
        gate = next == QueueState.READY ? gate & ~NOT_READY : gate | NOT_READY;
        state = next;
    }

    void enterError() {
        if (state != QueueState.ERROR) {
            enter(QueueState.ERROR);
            context.raise(
                    receives == null ? AsyncEvent.Type.JFS_ERR : AsyncEvent.Type.JETTY_ERR,
                    toString(),
                    "a work request failed, or ERROR was asked for");
            context.memberFailed(this);
        }
    }

    /** Has the records of what it receives go to that JFC, and not to its JFR's. */
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
        return state;
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
        if (!window.isEmpty()) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "has work requests of its last connection; flush first");
        }
        return bond.bind((ShmTarget) target, timeout).thenRun(() -> enterClaimed(QueueState.READY));
    }

    @Override
    public CompletableFuture<Void> unbind(Duration timeout) {
        if (state != QueueState.ERROR) {
            modify(QueueState.ERROR);
        }
        CompletableFuture<Void> ended = bond.unbind(timeout);
        enterClaimed(QueueState.RESET);
        return ended;
    }

    private void enterClaimed(QueueState next) {
        claim.acquire();
        enter(next);
        claim.release();
    }

    @Override
    public boolean isBound() {
        return bond.target() != null;
    }

    boolean isDatagram() {
        return config.mode() == TransportMode.UM;
    }

    boolean isRc() {
        return config.mode() == TransportMode.RC;
    }

    RcBond bond() {
        return bond;
    }

    /** Whether a message of that queue may be delivered here (S5.8). */
    boolean admits(Peer peer, int sourceId) {
        return !isRc() || bond.admits(peer, sourceId);
    }

    // ---- the rest

    @Override
    public int id() {
        return id;
    }

    @Override
    public int depth() {
        return depth;
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
        return Counters.builder()
                .add("posted", posted)
                .add("postedBytes", postedBytes)
                .add("unpolled", posted - (long) FREED.getAcquire(this))
                .add("notReady", window.rnr())
                .add("failed", window.outage().failures())
                .add("dropped", window.dropped())
                .build();
    }

    /** What waits in it, for a person who looks in. */
    List<Resource> describeWaits() {
        if (window.isEmpty()) { // no claim for those where nothing waits; a look that comes too early does no harm
            return List.of();
        }
        Waits waits = new Waits(id, state);
        claim.acquire();
        try {
            window.show(waits);
        } finally {
            claim.release();
        }
        return waits.lines();
    }

    @Override
    public void close() {
        claim.acquire();
        try {
            if (closed) {
                return;
            }
            closed = true;
            gate |= CLOSED;
            window.clear();
        } finally {
            claim.release();
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
