package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.ErrorScope;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.spi.BlockTransfer;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.Placement;
import io.urma4j.spi.support.SendOrder;
import io.urma4j.spi.support.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * The posts of a send queue that go through its {@link SendWindow}: messages, requests that must follow one, and one-sided
 * operations that do not end as a success with a record.
 *
 * <p>A lock guards the window, in a lock-free queue too: progress works on it.
 */
final class DeferredPosts {
    private static final int SEND_INVALIDATE = 0x42; // Opcode.value() as a constant

    static {
        assert SEND_INVALIDATE == Opcode.SEND_INVALIDATE.value();
    }

    private final Object queue; // for messages
    private final SendSlots slots;
    private final SendWindow window;
    private final SendOrder<Wqe, PeerLanes> order;
    private final OrderWindow<Wqe, PeerLanes> entries;
    private final WindowRecords records;
    private final Flows flows;
    private final FailedTargets failedTargets;
    private final RcBinding binding;
    private final JfcRecords jfc;
    private final SpinLock lock; // the JFC's
    private final boolean locked;
    private final boolean sendsAtOnce; // short messages, if nothing is in their way

    DeferredPosts(
            Object queue,
            SendSlots slots,
            SendWindow window,
            RcBinding binding,
            JfsConfig config,
            JfcRecords jfc,
            boolean locked) {
        this.queue = queue;
        this.slots = slots;
        this.window = window;
        this.order = window.order();
        this.entries = order.window();
        this.records = window.records();
        this.flows = window.flows();
        this.failedTargets = window.failedTargets();
        this.binding = binding;
        this.jfc = jfc;
        this.lock = jfc.lock();
        this.locked = locked;
        this.sendsAtOnce = config.mode() != TransportMode.UM && config.errorScope() != ErrorScope.TARGET;
    }

    /** A one-sided operation that may not run yet; operands are those of an atomic. */
    boolean defer(
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
            Wqe entry = entries.entry(slots.posted());
            entry.fill(opcode, local, localOffset, lengthBytes, userContext, flags);
            entry.reach(remote, remoteOffset, operand, expected);
            accept(entry, null);
            return true;
        } finally {
            releaseWindow();
        }
    }

    /** The same with its local range in device memory. Takes the lock, and blocks while the copy engine works. */
    boolean copy(
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
        lock.acquire();
        boolean isMine;
        try {
            if (!mayDefer()) {
                return false;
            }
            Wqe entry = entries.entry(slots.posted());
            entry.fill(opcode, local, localOffset, lengthBytes, userContext, flags);
            entry.reach(remote, remoteOffset, operand, expected);
            isMine = accept(entry, null);
        } finally {
            lock.release();
        }
        copyIf(isMine);
        return true;
    }

    boolean send(
            int opcode,
            @Nullable ProviderTarget target,
            ShmSegment source,
            long sourceOffset,
            long lengthBytes,
            long immediate,
            long userContext,
            int flags) {
        lock.acquire();
        boolean isMine;
        try {
            if (lengthBytes <= RingLayout.SLOT_PAYLOAD_BYTES
                    && source.device() == null
                    && immediate == 0
                    && sendsAtOnce
                    && slots.areOpenForMessage()
                    && sendNow(opcode, target, source, sourceOffset, (int) lengthBytes, userContext, flags)) {
                return true;
            }
            if (!mayDefer()) {
                return false;
            }
            Wqe entry = entries.entry(slots.posted());
            entry.fill(Opcode.of(opcode), source, sourceOffset, lengthBytes, userContext, flags);
            entry.immediate = immediate;
            isMine = accept(entry, receiver(target));
        } finally {
            lock.release();
        }
        copyIf(isMine);
        return true;
    }

    /**
     * A short message that follows no other request is written to the ring at once. False if it cannot; then nothing has
     * happened.
     */
    private boolean sendNow(
            int opcode,
            @Nullable ProviderTarget target,
            ShmSegment source,
            long sourceOffset,
            int lengthBytes,
            long userContext,
            int flags) {
        ShmTarget to = target == null ? binding.target() : (ShmTarget) target;
        long position = slots.posted();
        if (to == null || to.path.isDead() || opcode == SEND_INVALIDATE) {
            return false;
        }
        TargetUse use = flows.to(to);
        if (!window.mayStartAtOnce(use.lane, position)) {
            return false;
        }
        try {
            if (!to.path.sendShort(window, position, opcode, flags, use.lane, source, sourceOffset, lengthBytes)) {
                return false;
            }
        } catch (RuntimeException e) {
            Placement.forgetFence(e);
            return false; // a memory was closed: the general path finds out which, and reports it
        }
        entries.entry(position).fillSent(Opcode.of(opcode), use, source, sourceOffset, lengthBytes, userContext, flags);
        order.addStarted(position);
        slots.takeDeferred(lengthBytes);
        return true;
    }

    boolean post(WorkRequest request) {
        JfcRecords other = request.jfc == null ? jfc : ((ShmJfc) request.jfc).records();
        if (other != jfc) {
            records.use(other, slots.posted());
        }
        lock.acquire();
        boolean isMine;
        try {
            if (!mayDefer()) {
                return false;
            }
            boolean isMessage = Opcode.of(request.opcode).kind() == Opcode.Kind.MESSAGE;
            ShmTarget to = isMessage ? receiver(request.target) : null; // before the entry is touched: it refuses some
            Wqe entry = entries.entry(slots.posted());
            entry.fill(request);
            entry.recordJfc = other == jfc ? null : other;
            isMine = accept(entry, to);
        } finally {
            lock.release();
        }
        copyIf(isMine);
        if (request.after != null) {
            window.startAfter(request.after);
        }
        return true;
    }

    /** A transfer of many blocks. Blocks if some lie in device memory, or if they are many; without the lock then. */
    boolean post(BlockTransfer transfer) {
        lock.acquire();
        boolean isMine;
        try {
            if (!mayDefer()) {
                return false;
            }
            ShmTarget to = transfer.isMessageLast ? receiver(transfer.target) : null;
            Wqe entry = entries.entry(slots.posted());
            entry.fill(transfer);
            isMine = accept(entry, to);
        } finally {
            lock.release();
        }
        copyIf(isMine);
        return true;
    }

    /** What {@link #accept} has left to the thread that posted, which holds no lock. */
    private void copyIf(boolean isMine) {
        if (isMine) {
            window.copy().run();
        }
    }

    /** The lock on the window: a locked queue has it already. */
    void claimWindow() {
        if (!locked) {
            lock.acquire();
        }
    }

    /**
     * The same before a long copy, if the gate is still open; else false, without the lock. A lock-free queue has looked at
     * its gate without the lock, and another thread may have closed or unbound it since (S9.4).
     */
    boolean claimOpen() {
        claimWindow();
        if (slots.areOpen()) {
            return true;
        }
        releaseWindow();
        return false;
    }

    void releaseWindow() {
        if (!locked) {
            lock.release();
        }
    }

    /** Whether there is a slot; throws if the state refuses posts (S6.4). */
    private boolean mayDefer() {
        if (slots.areShut(SendSlots.CLOSED)) {
            throw new UrmaException(UrmaStatus.EINVAL, queue, "is closed");
        }
        if (window.state() == QueueState.RESET) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, queue, "is in RESET and takes no work requests; bind makes it READY");
        }
        long free = Math.max(slots.freed(), records.freedElsewhere());
        return slots.posted() - free < slots.depth() && entries.hasRoom(slots.posted());
    }

    private ShmTarget receiver(@Nullable ProviderTarget target) {
        ShmTarget known = target == null ? binding.target() : (ShmTarget) target;
        if (known == null) {
            throw new UrmaException(UrmaStatus.EINVAL, queue, "is not bound, so it has no receiver");
        }
        return known;
    }

    /** Returns whether this thread must make a copy once it has released the lock. */
    private boolean accept(Wqe entry, @Nullable ShmTarget target) {
        if (slots.isSignalDue()) {
            entry.flags |= PostFlags.SIGNALLED_BIT;
        }
        window.add(slots.posted(), entry, target);
        slots.takeDeferred(entry.lengthBytes);
        slots.lookForFree();
        if (entry.mayTakeLong()) {
            return window.copy().advanceInPost();
        }
        window.advance();
        return false;
    }

    // ---- one-sided operations whose end is not a success with a record

    /** Rare: the queue's state changed during the operation, most likely a long copy. */
    void completeLate(long position, int opcode, long lengthBytes, long userContext, int flags) {
        claimWindow();
        try {
            boolean silent = slots.areShut(SendSlots.CLOSED) || (flags & PostFlags.SIGNALLED_BIT) == 0;
            if (!silent && !records.pushSuccess(position, Opcode.of(opcode), lengthBytes, userContext)) {
                keepClaimed(position, Opcode.of(opcode), CompletionStatus.SUCCESS, lengthBytes, userContext);
                order.failures().fail();
            }
            window.advance(System.nanoTime()); // what was posted meanwhile
        } finally {
            releaseWindow();
        }
    }

    /** Rare: a memory was closed. The operation fails, and the queue goes to ERROR. */
    boolean failed(
            RuntimeException failure,
            long position,
            Opcode opcode,
            ShmImport remote,
            long lengthBytes,
            long userContext) {
        CompletionStatus status = OneSided.statusOf(failure, remote);
        claimWindow();
        try {
            if (!slots.areShut(SendSlots.CLOSED)) {
                fail(position, opcode, remote, status, lengthBytes, userContext);
                window.report();
            }
        } finally {
            releaseWindow();
        }
        return true;
    }

    private void fail(
            long position,
            Opcode opcode,
            ShmImport remote,
            CompletionStatus status,
            long lengthBytes,
            long userContext) {
        if (!order.failures().isByTarget()) {
            keepClaimed(position, opcode, status, lengthBytes, userContext);
            order.failures().failQueue(status.value());
            return;
        }
        boolean isNew = !failedTargets.contains(remote);
        CompletionStatus told = isNew ? status : CompletionStatus.WR_FLUSH_ERR;
        keepClaimed(position, opcode, told, lengthBytes, userContext);
        if (isNew) {
            failedTargets.add(remote);
            order.failures().failTarget();
        }
    }

    /** Rare: the record of an operation found no space. The window keeps it, in ERROR. */
    void keep(long position, Opcode opcode, CompletionStatus status, long lengthBytes, long userContext) {
        claimWindow();
        try {
            keepClaimed(position, opcode, status, lengthBytes, userContext);
            order.failures().fail();
            window.report();
        } finally {
            releaseWindow();
        }
    }

    private void keepClaimed(
            long position, Opcode opcode, CompletionStatus status, long lengthBytes, long userContext) {
        Wqe entry = entries.entry(position);
        entry.fillExecuted(opcode, lengthBytes, userContext);
        order.addEnded(position, entry, status.value());
        slots.defer();
    }
}
