package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.support.SendEntry;
import io.urma4j.spi.support.WorkKind;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import org.jspecify.annotations.Nullable;

/** How far a work request of a send queue is, and what the card has read of its element. */
final class SendSlot extends SendEntry<Flow, PeerFlow> implements CopyWaiter {
    /** In place of a status: no result waits for copies. */
    static final int NOT_HELD = -1;

    private static final int GONE = SendWqe.REMOTE_GONE | SendWqe.NOTIFY_GONE;

    private final SendQueue queue;

    /** Where its element lies in the ring. */
    long at;

    /** A local range lies on a device. */
    boolean isOnDevice;

    /** Its status, when copies into device memory have not ended that come first. */
    int heldStatus = NOT_HELD;

    private @Nullable PendingCopies pending;

    int opcode;
    int flags;

    /** Whether it is a transfer whose blocks have not moved yet; then the message, if it is one, follows. */
    boolean hasBlocks;

    private boolean awaitsEvent;

    private boolean isAfterFailure;

    /** The name of the key at which a transfer has failed; 0 for none. */
    long failedKey;

    /** Whether it was handed to a connection before; its receiver may not have been ready. */
    private boolean tried;

    SendSlot(SendQueue queue) {
        this.queue = queue;
    }

    /** Reads the element of a work request that was just posted. */
    void fill(NativeMemory ring, long at, long nowNanos) {
        this.at = at;
        int word = SendWqe.word(ring, at);
        opcode = SendWqe.opcode(word);
        flags = SendWqe.flags(word);
        isOnDevice = SendWqe.isOnDevice(word);
        kind = WorkKind.of(opcode);
        hasBlocks = SendWqe.hasBlocks(word);
        placesBytes = opcode == WorkOpcode.WRITE_IMM || hasBlocks; // a WRITE_IMM again with each retransmission
        followsEvent = SendWqe.isAfterEvent(word);
        awaitsEvent = followsEvent;
        isAfterFailure = false;
        failedKey = 0;
        hasPlaced = false;
        status = WorkStatus.SUCCESS;
        tried = false;
        sinceNanos = nowNanos;
        resetFlow();
    }

    /** The flow to its target; null when it has none. */
    void target(@Nullable Flow to) {
        flow = to;
        peer = to == null ? null : to.peer;
    }

    @Override
    protected boolean awaitsEvent() {
        return awaitsEvent;
    }

    @Override
    protected boolean isAfterFailure() {
        return isAfterFailure;
    }

    /** The event is done: it may start. */
    void eventEnded(boolean hasFailed) {
        awaitsEvent = false;
        isAfterFailure = hasFailed;
    }

    boolean isMessage() {
        return kind == WorkKind.MESSAGE;
    }

    boolean isRead() {
        return kind == WorkKind.READ;
    }

    void tried() {
        tried = true;
    }

    /** Whether the driver knows that the home has revoked what it names: then the home is not asked. */
    boolean isRefused() {
        return (flags & GONE) != 0; // of a message without bytes to place it is never set
    }

    boolean isFenced() {
        return (flags & WorkOpcode.FENCE) != 0;
    }

    @Override
    protected boolean isInFlight() {
        return stage == Stage.STARTED || stage == Stage.COPYING;
    }

    /** What was turned away was begun before what is in flight: its result comes before, too (S6.8). */
    @Override
    protected boolean hasBegun(boolean isYoungerInFlight) {
        return stage == Stage.STARTED || (isYoungerInFlight && tried);
    }

    @Override
    protected boolean isHalfSent() {
        return false;
    }

    /** What was started ends with its own result: its connection may still send it. */
    @Override
    protected boolean mayEndEarly() {
        return stage == Stage.WAITING;
    }

    @Override
    protected boolean isSilent() {
        return status == WorkStatus.SUCCESS && (flags & WorkOpcode.SIGNALLED) == 0;
    }

    /** What must hold between two calls. */
    boolean isSound() {
        return (stage != Stage.STARTED || peer != null) && (stage != Stage.FAILED || status != WorkStatus.SUCCESS);
    }

    /** Bytes that arrived before it was given up may still be moving into a device. */
    @Override
    protected boolean isQuiet() {
        return pending == null || pending.haveEnded();
    }

    @Override
    protected void release() {
        if (pending != null) {
            pending.clear();
        }
        if (isOnDevice) {
            queue.releaseSources(this);
        }
        target(null);
    }

    /** The copies that its result waits for. */
    PendingCopies pending(CopyPort copies) {
        if (pending == null) {
            pending = new PendingCopies(copies);
        }
        return pending;
    }

    @Override
    public void copyEnded() {
        if (pending != null) {
            pending.haveEnded();
        }
        queue.touch();
        PeerFlow to = peer;
        if (to != null && !isSettled()) {
            to.link.wake();
        }
    }
}
