package io.urma4j.udma.device;

import io.urma4j.udma.command.CardState;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.lang.foreign.MemorySegment;

/**
 * Starts what waits in a {@link SendQueue}: from the oldest to the youngest, whatever has nothing before it in its way.
 */
final class SendScan {
    /** So many are started in one turn; then the other queues have theirs. */
    private static final int TURN = 32;

    private final SendQueue queue;
    private final Board board;
    private final Slots slots;
    private final Flows flows;
    private final MemorySegment ring;

    private long firstWaiting; // nothing before it waits
    private long scans;

    SendScan(SendQueue queue, Board board, Slots slots, Flows flows) {
        this.queue = queue;
        this.board = board;
        this.slots = slots;
        this.flows = flows;
        this.ring = queue.config().ring();
    }

    /** The work request of {@code position} waits again. */
    void waitsAgain(long position) {
        firstWaiting = Math.min(firstWaiting, position);
    }

    /** Starts what can be started; the queue is READY. */
    void run(long nowNanos) {
        scans++;
        boolean anyBlocked = false;
        int started = 0;
        long end = queue.end();
        long position =
                Math.max(firstWaiting, queue.head()); // the slots of older ones have younger ones in them by now
        for (; position < end && queue.hasWaiting(); position++) {
            if (slots.stage(position) != Slots.WAITING) {
                continue;
            }
            if (started == TURN) {
                queue.touch();
                break;
            }
            if (tryStart(position, nowNanos)) {
                started++;
                continue;
            }
            if (queue.state() != CardState.READY) {
                break; // there was no place for a record
            }
            if (slots.stage(position) == Slots.FAILED) {
                queue.touch(); // what that does to the others comes before they start
                break;
            }
            if (!anyBlocked) {
                firstWaiting = position;
                anyBlocked = true;
            }
            if (blocksAll(position)) {
                break;
            }
        }
        if (!anyBlocked) {
            firstWaiting = position;
        }
    }

    /** Whether nothing behind a blocked work request can start either. */
    private boolean blocksAll(long position) {
        Flow flow = slots.flow(position);
        return queue.isRc()
                || queue.isDatagram()
                || (flow != null && flow.peer != null && flow.peer.fullInScan == scans && flows.haveOnePeer());
    }

    private boolean tryStart(long position, long nowNanos) {
        long at = queue.at(position);
        int opcode = SendWqe.opcode(ring, at);
        if (opcode == WorkOpcode.NOP) {
            return tryNop(position);
        }
        Flow flow = slots.flow(position);
        if (flow == null) {
            queue.fail(position, WorkStatus.LOC_OPERATION_ERR);
            return false;
        }
        PeerFlow peer = flow.peer;
        if (peer == null) {
            return tryDatagram(position, flow);
        }
        if (queue.isRc()) {
            return tryConnected(position, at, opcode, flow, peer, nowNanos);
        }
        return WorkOpcode.isMessage(opcode)
                ? tryMessage(position, at, opcode, flow, peer, nowNanos)
                : tryOneSided(position, at, opcode, flow, peer, nowNanos);
    }

    private boolean tryNop(long position) {
        queue.report();
        if (position != queue.head()) {
            return false; // a NOP completes after everything before it
        }
        queue.end(position, WorkStatus.SUCCESS);
        return true;
    }

    /** A datagram follows nothing, and is over when it has left (S8.1). */
    private boolean tryDatagram(long position, Flow flow) {
        int result = board.datagrams.send(queue, position, flow.target);
        if (result == Datagrams.NO_ROOM) {
            board.awaitPort(queue);
            return false;
        }
        if (result == Datagrams.LOCAL_ERROR) {
            queue.fail(position, WorkStatus.LOC_ACCESS_ERR);
            return false;
        }
        queue.end(position, WorkStatus.SUCCESS);
        return true;
    }

    /** A connection of its own keeps the order by itself. */
    private boolean tryConnected(long position, long at, int opcode, Flow flow, PeerFlow peer, long nowNanos) {
        if (isRefused(at)) {
            return peer.sent == 0 && refuse(position);
        }
        return !isFenced(at, opcode, peer) && start(position, flow, peer, nowNanos);
    }

    private boolean tryOneSided(long position, long at, int opcode, Flow flow, PeerFlow peer, long nowNanos) {
        if (peer.sentMessages > 0
                || peer.flowBlockedInScan == scans
                || peer.oneSidedBlockedInScan == scans
                || (isRefused(at) && peer.sent > 0)
                || isFenced(at, opcode, peer)) {
            peer.oneSidedBlockedInScan = scans;
            return false;
        }
        if (isRefused(at)) {
            return refuse(position);
        }
        if (!start(position, flow, peer, nowNanos)) {
            peer.oneSidedBlockedInScan = scans;
            return false;
        }
        return true;
    }

    private boolean tryMessage(long position, long at, int opcode, Flow flow, PeerFlow peer, long nowNanos) {
        boolean placesBytes =
                opcode == WorkOpcode.WRITE_IMM; // they follow all earlier messages to that peer, as a WRITE does
        if (flow.blockedInScan == scans
                || peer.oneSidedBlockedInScan == scans
                || (flow.probing && (flow.sent > 0 || nowNanos - flow.retryAtNanos < 0))
                || (placesBytes && (peer.sentMessages > 0 || peer.flowBlockedInScan == scans))
                || (placesBytes && isRefused(at) && peer.sent > 0)
                || isFenced(at, opcode, peer)) {
            return blocked(flow, peer);
        }
        if (placesBytes && isRefused(at)) {
            return refuse(position);
        }
        if (!start(position, flow, peer, nowNanos)) {
            return blocked(flow, peer);
        }
        if (flow.probing) {
            flow.probePosition = position;
        }
        flow.restart = false;
        return true;
    }

    private boolean blocked(Flow flow, PeerFlow peer) {
        flow.blockedInScan = scans;
        peer.flowBlockedInScan = scans;
        return false;
    }

    /** The fence that was asked for (S8.6); and that of everything behind a READ, which sees what was before (S8.9). */
    private boolean isFenced(long at, int opcode, PeerFlow peer) {
        return (peer.sentReads > 0 && opcode != WorkOpcode.READ)
                || (peer.sentFetches > 0 && (SendWqe.flags(ring, at) & WorkOpcode.FENCE) != 0);
    }

    /**
     * Whether the driver knows that the home has taken back what it names: then nobody is asked. But first ends what is under
     * way there: it is answered as it deserves, and not flushed for the sake of a younger one.
     */
    private boolean isRefused(long at) {
        return (SendWqe.flags(ring, at) & (SendWqe.REMOTE_GONE | SendWqe.NOTIFY_GONE)) != 0;
    }

    private boolean refuse(long position) {
        queue.fail(position, WorkStatus.REM_ACCESS_ABORT_ERR);
        return false;
    }

    private boolean start(long position, Flow flow, PeerFlow peer, long nowNanos) {
        if (peer.link.isLost()) {
            queue.fail(position, WorkStatus.ACK_TIMEOUT_ERR);
            return false;
        }
        if (!peer.link.mayStart(queue, position)) {
            peer.fullInScan = scans;
            peer.link.awaitRoom(queue);
            return false;
        }
        queue.starting(position, nowNanos); // first: a connection may answer at once
        peer.link.start(queue, position, flow.target.remoteQueue(), flow.restart);
        return true;
    }
}
