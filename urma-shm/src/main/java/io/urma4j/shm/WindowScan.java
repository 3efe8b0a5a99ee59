package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.Opcode;
import io.urma4j.QueueState;

/**
 * Starts what waits in a {@link SendWindow}: from the oldest to the youngest, whatever has nothing before it in its way.
 * Guarded by the queue's lock.
 */
final class WindowScan {
    private final SendWindow window;
    private final ShmSendQueue queue;

    private long firstWaiting; // nothing before it waits
    private long scans;

    WindowScan(SendWindow window, ShmSendQueue queue) {
        this.window = window;
        this.queue = queue;
    }

    /** Nothing before {@code position} waits. */
    void startAt(long position) {
        firstWaiting = position;
    }

    /** The entry of {@code position} waits again. */
    void waitsAgain(long position) {
        firstWaiting = Math.min(firstWaiting, position);
    }

    /** Starts what can be started; the queue is READY. */
    void run(long nowNanos) {
        scans++;
        boolean anyBlocked = false;
        long end = window.end();
        long first = Math.max(firstWaiting, window.head()); // the slots of older ones have younger ones in them by now
        for (long position = first; position < end && window.hasWaiting(); position++) {
            Wqe entry = window.at(position);
            if (entry.stage != Wqe.Stage.WAITING) {
                continue;
            }
            if (!tryStart(position, entry, nowNanos)) {
                if (queue.state() != QueueState.READY) {
                    return; // it failed, and the queue with it
                }
                if (!anyBlocked) {
                    firstWaiting = position;
                    anyBlocked = true;
                }
            }
        }
        if (!anyBlocked) {
            firstWaiting = end;
        }
    }

    private boolean tryStart(long position, Wqe entry, long nowNanos) {
        if (entry.opcode == Opcode.NOP) {
            return tryNop(position, entry);
        }
        if (entry.lane == null) {
            return tryOneSided(entry);
        }
        return queue.isDatagram()
                ? tryDatagram(position, entry, entry.lane)
                : tryMessage(position, entry, entry.lane, nowNanos);
    }

    private boolean tryNop(long position, Wqe entry) {
        window.report();
        if (position != window.head()) {
            return false; // a NOP completes after everything before it
        }
        window.finish(entry, CompletionStatus.SUCCESS);
        return true;
    }

    private boolean tryOneSided(Wqe entry) {
        PeerLanes peer = peerOf(entry);
        if (peer.sent > 0 || peer.laneBlockedInScan == scans || peer.oneSidedBlockedInScan == scans) {
            peer.oneSidedBlockedInScan = scans;
            return false;
        }
        CompletionStatus status = OneSided.execute(entry);
        window.finish(entry, status);
        return status == CompletionStatus.SUCCESS;
    }

    /** A datagram follows nothing, and is over when it is in the ring, or its peer gone (S8.1). */
    private boolean tryDatagram(long position, Wqe entry, Lane lane) {
        MessagePath path = lane.target.path;
        try {
            if (!path.isDead() && !path.send(queue, position, entry, lane)) {
                return false; // a full ring is the one thing that it waits for
            }
        } catch (RuntimeException e) {
            if (!path.isDead()) {
                window.finish(entry, OneSided.statusOf(e, entry));
                return false;
            }
        }
        if (path.isDead()) {
            window.drop(entry, Drop.PEER_GONE);
        } else {
            window.finish(entry, CompletionStatus.SUCCESS);
        }
        return true;
    }

    private boolean tryMessage(long position, Wqe entry, Lane lane, long nowNanos) {
        PeerLanes peer = lane.peer;
        boolean begins = entry.sentBytes == 0; // what does not fit into the ring at once goes on, probing or not
        if (lane.blockedInScan == scans
                || peer.oneSidedBlockedInScan == scans
                || (lane.probing && begins && (lane.sent > 0 || nowNanos - lane.retryAtNanos < 0))) {
            return blocked(lane);
        }
        if (entry.opcode == Opcode.WRITE_IMM && !entry.placed && !tryPlace(entry, peer)) {
            return !entry.isSettled() && blocked(lane);
        }
        return trySend(position, entry, lane);
    }

    private boolean blocked(Lane lane) {
        lane.blockedInScan = scans;
        lane.peer.laneBlockedInScan = scans;
        return false;
    }

    /** The bytes of a WRITE_IMM follow all earlier messages to that peer, as those of a WRITE do. */
    private boolean tryPlace(Wqe entry, PeerLanes peer) {
        if (peer.sent > 0 || peer.laneBlockedInScan == scans) {
            return false;
        }
        CompletionStatus status = OneSided.execute(entry);
        if (status != CompletionStatus.SUCCESS) {
            window.finish(entry, status);
            return false;
        }
        entry.placed = true;
        return true;
    }

    private boolean trySend(long position, Wqe entry, Lane lane) {
        MessagePath path = lane.target.path;
        if (path.isDead()) {
            window.finish(entry, CompletionStatus.ACK_TIMEOUT_ERR);
            return false;
        }
        boolean all;
        try {
            all = path.send(queue, position, entry, lane);
        } catch (RuntimeException e) {
            // the peer went away, or local memory
            window.finish(entry, path.isDead() ? CompletionStatus.ACK_TIMEOUT_ERR : OneSided.statusOf(e, entry));
            return false;
        }
        if (entry.slotsInFlight > 0) {
            entry.enterFlow(lane);
        }
        if (!all) {
            return blocked(lane);
        }
        window.sent(entry);
        return true;
    }

    private static PeerLanes peerOf(Wqe entry) {
        PeerLanes peer = entry.peer;
        assert peer != null : "a one-sided operation has a peer";
        return peer;
    }
}
