package io.urma4j.udma.device;

import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendEntry.Stage;
import io.urma4j.spi.support.SendLife;
import io.urma4j.spi.support.SendOrder;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.command.SendStats;
import io.urma4j.udma.command.SendWait;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.ring.WqRing;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.transport.SendWork;
import io.urma4j.udma.wire.Packet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A send queue. {@link SendOrder} says in which order its work requests start and have their records, and what failures do;
 * {@link SendStarts} starts them and makes the records, {@link PeerSilence} fails what is never answered.
 *
 * <p>What a connection answers is written down, and seen to at the queue's next step: no connection is called from within
 * its own call.
 */
final class SendQueue extends Task implements SendWork, CompletionQueue.User {
    /** What all send queues of a card use. */
    record Parts(
            Schedule schedule,
            CardListener listener,
            KeyTable keys,
            CopyPort copies,
            DatagramSender datagrams,
            Handles<Target> targets,
            Handles<CompletionQueue> cqs) {}

    private final int number;
    private final SendQueueConfig config;
    private final Schedule schedule;
    private final CardListener listener;
    private final NativeMemory ring;
    private final SendPayloads payloads;
    private final Flows flows;
    private final SendStarts starts;
    private final SendOrder<SendSlot, PeerFlow> order;
    private final OrderWindow<SendSlot, PeerFlow> window;
    private final SendLife life;
    private final SendPrediction prediction;

    private @Nullable CompletionQueue receiveCq; // of a Jetty
    private @Nullable CardConnection own; // of a connected queue
    private long notReady;
    private boolean cqOverflowed;
    private boolean closed;

    SendQueue(int number, SendQueueConfig config, Parts parts) {
        this.number = number;
        this.config = config;
        this.schedule = parts.schedule;
        this.listener = parts.listener;
        this.ring = config.ring();
        this.payloads = new SendPayloads(parts.keys, parts.copies, ring);
        this.flows = new Flows(parts.targets);
        this.starts = new SendStarts(this, parts, flows, payloads);
        this.order = starts.order();
        this.window = order.window();
        this.life = order.life();
        this.prediction = new SendPrediction(this, schedule, starts);
        parts.cqs.get(config.cq()).add(this);
        WqRing.state(ring, born());
    }

    /** The state of a new queue (S6.1). */
    QueueState born() {
        return isRc() ? QueueState.RESET : QueueState.READY;
    }

    SendQueueConfig config() {
        return config;
    }

    int number() {
        return number;
    }

    QueueState state() {
        return life.state();
    }

    boolean isRc() {
        return config.kind() == SendQueueConfig.Kind.RC;
    }

    boolean isDatagram() {
        return config.kind() == SendQueueConfig.Kind.UM;
    }

    /** It is a Jetty, with the records of its receives in that completion queue. */
    void receivesBy(CompletionQueue where) {
        receiveCq = where;
        where.add(this);
    }

    /** The connection of its own; null when it has none. */
    @Nullable
    CardConnection own() {
        return own;
    }

    List<SendWait> waits() {
        return SendWaits.of(life.state(), window);
    }

    SendStats stats() {
        return new SendStats(
                notReady, order.failures().failures(), life.heldFrom(), life.isDraining(), window.isEmpty());
    }

    // ---- a step

    /** Takes what was posted, starts what can start, and reports what is finished. */
    void run(long nowNanos) {
        starts.takePosted(nowNanos);
        failWithCq();
        payloads.endHeld(window, this);
        starts.step();
        setTimer(nowNanos);
        assert isSound() : order;
    }

    @Override
    boolean step(long nowNanos, FlushHint hint) {
        run(nowNanos);
        return false;
    }

    @Override
    boolean sendsAtOnce(long nowNanos) {
        return prediction.sends(nowNanos);
    }

    /** Its completion queue has overflowed. */
    private void failWithCq() {
        if (cqOverflowed) {
            cqOverflowed = false;
            if (life.state() != QueueState.RESET) {
                order.failures().fail();
            }
        }
    }

    /** Wants a step. */
    void touch() {
        if (!closed) {
            schedule.queues.add(this);
        }
    }

    void eventEnded(long position, boolean hasFailed, long nowNanos) {
        run(nowNanos); // what was posted before
        starts.eventEnded(position, hasFailed);
        touch();
    }

    // ---- states

    /** Moves, when it is legal; see {@link Card#modifySendQueue}. */
    boolean modify(QueueState next, long nowNanos) {
        run(nowNanos); // what was posted before came before
        QueueState state = life.state();
        if (state == next) {
            return true;
        }
        boolean moved = state.mayBecome(next) && move(next, nowNanos);
        run(nowNanos);
        return moved;
    }

    private boolean move(QueueState next, long nowNanos) {
        return switch (next) {
            case ERROR -> {
                order.failures().fail();
                yield true;
            }
            case SUSPENDED -> {
                life.suspend();
                yield true;
            }
            case READY -> resume(nowNanos);
            case RESET -> reset(nowNanos);
        };
    }

    /** What was held starts, in order; false for a connected queue without a connection. */
    private boolean resume(long nowNanos) {
        if (isRc() && own == null) {
            return false;
        }
        order.resume(nowNanos);
        if (own != null) {
            own.resume(); // a connection that had failed for a receiver that was not ready, or a silent peer
        }
        enterReady();
        return true;
    }

    /** READY, unless a completion queue of it has overflowed since the caller looked (S10.5). */
    private void enterReady() {
        life.enter(QueueState.READY);
        if (!starts.canMark() || (receiveCq != null && !receiveCq.isValid())) {
            cqFailed();
            touch();
        }
    }

    private boolean reset(long nowNanos) {
        if (life.isDraining() || !window.isEmpty()) {
            return false;
        }
        flows.startAnew(nowNanos);
        life.enter(QueueState.RESET);
        return true;
    }

    // ---- taking out

    int flush(long[] out, int max, long nowNanos) {
        run(nowNanos);
        return life.mayFlush(starts.canMark()) ? takeOut(out, max) : 0;
    }

    /** Two words each: position and status. */
    private int takeOut(long[] out, int max) {
        return order.flush(max, (index, position, slot, status) -> {
            out[2 * index] = position;
            out[2 * index + 1] = status;
        });
    }

    int quiesce(long[] out, long nowNanos) {
        run(nowNanos);
        if (life.state() != QueueState.RESET) {
            order.failures().fail();
        }
        return takeOut(out, config.depth());
    }

    void close() {
        closed = true;
        order.failures().flushBegun();
        order.clear();
        life.enter(QueueState.ERROR);
        flows.clear();
        schedule.deadlines.cancel(this);
        starts.close();
    }

    // ---- connections and targets

    /** It has its connection, and is READY. */
    void connected(CardConnection link) {
        own = link;
        flows.own(link);
        enterReady();
    }

    /** It has none any more, and is in RESET; no marker tells it, and what was never started stays for {@code flush}. */
    void disconnected(long nowNanos) {
        run(nowNanos); // what was posted before came before
        order.unbind();
        order.report();
        own = null;
        life.endDrain();
        flows.clear();
        life.enter(QueueState.RESET);
    }

    void forget(int target) {
        flows.forget(target);
    }

    void forget(CardConnection link) {
        flows.forget(link);
    }

    void peerLost(CardConnection link, long nowNanos) {
        run(nowNanos);
        PeerFlow lost = flows.known(link);
        if (lost != null) {
            starts.peerLost(lost);
            order.failures().peerLost(lost);
        }
        run(nowNanos);
    }

    /** What has begun is given up later, in its turn: the caller may be in the middle of a connection's call. */
    @Override
    public void cqFailed() {
        if (!closed && life.state() != QueueState.ERROR && life.state() != QueueState.RESET) {
            cqOverflowed = true;
            life.enterError(WorkStatus.SUCCESS);
        }
    }

    // ---- time

    private void setTimer(long nowNanos) {
        long silenceNanos = starts.silence().dueNanos(nowNanos);
        if (window.isEmpty()) {
            schedule.deadlines.cancel(this);
            return;
        }
        boolean retries = window.hasWaiting() && life.state() == QueueState.READY;
        long retryNanos = retries ? flows.nextRetryNanos(nowNanos) : Long.MAX_VALUE;
        schedule.deadlines.set(this, Math.min(silenceNanos, retryNanos));
    }

    @Override
    void due(long nowNanos) {
        starts.expire(nowNanos);
        touch();
    }

    // ---- what connections ask and answer

    @Override
    public int queueId() {
        return config.kind() == SendQueueConfig.Kind.RM ? config.sourceId() : number;
    }

    @Override
    public NativeMemory ring() {
        return ring;
    }

    @Override
    public long at(long position) {
        return WqRing.at(position, config.depth(), config.strideBytes());
    }

    @Override
    public boolean gather(long position, long from, Packet to, int lengthBytes) {
        return payloads.gather(window.at(position), position, from, to, lengthBytes);
    }

    @Override
    public boolean scatter(long position, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
        return payloads.scatter(window.at(position), toOffset, from, fromOffset, lengthBytes);
    }

    @Override
    public boolean awaits(long position, long from, int lengthBytes) {
        return payloads.awaits(window.at(position), position, from, lengthBytes);
    }

    @Override
    public boolean takes(long position, long toOffset, int lengthBytes) {
        return payloads.takes(window.at(position), toOffset, lengthBytes);
    }

    @Override
    public boolean admits(long position) {
        return payloads.admits(window.at(position));
    }

    /** A work request has its record, whose local ranges lie on a device. */
    void releaseSources(SendSlot slot) {
        payloads.releaseSources(slot);
    }

    private boolean isStarted(long position) {
        return window.holds(position) && window.at(position).stage == Stage.STARTED;
    }

    @Override
    public void done(long position, int status) {
        if (!isStarted(position)) {
            return; // given up meanwhile
        }
        SendSlot slot = window.at(position);
        if (!payloads.holds(slot, status)) {
            end(slot, payloads.status(slot, status));
        }
    }

    /** A work request has ended, and no copy is in progress for it. */
    void end(SendSlot slot, int status) {
        if (status == WorkStatus.SUCCESS) {
            Flow flow = slot.flow;
            if (flow != null && slot.isMessage() && (isRc() || !flow.awaitsRestart())) {
                flow.taken();
            }
            window.end(slot, status);
        } else {
            window.failLater(slot, status);
        }
        touch();
    }

    @Override
    public void notReady(long position, long waitNanos) {
        if (!isStarted(position)) {
            return;
        }
        SendSlot slot = window.at(position);
        Flow flow = slot.flow;
        PeerFlow peer = slot.peer;
        if (flow == null || peer == null) {
            return;
        }
        notReady++;
        touch();
        boolean first = !flow.probing;
        boolean counts = first || position == flow.probePosition; // else it was only behind one that was not ready
        flow.notReady();
        if (counts) {
            flow.probePosition = position;
            flow.retryAtNanos = peer.link.lastHeardNanos() + waitNanos;
            if (life.state() == QueueState.READY && flow.isExhausted(config.rnrRetry())) {
                window.failLater(slot, WorkStatus.RNR_RETRY_CNT_EXC_ERR);
                return;
            }
        }
        if (slot.placesBytes) {
            slot.hasPlaced = true; // its bytes may be there: it was begun, should it end here
        }
        if (order.repeat(position, slot) && first) {
            listener.receiverNotReady(config.tag(), SendWqe.target(ring, slot.at));
        }
    }

    /** What must hold between two calls. */
    private boolean isSound() {
        boolean isSound = window.end() <= WqRing.produced(ring) && window.end() - window.head() <= config.depth();
        for (long position = window.head(); position < window.end(); position++) {
            isSound &= window.at(position).isSound();
        }
        return isSound;
    }
}
