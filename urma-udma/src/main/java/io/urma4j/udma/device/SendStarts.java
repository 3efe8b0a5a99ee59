package io.urma4j.udma.device;

import io.urma4j.QueueState;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendActions;
import io.urma4j.spi.support.SendOrder;
import io.urma4j.spi.support.SendRules;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.ring.WqRing;

/** Starts the work requests of a {@link SendQueue}, in the order that {@link SendOrder} says, and ends what it gives up. */
final class SendStarts implements SendActions<SendSlot, PeerFlow> {
    /** So many are started in one step of a queue; then the other queues have theirs. */
    private static final int STARTS_PER_STEP = 32;

    private final SendQueue queue;
    private final Board board;
    private final Flows flows;
    private final SendReports reports;
    private final FailedTargets failedTargets;
    private final SendOrder<SendSlot, PeerFlow> order;
    private final OrderWindow<SendSlot, PeerFlow> window;

    private long steps;

    SendStarts(SendQueue queue, Board board, Flows flows, SendReports reports) {
        this.queue = queue;
        this.board = board;
        this.flows = flows;
        this.reports = reports;
        SendQueueConfig config = queue.config();
        this.failedTargets = new FailedTargets(config.ring());
        boolean isRm = config.kind() == SendQueueConfig.Kind.RM;
        SendRules rules = new SendRules(isRm, config.errorSuspend(), config.errorByTarget(), STARTS_PER_STEP);
        this.order = new SendOrder<>(this, rules, config.depth(), queue.born());
        this.window = order.window();
    }

    SendOrder<SendSlot, PeerFlow> order() {
        return order;
    }

    @Override
    public SendSlot newEntry() {
        return new SendSlot();
    }

    // ---- starting

    /** Starts what can be started, and makes the records of what is finished. */
    void step(long nowNanos) {
        steps++;
        order.step(nowNanos);
    }

    /**
     * The fence that was asked for (S8.6); that of everything behind a READ, which sees what was before (S8.9); and what is
     * refused here waits for what is in flight, which ends as it deserves, and is not flushed for the sake of a younger one.
     */
    @Override
    public boolean mustWait(SendSlot slot, PeerFlow peer) {
        return (peer.sentReads > 0 && !slot.isRead())
                || (peer.sentFetches > 0 && slot.isFenced())
                || (peer.sent > 0 && slot.isRefused());
    }

    @Override
    public boolean begin(long position, SendSlot slot, long nowNanos) {
        Flow flow = slot.flow;
        PeerFlow peer = slot.peer;
        if (flow == null) {
            window.failLater(slot, WorkStatus.LOC_OPERATION_ERR);
            return false;
        }
        if (peer == null) {
            return sendDatagram(position, slot, flow);
        }
        if (slot.isRefused()) {
            window.failLater(slot, WorkStatus.REM_ACCESS_ABORT_ERR);
            return false;
        }
        return start(position, slot, flow, peer, nowNanos);
    }

    /** A datagram follows nothing, and is over when it has left (S8.1). */
    private boolean sendDatagram(long position, SendSlot slot, Flow flow) {
        int result = board.datagrams.send(queue, position, flow.target);
        if (result == Datagrams.NO_ROOM) {
            board.awaitPort(queue);
            return false;
        }
        if (result == Datagrams.LOCAL_ERROR) {
            window.failLater(slot, WorkStatus.LOC_ACCESS_ERR);
            return false;
        }
        window.end(slot, WorkStatus.SUCCESS);
        return true;
    }

    private boolean start(long position, SendSlot slot, Flow flow, PeerFlow peer, long nowNanos) {
        if (peer.link.isLost()) {
            window.failLater(slot, WorkStatus.ACK_TIMEOUT_ERR);
            return false;
        }
        if (!peer.link.mayStart(queue, position)) {
            peer.fullInStep = steps;
            peer.link.awaitRoom(queue);
            return false;
        }
        slot.tried();
        window.started(slot, nowNanos); // first: a connection may answer at once
        peer.link.start(queue, position, flow.target.remoteQueue(), flow.restart);
        if (slot.isMessage() && !queue.isRc()) {
            if (flow.probing) {
                flow.probePosition = position;
            }
            flow.restart = false;
        }
        return true;
    }

    /** Whether nothing behind a blocked work request can start either. */
    @Override
    public boolean blocksAll(SendSlot blocked) {
        PeerFlow peer = blocked.peer;
        return queue.isRc() || queue.isDatagram() || (peer != null && peer.fullInStep == steps && flows.haveOnePeer());
    }

    @Override
    public void wantStep() {
        queue.touch();
    }

    // ---- ending

    @Override
    public void entering(QueueState next) {
        WqRing.state(queue.config().ring(), next.value());
        queue.touch();
    }

    @Override
    public void queueFailed(int cause) {
        board.listener.sendQueueFailed(queue.config().tag(), cause);
    }

    @Override
    public void abandonAll() {
        flows.abandonAll(queue);
        flows.startAnew(board.nowNanos);
    }

    @Override
    public void abandon(PeerFlow peer) {
        peer.link.abandon(queue);
    }

    @Override
    public void pause(PeerFlow silent) {
        silent.link.pause(queue);
        flows.startAnew(silent, board.nowNanos);
    }

    @Override
    public void blame(SendSlot failed, int status) {
        failedTargets.blame(failed, status, board.nowNanos);
    }

    @Override
    public boolean isToFailed(SendSlot slot) {
        return failedTargets.areNamedBy(slot);
    }

    @Override
    public long nanos() {
        return board.nowNanos;
    }

    // ---- records

    @Override
    public boolean record(long position, SendSlot slot) {
        return reports.record(position, slot);
    }

    @Override
    public void reported(long head) {
        WqRing.consumed(queue.config().ring(), head);
    }

    @Override
    public boolean mark(int status, long position) {
        return reports.mark(status, position);
    }

    @Override
    public long posted() {
        return window.end();
    }
}
