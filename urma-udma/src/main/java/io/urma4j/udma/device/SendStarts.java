package io.urma4j.udma.device;

import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendActions;
import io.urma4j.spi.support.SendOrder;
import io.urma4j.spi.support.SendRules;
import io.urma4j.spi.support.WorkKind;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.KeyLife;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.ring.WqRing;
import java.util.Set;

/**
 * Starts the work requests of a {@link SendQueue} in the order that {@link SendOrder} says, ends what it gives up, and makes the
 * records and the markers.
 */
final class SendStarts implements SendActions<SendSlot, PeerFlow> {
    /** So many are started in one step of a queue; then the other queues have theirs. */
    private static final int STARTS_PER_STEP = 32;

    private final SendQueue queue;
    private final Schedule schedule;
    private final CardListener listener;
    private final DatagramSender datagrams;
    private final Flows flows;
    private final SendPayloads payloads;
    private final NativeMemory ring;
    private final int tag;
    private final CompletionQueue cq;
    private final Handles<CompletionQueue> cqs;
    private final SendOrder<SendSlot, PeerFlow> order;
    private final OrderWindow<SendSlot, PeerFlow> window;
    private final PeerSilence silence;
    private final BlockTransfers transfers;

    private long steps;
    private long nowNanos; // of the step in which the order calls

    SendStarts(SendQueue queue, SendQueue.Parts parts, Flows flows, SendPayloads payloads) {
        this.queue = queue;
        this.schedule = parts.schedule();
        this.listener = parts.listener();
        this.datagrams = parts.datagrams();
        this.flows = flows;
        this.payloads = payloads;
        SendQueueConfig config = queue.config();
        this.ring = config.ring();
        this.tag = config.tag();
        this.cqs = parts.cqs();
        this.cq = cqs.get(config.cq());
        boolean isRm = config.kind() == SendQueueConfig.Kind.RM;
        SendRules rules = new SendRules(isRm, config.errorSuspend(), config.errorByTarget(), STARTS_PER_STEP);
        this.order = new SendOrder<>(this, rules, config.depth(), queue.born());
        this.window = order.window();
        this.silence = new PeerSilence(order, listener, config.timeoutNanos());
        this.transfers = new BlockTransfers(queue, parts, order);
    }

    SendOrder<SendSlot, PeerFlow> order() {
        return order;
    }

    @Override
    public SendSlot newEntry() {
        return new SendSlot(queue);
    }

    // ---- starting

    /** A step of the queue begins, at this time for the order: takes what was posted. */
    void takePosted(long now) {
        beginStep(now);
        long produced = WqRing.produced(ring);
        while (window.end() < produced) {
            long position = window.end();
            SendSlot slot = filled(position, now);
            order.add(position, slot);
            if (slot.flow == null && slot.opcode != WorkOpcode.NOP) {
                window.failLater(slot, WorkStatus.LOC_OPERATION_ERR); // no such target: the driver let it go too early
            }
        }
    }

    /** The place of a work request that was just posted, filled from its element, to be added to the order. */
    SendSlot filled(long position, long now) {
        SendSlot slot = window.entry(position);
        slot.fill(ring, queue.at(position), now);
        boolean isNop = slot.opcode == WorkOpcode.NOP;
        slot.target(isNop ? null : flows.to(queue.isRc() ? Flows.OWN : SendWqe.target(ring, slot.at)));
        return slot;
    }

    /** A step of the queue begins, at this time for the order. */
    void beginStep(long now) {
        steps++;
        nowNanos = now;
    }

    /** Starts what can be started, and makes the records of what is finished. */
    void step() {
        order.step(nowNanos);
    }

    /** The peer is gone: its transfer fails, and with it what its failure affects. */
    void peerLost(PeerFlow peer) {
        transfers.fail(peer, nowNanos);
    }

    PeerSilence silence() {
        return silence;
    }

    /** Fails what its peer has left unanswered for too long. */
    void expire(long now) {
        nowNanos = now;
        silence.expireDue(now);
    }

    /**
     * The fence that was asked for (S8.6); that of everything behind a READ, which sees what was before (S8.9); and what is
     * refused here waits for what is in flight, which ends as it deserves, and is not flushed for the sake of a younger one.
     */
    @Override
    public boolean mustWait(SendSlot slot, PeerFlow peer) {
        return peer.isTransferring
                || (peer.sentReads > 0 && !slot.isRead())
                || (peer.sentFetches > 0 && slot.isFenced())
                || (peer.sent > 0 && (slot.isRefused() || slot.isAfterFailure()));
    }

    /** What the work request of that position, if it is still there, waited for has ended. */
    void eventEnded(long position, boolean hasFailed) {
        if (window.holds(position)) {
            window.at(position).eventEnded(hasFailed);
        }
    }

    @Override
    public boolean begin(long position, SendSlot slot, long now) {
        Flow flow = slot.flow;
        PeerFlow peer = slot.peer;
        if (slot.isAfterFailure()) {
            window.failLater(slot, WorkStatus.LOC_ACCESS_ERR);
            return false;
        }
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
        if (slot.hasBlocks) {
            return transfers.begin(position, slot, peer);
        }
        return start(position, slot, flow, peer, now);
    }

    /** A datagram follows nothing, and is over when it has left (S8.1). */
    private boolean sendDatagram(long position, SendSlot slot, Flow flow) {
        if (queue.awaits(position, 0, SendWqe.lengthBytes(ring, slot.at))) {
            return false;
        }
        DatagramSender.Result result = datagrams.send(queue, position, flow.target);
        switch (result) {
            case SENT -> window.end(slot, WorkStatus.SUCCESS);
            case NO_ROOM -> schedule.queues.addToNextStep(queue);
            case LOCAL_ERROR -> window.failLater(slot, WorkStatus.LOC_ACCESS_ERR);
        }
        return result == DatagramSender.Result.SENT;
    }

    private boolean start(long position, SendSlot slot, Flow flow, PeerFlow peer, long now) {
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
        window.started(slot, now); // first: a connection may answer at once
        peer.link.start(queue, position, flow.target.remoteQueue(), flow.restart);
        if (tellsRestart(slot)) {
            if (flow.probing) {
                flow.probePosition = position;
            }
            flow.restart = false;
        }
        return true;
    }

    /** Whether it tells its receiver that its flow starts anew. */
    boolean tellsRestart(SendSlot slot) {
        return slot.isMessage() && !queue.isRc();
    }

    /** Whether nothing behind a blocked work request can start either. */
    @Override
    public boolean blocksAll(SendSlot blocked) {
        if (blocked.kind == WorkKind.NOP) {
            return false; // what follows it may pass
        }
        PeerFlow peer = blocked.peer;
        return queue.isRc()
                || (queue.isDatagram() && !blocked.followsEvent)
                || (peer != null && peer.fullInStep == steps && flows.haveOnePeer());
    }

    @Override
    public void wantStep() {
        queue.touch();
    }

    // ---- ending

    @Override
    public void left(SendSlot slot) {
        payloads.left(slot);
    }

    @Override
    public void entering(QueueState next) {
        WqRing.state(ring, next);
        queue.touch();
    }

    @Override
    public void queueFailed(int cause) {
        listener.sendQueueFailed(tag, cause);
    }

    @Override
    public void abandonAll() {
        transfers.abandonAll(nowNanos);
        flows.abandonAll(queue, nowNanos);
        flows.startAnew(nowNanos);
    }

    @Override
    public void abandon(PeerFlow peer) {
        transfers.abandon(peer, nowNanos, false);
        peer.link.abandon(queue, nowNanos);
    }

    @Override
    public void pause(PeerFlow silent) {
        transfers.abandon(silent, nowNanos, true);
        silent.link.pause(queue, nowNanos);
        flows.startAnew(silent, nowNanos);
    }

    @Override
    public long nanos() {
        return nowNanos;
    }

    // ---- where failures are a target's own (S6.12): flows, and keys of memory, each of one home

    /** A message fails at its queue, unless its bytes were refused; everything else at what its keys open. */
    @Override
    public void blame(SendSlot failed, int status) {
        Flow flow = failed.flow;
        if (flow == null) {
            return;
        }
        PeerFlow peer = failed.peer;
        boolean access = status == WorkStatus.REM_ACCESS_ABORT_ERR;
        if (failed.isMessage() && !(failed.placesBytes && access)) {
            flow.failedTargets.add(SendWqe.target(ring, failed.at));
            flow.startAnew(nowNanos);
        } else if (peer != null) {
            peer.keyFailed(failedKey(failed));
        }
    }

    private long failedKey(SendSlot failed) {
        if (SendWqe.isNotifyGone(SendWqe.word(ring, failed.at))) {
            return notifyName(failed.at);
        }
        return failed.failedKey != 0 ? failed.failedKey : remoteName(ring, failed.at);
    }

    /** The {@linkplain KeyLife#name name} of the key in an element. */
    static long remoteName(NativeMemory ring, long at) {
        return KeyLife.name(SendWqe.remoteKey(ring, at), SendWqe.remoteVa(ring, at));
    }

    private long notifyName(long at) {
        return KeyLife.name(SendWqe.notifyKey(ring, at), SendWqe.expected(ring, at));
    }

    @Override
    public boolean isToFailed(SendSlot slot) {
        Flow flow = slot.flow;
        if (flow == null) {
            return false;
        }
        if (slot.isMessage()
                && !flow.failedTargets.isEmpty()
                && flow.failedTargets.contains(SendWqe.target(ring, slot.at))) {
            return true;
        }
        PeerFlow peer = slot.peer;
        return peer != null && !peer.failedKeys.isEmpty() && names(slot, peer.failedKeys);
    }

    private boolean names(SendSlot slot, Set<Long> keys) {
        return (slot.opcode < WorkOpcode.SEND && keys.contains(remoteName(ring, slot.at)))
                || (slot.opcode == WorkOpcode.WRITE_NOTIFY && keys.contains(notifyName(slot.at)));
    }

    // ---- records

    /** Makes the record of a work request that has its status; false when there is no room. */
    @Override
    public boolean record(long position, SendSlot slot) {
        if (slot.isSilent()) {
            SendWqe.endSilently(ring, slot.at);
            return true;
        }
        int word = Cqe.word(slot.status, slot.opcode, 0);
        long length = Integer.toUnsignedLong(SendWqe.lengthBytes(ring, slot.at));
        int elsewhere = SendWqe.cq(ring, slot.at);
        if (elsewhere != 0) {
            CompletionQueue other = cqs.find(elsewhere);
            if (other != null && put(other, word, position, length)) {
                return true;
            } // else the result goes here, and is not lost
        }
        return put(cq, word, position, length);
    }

    /** Makes a record; without a place the completion queue overflows, and this queue with it. */
    private boolean put(CompletionQueue where, int word, long position, long lengthBytes) {
        if (where != cq) {
            where.add(queue);
        }
        if (!where.isValid()) {
            queue.cqFailed();
            return false;
        }
        if (!where.hasRoom()) {
            where.overflow();
            return false;
        }
        where.put(word, queue.number(), tag, position, lengthBytes, 0, nowNanos);
        return true;
    }

    @Override
    public void reported(long head) {
        WqRing.consumed(ring, head);
    }

    /** Whether a marker could be made. */
    boolean canMark() {
        return cq.isValid();
    }

    /** Makes a marker if there is space: a completion queue does not overflow by it. */
    @Override
    public boolean mark(int status, long position) {
        if (!canMark()) {
            return false;
        }
        if (!cq.hasRoom()) {
            schedule.queues.addToNextStep(queue); // by then its poller may have made space
            return false;
        }
        int flag = status == WorkStatus.WR_SUSPEND_DONE ? Cqe.SUSPEND_DONE : Cqe.FLUSH_ERR_DONE;
        cq.put(Cqe.word(status, WorkOpcode.NOP, flag), queue.number(), tag, position, 0, 0, nowNanos);
        return true;
    }

    @Override
    public long posted() {
        return window.end();
    }

    /** The queue is closed; no completion queue knows it any more. */
    void close() {
        cqs.forEach(used -> used.remove(queue));
    }
}
