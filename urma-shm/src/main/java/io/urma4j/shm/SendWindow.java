package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.ErrorScope;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.peer.DeviceEvent;
import io.urma4j.shm.control.Peer;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendActions;
import io.urma4j.spi.support.SendFlow;
import io.urma4j.spi.support.SendOrder;
import io.urma4j.spi.support.SendRules;
import io.urma4j.spi.support.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * The work requests of a send queue that could not be finished within their posts: messages, which wait for the
 * receiver's answer, and whatever must follow them. Guarded by the queue's lock.
 *
 * <p>{@link SendOrder} says when each starts, ends and has its record. {@link SendStarts} starts it, {@link WindowAnswers} says what answers mean, {@link SilentPeers} what silence means.
 */
final class SendWindow implements SendActions<Wqe, PeerLanes>, DeviceCopy.Owner<Wqe> {
    private static final int WR_FLUSH_ERR_DONE = CompletionStatus.WR_FLUSH_ERR_DONE.value();
    private static final long LATE_NANOS = 100_000; // until a record is tried again whose JFC was busy

    private final int queueId;
    private final boolean isDatagram;
    private final JfcRecords jfc;
    private final SpinLock lock; // the JFC's
    private final SendSlots slots;
    private final Demand demand;
    private final SendEvents events;
    private final long timeoutNanos;
    private final SendOrder<Wqe, PeerLanes> order;
    private final OrderWindow<Wqe, PeerLanes> window;
    private final Flows flows;
    private final FailedTargets failedTargets;
    private final WindowAnswers answers;
    private final SilentPeers silentPeers;
    private final SendStarts starts;
    private final WindowRecords records;
    private final DeviceCopy<Wqe> copy;

    private boolean watched; // the context counts it among the queues that pollers must see to
    private boolean owed; // a record, or a marker
    private boolean isLate; // a record, since another JFC was busy

    /** The empty window of the queue with that id, whose records go to {@code jfc}. */
    SendWindow(int queueId, JfsConfig config, JfcRecords jfc, SendSlots slots, Demand demand, SendEvents events) {
        this.queueId = queueId;
        this.isDatagram = config.mode() == TransportMode.UM;
        this.jfc = jfc;
        this.lock = jfc.lock();
        this.flows = new Flows(lock);
        this.slots = slots;
        this.demand = demand;
        this.events = events;
        this.timeoutNanos = config.timeout().toNanos();
        SendRules rules = new SendRules(
                !isDatagram, config.errorSuspend(), config.errorScope() == ErrorScope.TARGET, Integer.MAX_VALUE);
        QueueState born = config.mode() == TransportMode.RC ? QueueState.RESET : QueueState.READY;
        this.order = new SendOrder<>(this, rules, slots.depth(), born);
        this.window = order.window();
        this.failedTargets = new FailedTargets(slots, flows);
        this.copy = new DeviceCopy<>(this, lock);
        this.answers = new WindowAnswers(this, events, config.rnrRetry());
        this.silentPeers = new SilentPeers(order, flows, isDatagram, timeoutNanos);
        this.starts = new SendStarts(this, slots, copy, silentPeers);
        entering(born);
        this.records = new WindowRecords(queueId, jfc, slots, order, demand, events.isJetty(), this::fail);
    }

    int queueId() {
        return queueId;
    }

    boolean isDatagram() {
        return isDatagram;
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    WindowRecords records() {
        return records;
    }

    /** The work request for which a copy engine works. */
    DeviceCopy<Wqe> copy() {
        return copy;
    }

    SendOrder<Wqe, PeerLanes> order() {
        return order;
    }

    QueueState state() {
        return order.life().state();
    }

    /** Whether progress has something to do here: to start what waits, or to make a record that is owed. */
    boolean isWatched() {
        return window.hasWaiting() || owed || order.life().isSuspending();
    }

    /** How many messages found their receiver not ready. */
    long rnr() {
        return answers.rnr();
    }

    // ---- posts

    @Override
    public Wqe newEntry() {
        return new Wqe(jfc);
    }

    /** Takes the filled entry of {@code position} into the window. */
    void add(long position, Wqe entry, @Nullable ShmTarget target) {
        if (target != null) {
            entry.to = flows.to(target);
            entry.flow = entry.to.lane;
            entry.peer = entry.to.lane.peer;
        } else if (entry.remote != null) {
            entry.peer = flows.to(entry.remote.home());
        }
        entry.pin();
        order.add(position, entry);
    }

    /** Has the engine start what waits for the event; a poller would as well. Without the lock. */
    void startAfter(DeviceEvent event) {
        event.whenDone(demand::wakeEngine);
    }

    /**
     * Whether a message to that flow may go into the ring within its post: nothing waits, so it follows nothing, and the
     * receiver takes the flow as it comes.
     */
    boolean mayStartAtOnce(Lane lane, long position) {
        return !window.hasWaiting() && !lane.probing && !lane.restart && window.hasRoom(position);
    }

    Flows flows() {
        return flows;
    }

    FailedTargets failedTargets() {
        return failedTargets;
    }

    // ---- progress, from any thread

    /** Slots of the ring with (parts of) messages of this queue were answered: handles at most {@code most}. */
    int reap(SendPath path, int most) {
        lock.acquire();
        try {
            int count = path.reapFor(this, most);
            advance();
            return count;
        } finally {
            lock.release();
        }
    }

    /** The peer is gone: the oldest work request to it fails, and with it what its failure affects. */
    void peerLost(Peer peer) {
        lock.acquire();
        try {
            if (silentPeers.peerLost(peer)) {
                report();
                flows.forgetLost();
            }
        } finally {
            lock.release();
        }
    }

    /** A JFC has overflowed that takes records of the queue: to ERROR. */
    void fail() {
        lock.acquire();
        try {
            if (!slots.areShut(SendSlots.CLOSED) && state() != QueueState.RESET) {
                order.failures().fail();
                report();
            }
        } finally {
            lock.release();
        }
    }

    // ---- progress, under the lock

    /** The lock that guards it. */
    SpinLock lock() {
        return lock;
    }

    /**
     * Fails requests that have waited too long for their peer; returns when the next retransmission is due. One that is
     * overdue was tried, and waits for something else, such as room in the ring.
     */
    long expire(long nowNanos, long pausedNanos) {
        if (silentPeers.expire(nowNanos, pausedNanos)) {
            report();
        }
        boolean mayRetransmit = window.hasWaiting() && state() == QueueState.READY;
        long retryNanos = mayRetransmit ? flows.all().nextRetryNanos(nowNanos) : Long.MAX_VALUE;
        return isLate ? Math.min(retryNanos, nowNanos + LATE_NANOS) : retryNanos;
    }

    /** Starts what can be started, and reports what is finished. */
    void advance(long nowNanos) {
        step(true, nowNanos);
        assert isSound() : this;
    }

    private void step(boolean starts, long nowNanos) {
        boolean wasLate = isLate;
        if (!isBusy()) { // the thread that makes a long copy comes back here, and its record comes before these
            settleDebts();
            if (starts) {
                order.step(nowNanos);
            } else {
                order.report();
            }
        }
        demandChanged();
        if (isLate && !wasLate) { // the caller may be the last that comes by for a while: the engine tries again
            demand.wakeEngine();
        }
    }

    /** The same now. Only a flow that retransmits asks for the time; reading the clock costs as much as a post. */
    @Override
    public void advance() {
        boolean mayRetransmit =
                window.hasWaiting() && (answers.rnr() > 0 || order.failures().failures() > 0);
        advance(mayRetransmit ? System.nanoTime() : 0);
    }

    /** Makes the records of what is finished, in order. */
    void report() {
        step(false, 0);
    }

    private void settleDebts() {
        owed = false;
        isLate = false;
    }

    /** Whether a long copy is in progress, which everything here must follow. */
    private boolean isBusy() {
        return slots.areShut(SendSlots.BUSY);
    }

    /** Pollers come by while something waits; most messages start at once, and never do. */
    @Override
    public void demandChanged() {
        if (watched != isWatched()) {
            watched = !watched;
            demand.waitingQueues.addAndGet(watched ? 1 : -1);
        }
    }

    /** A slot of the message at {@code position} was answered. */
    void answered(long position, int answer, int argument) {
        if (window.holds(position)) { // else it was reported already, as flushed
            answers.answered(position, window.at(position), answer, argument);
        }
    }

    // ---- starting

    @Override
    public boolean begin(long position, Wqe entry, long nowNanos) {
        return starts.begin(position, entry);
    }

    /** The message is to be retransmitted, from its start. */
    void repeat(long position, Wqe entry) {
        entry.rewind();
        order.repeat(position, entry);
    }

    @Override
    public void copying(Wqe entry) {
        order.copying(entry);
    }

    @Override
    public CompletionStatus copy(Wqe entry) {
        return SendStarts.copy(entry);
    }

    /** A one-sided operation is over; of a message, bytes are placed or staged, and it goes on. */
    @Override
    public void copied(long position, Wqe entry, CompletionStatus status) {
        if (entry.flow == null || status != CompletionStatus.SUCCESS) {
            finish(entry, status);
            return;
        }
        if (state() == QueueState.ERROR) { // it had begun when the queue failed
            window.end(entry, CompletionStatus.WR_FLUSH_ERR.value());
            return;
        }
        if (entry.placesBytes) {
            entry.placed();
        }
        order.copied(position, entry);
        answers.copied(position, entry);
    }

    // ---- ending

    /** The work request has its status; a failure has consequences. */
    void finish(Wqe entry, CompletionStatus status) {
        order.finish(entry, status.value());
    }

    /** The datagrams that were lost on this side. */
    DropCounts drops() {
        return silentPeers.drops();
    }

    @Override
    public void left(Wqe entry) {
        entry.slotsInFlight = 0;
        TargetUse to = entry.to;
        if (to != null && entry.isHalfSent()) {
            to.target.path.abandonTrain(queueId, to.lane.queueId);
        }
    }

    @Override
    public void abandonAll() {
        flows.all().all().forEach(SendFlow::reset);
    }

    @Override
    public void pause(PeerLanes silent) {
        flows.all().startAnew(silent, nanos());
    }

    @Override
    public void blame(Wqe failed, int status) {
        failedTargets.blame(failed, status);
    }

    @Override
    public boolean isToFailed(Wqe entry) {
        return failedTargets.areNamedBy(entry);
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    // ---- states

    @Override
    public void entering(QueueState next) {
        if (next == QueueState.READY) {
            slots.open(SendSlots.NOT_READY);
        } else {
            slots.shut(SendSlots.NOT_READY);
        }
    }

    @Override
    public void queueFailed(int cause) {
        events.failed(cause);
    }

    // ---- records

    @Override
    public boolean record(long position, Wqe entry) {
        if (entry.isSilent()) {
            return true;
        }
        WindowRecords.Told told = records.push(position, entry);
        switch (told) {
            case YES -> {}
            case LATER -> {
                owed = true;
                isLate = true;
            }
            case NO_ROOM -> {
                if (state() != QueueState.ERROR) {
                    order.failures().fail(); // the JFC is full, and with it in ERROR
                }
            }
        }
        return told == WindowRecords.Told.YES;
    }

    /** The first parts of a message are there without its end: its receiver delivers nothing, and it starts anew. */
    @Override
    public void drained() {
        for (long position = window.head(); position < window.end(); position++) {
            Wqe entry = window.at(position);
            if (entry.isHalfSent() && entry.flow != null) {
                left(entry);
                entry.flow.restart = true;
                repeat(position, entry);
            }
        }
    }

    @Override
    public boolean mark(int status, long position) {
        boolean made = records.pushMarker(status, position);
        if (!made && status == WR_FLUSH_ERR_DONE) {
            owed = jfc.isValid(); // a poller makes room for it; a JFC that has overflowed takes none any more
            demandChanged();
        }
        return made;
    }

    @Override
    public long posted() {
        return slots.posted();
    }

    /** Takes everything out: the queue is closed. */
    void clear() {
        settleDebts();
        order.clear();
        flows.clear();
    }

    /** What must hold between two steps: it holds no position that was not posted, and pollers see to what waits. */
    private boolean isSound() {
        return window.end() <= slots.posted() && watched == isWatched();
    }

    @Override
    public String toString() {
        return "queue " + queueId + ", " + order + ", " + slots.posted() + " posted" + (watched ? ", watched" : "");
    }
}
