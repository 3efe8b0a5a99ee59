package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.UrmaException;
import io.urma4j.spi.support.Placement;

/**
 * Starts the work requests of a {@link SendWindow}: a message goes into the ring, a one-sided operation is executed, and what has a
 * range in device memory goes to the copy engine first. Guarded by the queue's lock.
 */
final class SendStarts {
    private final SendWindow window;
    private final SendSlots slots;
    private final DeviceCopy<Wqe> copy;
    private final SilentPeers silentPeers;

    SendStarts(SendWindow window, SendSlots slots, DeviceCopy<Wqe> copy, SilentPeers silentPeers) {
        this.window = window;
        this.slots = slots;
        this.copy = copy;
        this.silentPeers = silentPeers;
    }

    /** Starts the entry or ends it; false when it still waits, or has failed. */
    boolean begin(long position, Wqe entry) {
        if (copy.isActive()) {
            return false;
        }
        if (entry.isAfterFailure()) {
            window.finish(entry, CompletionStatus.LOC_ACCESS_ERR);
            return false;
        }
        if (entry.needsCopyEngine()) {
            return beginCopy(position, entry);
        }
        TargetUse to = entry.to;
        if (to == null) {
            return execute(entry);
        }
        if (window.isDatagram()) {
            return sendDatagram(position, entry, to);
        }
        if (entry.placesBytes && !place(entry)) {
            return false;
        }
        return send(position, entry, to);
    }

    private boolean beginCopy(long position, Wqe entry) {
        if (slots.areShut(SendSlots.CLOSED)) {
            return false;
        }
        copy.begin(position, entry);
        return true;
    }

    /** Places the bytes of an entry whose ranges lie on a device, or stages the next of a message. Blocks, without a lock. */
    static CompletionStatus copy(Wqe copying) {
        if (copying.flow == null || copying.placesBytes) {
            return OneSided.execute(copying);
        }
        try {
            copying.stageNext();
            return CompletionStatus.SUCCESS;
        } catch (IllegalStateException | WrongThreadException | UrmaException e) {
            Placement.forgetFence(e);
            return CompletionStatus.LOC_ACCESS_ERR;
        }
    }

    private boolean execute(Wqe entry) {
        CompletionStatus status = OneSided.execute(entry);
        window.finish(entry, status);
        return status == CompletionStatus.SUCCESS;
    }

    /** A datagram follows nothing, and is over when it is in the ring, or its peer gone (S8.1). */
    private boolean sendDatagram(long position, Wqe entry, TargetUse to) {
        SendPath path = to.target.path;
        try {
            if (!path.isDead() && !path.send(window, position, entry, to.lane)) {
                return false; // a full ring is the one thing that it waits for
            }
        } catch (RuntimeException e) {
            Placement.forgetFence(e);
            if (!path.isDead()) {
                window.finish(entry, OneSided.statusOf(e, entry));
                return false;
            }
        }
        if (path.isDead()) {
            silentPeers.drop(entry, Drop.PEER_GONE);
        } else {
            window.finish(entry, CompletionStatus.SUCCESS);
        }
        return true;
    }

    private boolean place(Wqe entry) {
        CompletionStatus status = OneSided.execute(entry);
        if (status != CompletionStatus.SUCCESS) {
            window.finish(entry, status);
            return false;
        }
        entry.placed();
        return true;
    }

    private boolean send(long position, Wqe entry, TargetUse to) {
        SendPath path = to.target.path;
        if (path.isDead()) {
            window.finish(entry, CompletionStatus.ACK_TIMEOUT_ERR);
            return false;
        }
        boolean all;
        try {
            all = path.send(window, position, entry, to.lane);
        } catch (RuntimeException e) {
            Placement.forgetFence(e); // the peer went away, or local memory
            window.finish(entry, path.isDead() ? CompletionStatus.ACK_TIMEOUT_ERR : OneSided.statusOf(e, entry));
            return false;
        }
        if (all) {
            window.order().window().started(entry, 0);
            return true;
        }
        if (entry.slotsInFlight > 0) {
            entry.enterFlow(0);
        }
        return entry.needsCopyEngine() && beginCopy(position, entry); // what was staged is in the ring
    }
}
