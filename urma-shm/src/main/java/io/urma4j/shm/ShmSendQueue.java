package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.shm.control.ControlPlane;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.shm.ring.OwnedRing;
import io.urma4j.spi.BlockTransfer;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.Placement;
import io.urma4j.spi.support.SpinLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A send queue. The thread that posts a read, a write or an atomic executes it, writes its record, and returns, without
 * another thread. A request that cannot be finished so, because it is a message or must follow one, goes to the {@link
 * SendWindow} through {@link DeferredPosts}. {@link SendSlots} decides between the two, {@link QueueMoves} changes states.
 */
final class ShmSendQueue implements ProviderSendQueue {
    private final LocalContext context;
    private final int id;
    private final JfsConfig config;
    private final JfcRecords jfc;
    private final @Nullable ShmReceiveQueue receives;
    private final boolean locked;
    private final int ownerIndex;
    private final long recordBase;
    private final @Nullable OwnedRing owned; // when neither queue nor JFC are locked
    private final SpinLock lock; // the JFC's: a post that makes a record takes one lock for both
    private final SendSlots slots;
    private final SendWindow window;
    private final DeferredPosts deferred;
    private final QueueMoves moves;
    private final RcBinding binding;
    private final Consumer<ShmSendQueue> onClose;

    /**
     * @param receives where messages to this Jetty find their buffers; null for a JFS
     * @param onClose called at its end, when it has no more records
     */
    ShmSendQueue(
            LocalContext context,
            ControlPlane control,
            Demand demand,
            Receivers receivers,
            int id,
            JfsConfig config,
            JfcRecords jfc,
            @Nullable ShmReceiveQueue receives,
            Consumer<ShmSendQueue> onClose) {
        this.context = context;
        this.id = id;
        this.config = config;
        this.jfc = jfc;
        this.receives = receives;
        this.onClose = onClose;
        this.locked = !(config.lockFree() && jfc.isLockFree());
        this.lock = jfc.lock();
        this.owned = locked ? null : jfc.owned();
        this.slots = new SendSlots(JfcRecords.ceilingPowerOfTwo(config.depth()), config.signalEvery());
        this.binding = new RcBinding(control, id, config.orderType().effective(config.mode()));
        SendEvents events = new SendEvents(context, this, receives != null, () -> receivers.failed(this, id));
        this.window = new SendWindow(id, config, jfc, slots, demand, events);
        this.ownerIndex = window.records().ownerIndex();
        this.recordBase = window.records().header(0, Opcode.WRITE); // whose number is 0
        this.moves = new QueueMoves(this, config, slots, window, binding, jfc);
        this.deferred = new DeferredPosts(this, slots, window, binding, config, jfc, locked);
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
        if (!RangeCopies.areByCpu(local, remote)) {
            return deferred.copy(
                    Opcode.WRITE, remote, targetOffset, local, sourceOffset, lengthBytes, 0, 0, userContext, flags);
        }
        enter();
        try {
            boolean isLong = lengthBytes > SendSlots.LONG_COPY_BYTES;
            if ((!slots.areOpen() && !mayFinishHere()) || (isLong && !deferred.claimOpen())) {
                return deferred.defer(
                        Opcode.WRITE, remote, targetOffset, local, sourceOffset, lengthBytes, 0, 0, userContext, flags);
            }
            long position = slots.take(lengthBytes);
            try {
                if (isLong) {
                    leaveForCopy();
                }
                Placement.write(local.memory, sourceOffset, remote.memory, targetOffset, lengthBytes);
                if (isLong) {
                    returnFromCopy();
                }
            } catch (RuntimeException e) {
                return failed(e, position, Opcode.WRITE, remote, lengthBytes, userContext);
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
        if (!RangeCopies.areByCpu(local, remote)) {
            return deferred.copy(
                    Opcode.READ, remote, sourceOffset, local, destinationOffset, lengthBytes, 0, 0, userContext, flags);
        }
        enter();
        try {
            boolean isLong = lengthBytes > SendSlots.LONG_COPY_BYTES;
            if ((!slots.areOpen() && !mayFinishHere()) || (isLong && !deferred.claimOpen())) {
                return deferred.defer(
                        Opcode.READ,
                        remote,
                        sourceOffset,
                        local,
                        destinationOffset,
                        lengthBytes,
                        0,
                        0,
                        userContext,
                        flags);
            }
            long position = slots.take(lengthBytes);
            try {
                if (isLong) {
                    leaveForCopy();
                }
                Placement.read(remote.memory, sourceOffset, local.memory, destinationOffset, lengthBytes);
                if (isLong) {
                    returnFromCopy();
                }
            } catch (RuntimeException e) {
                return failed(e, position, Opcode.READ, remote, lengthBytes, userContext);
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
        if (!RangeCopies.areByCpu(local, remote)) {
            return deferred.copy(
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
        enter();
        try {
            if (!slots.areOpen() && !mayFinishHere()) {
                return deferred.defer(
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
                return failed(e, position, Opcode.of(opcode), remote, sizeBytes, userContext);
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
            return slots.openAfterPolls(!window.records().areElsewhere());
        } finally {
            deferred.releaseWindow();
        }
    }

    /**
     * Releases the lock for a long copy. Until its end the queue is busy: posts go to the window and wait there, so that
     * none overtakes it, and a close waits.
     */
    private void leaveForCopy() {
        slots.shut(SendSlots.BUSY);
        lock.release();
    }

    private void returnFromCopy() {
        lock.acquire();
        slots.open(SendSlots.BUSY);
        deferred.releaseWindow();
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
        long provenance = JfcRecords.provenance(ownerIndex, position);
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
            long lengthBytes,
            long userContext) {
        if (slots.areShut(SendSlots.BUSY)) {
            returnFromCopy();
        }
        return deferred.failed(failure, position, opcode, remote, lengthBytes, userContext);
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

    @Override
    public boolean post(BlockTransfer transfer) {
        return deferred.post(transfer);
    }

    // ---- state

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

    /** Whose messages it takes if it is an RC Jetty. */
    RcBinding binding() {
        return binding;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int depth() {
        return slots.depth();
    }

    /** What starts later than it was posted. */
    SendWindow window() {
        return window;
    }

    /** Where messages to this Jetty go: their buffers are in {@code mine}, their records are those of an owner in a JFC. */
    Inbound inbound(ShmReceiveQueue mine, JfcRecords receiveJfc, int receiveIndex) {
        RcBinding only = config.mode() == TransportMode.RC ? binding : null;
        return new Inbound(id, mine, window.order().life(), only, receiveJfc, receiveIndex);
    }

    @Override
    public JettyDescriptor descriptor() {
        TokenPolicy policy =
                receives == null ? TokenPolicy.NONE : receives.config().policy();
        return context.describe(id, JettyDescriptor.Kind.JETTY, config.mode(), config.orderType(), policy);
    }

    @Override
    public Counters counters() {
        lock.acquire();
        try {
            moves.checkOpen();
            Counters.Builder counters = Counters.builder()
                    .add("posted", slots.posted())
                    .add("postedBytes", slots.postedBytes())
                    .add("unpolled", slots.posted() - slots.freed())
                    .add("notReady", window.rnr())
                    .add("failed", window.order().failures().failures());
            return window.drops().addTo(counters, Drop.OF_SENDERS).build();
        } finally {
            lock.release();
        }
    }

    @Override
    public void close() {
        if (moves.close()) {
            window.records().close();
            onClose.accept(this);
        }
    }

    @Override
    public String toString() {
        return (receives == null ? "JFS " : "Jetty ") + context.uasid() + "/" + id;
    }
}
