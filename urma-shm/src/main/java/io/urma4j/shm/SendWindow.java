package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.ErrorScope;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendActions;
import io.urma4j.spi.support.SendOrder;
import io.urma4j.spi.support.SendRules;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The work requests of a send queue that could not be finished within their posts: messages, which wait for the
 * receiver's answer, and whatever must follow them. Guarded by the queue's lock.
 *
 * <p>{@link SendOrder} says when each starts, ends and has its record. Here it is started: a message goes into the ring, a
 * one-sided operation is executed. {@link WindowAnswers} says what answers mean.
 */
final class SendWindow implements SendActions<Wqe, PeerLanes> {
    private static final int SUCCESS = CompletionStatus.SUCCESS.value();
    private static final int WR_FLUSH_ERR_DONE = CompletionStatus.WR_FLUSH_ERR_DONE.value();

    private final ShmSendQueue queue;
    private final SendOrder<Wqe, PeerLanes> order;
    private final OrderWindow<Wqe, PeerLanes> window;
    private final Flows flows = new Flows();
    private final FailedTargets failedTargets;
    private final WindowAnswers answers;

    private boolean watched; // the context counts it among the queues that pollers must see to
    private boolean owed; // a record, since another JFC was busy
    private final DropCounts drops = new DropCounts();

    SendWindow(ShmSendQueue queue, int depth, JfsConfig config, QueueState born) {
        this.queue = queue;
        SendRules rules = new SendRules(
                !queue.isDatagram(),
                config.errorSuspend(),
                config.errorScope() == ErrorScope.TARGET,
                Integer.MAX_VALUE);
        this.order = new SendOrder<>(this, rules, depth, born);
        this.window = order.window();
        this.failedTargets = new FailedTargets(queue, flows);
        this.answers = new WindowAnswers(this, queue);
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
        return new Wqe(queue.jfc());
    }

    /** Takes the filled entry of {@code position} into the window. */
    void add(long position, Wqe entry, @Nullable ShmTarget target) {
        if (target != null) {
            Lane lane = flows.to(target);
            entry.flow = lane;
            entry.peer = lane.peer;
        } else if (entry.remote != null) {
            entry.peer = flows.to(entry.remote.home());
        }
        entry.pin();
        order.add(position, entry);
    }

    /**
     * Whether a message to that flow may go into the ring within its post: nothing waits, so it follows nothing, and the
     * receiver takes the flow as it comes.
     */
    boolean mayStartAtOnce(Lane lane, long position) {
        return !window.hasWaiting() && !lane.probing && !lane.restart && window.hasRoom(position);
    }

    Lane laneTo(ShmTarget target) {
        return flows.to(target);
    }

    // ---- progress

    /** Starts what can be started, and reports what is finished. */
    void advance(long nowNanos) {
        if (!queue.isBusy()) { // the thread that makes a long copy comes back here
            owed = false;
            order.step(nowNanos);
        }
        demandChanged();
    }

    /** The same now. Only a flow that retransmits asks for the time; reading the clock costs as much as a post. */
    void advance() {
        boolean mayRetransmit = window.hasWaiting() && answers.rnr() > 0;
        advance(mayRetransmit ? System.nanoTime() : 0);
    }

    /** Makes the records of what is finished, in order. */
    void report() {
        if (!queue.isBusy()) { // the record of a long copy comes before these
            owed = false;
            order.report();
        }
    }

    /** Pollers come by while something waits; most messages start at once, and never do. */
    @Override
    public void demandChanged() {
        if (watched != isWatched()) {
            watched = !watched;
            queue.context().waitingQueues().addAndGet(watched ? 1 : -1);
        }
    }

    /** A slot of the message at {@code position} was answered. */
    void answered(long position, int answer, int argument) {
        if (window.holds(position)) { // else it was reported already, as flushed
            answers.answered(position, window.at(position), answer, argument);
        }
    }

    /** When the earliest retransmission is due; {@code Long.MAX_VALUE} when none is. */
    long nextRetryNanos() {
        return window.hasWaiting() && state() == QueueState.READY ? flows.nextRetryNanos() : Long.MAX_VALUE;
    }

    // ---- starting

    @Override
    public boolean begin(long position, Wqe entry, long nowNanos) {
        Lane lane = entry.flow;
        if (lane == null) {
            return execute(entry);
        }
        if (queue.isDatagram()) {
            return sendDatagram(position, entry, lane);
        }
        if (entry.placesBytes && !place(entry)) {
            return false;
        }
        return send(position, entry, lane);
    }

    private boolean execute(Wqe entry) {
        CompletionStatus status = OneSided.execute(entry);
        finish(entry, status);
        return status == CompletionStatus.SUCCESS;
    }

    /** A datagram follows nothing, and is over when it is in the ring, or its peer gone (S8.1). */
    private boolean sendDatagram(long position, Wqe entry, Lane lane) {
        MessagePath path = lane.target.path;
        try {
            if (!path.isDead() && !path.send(queue, position, entry, lane)) {
                return false; // a full ring is the one thing that it waits for
            }
        } catch (RuntimeException e) {
            if (!path.isDead()) {
                finish(entry, OneSided.statusOf(e, entry));
                return false;
            }
        }
        if (path.isDead()) {
            drop(entry, Drop.PEER_GONE);
        } else {
            finish(entry, CompletionStatus.SUCCESS);
        }
        return true;
    }

    private boolean place(Wqe entry) {
        CompletionStatus status = OneSided.execute(entry);
        if (status != CompletionStatus.SUCCESS) {
            finish(entry, status);
            return false;
        }
        entry.placed();
        return true;
    }

    private boolean send(long position, Wqe entry, Lane lane) {
        MessagePath path = lane.target.path;
        if (path.isDead()) {
            finish(entry, CompletionStatus.ACK_TIMEOUT_ERR);
            return false;
        }
        boolean all;
        try {
            all = path.send(queue, position, entry, lane);
        } catch (RuntimeException e) {
            // the peer went away, or local memory
            finish(entry, path.isDead() ? CompletionStatus.ACK_TIMEOUT_ERR : OneSided.statusOf(e, entry));
            return false;
        }
        if (all) {
            window.started(entry, 0);
        } else if (entry.slotsInFlight > 0) {
            entry.enterFlow(0);
        }
        return all;
    }

    /** The message is to be sent again, from its start. */
    void repeat(long position, Wqe entry) {
        entry.rewind();
        order.repeat(position, entry);
    }

    // ---- ending

    /** The work request has its status; a failure has consequences. */
    void finish(Wqe entry, CompletionStatus status) {
        order.finish(entry, status.value());
    }

    /** The datagram was handed to the network, which lost it: a success (S8.1). */
    private void drop(Wqe entry, Drop reason) {
        drops.count(reason);
        window.end(entry, SUCCESS);
    }

    /** The datagrams that were lost on this side. */
    DropCounts drops() {
        return drops;
    }

    @Override
    public void left(Wqe entry) {
        entry.slotsInFlight = 0;
        Lane lane = entry.flow;
        if (lane != null && entry.isHalfSent()) {
            lane.target.path.abandonTrain(queue.id(), lane.target.queueId());
        }
    }

    @Override
    public void abandonAll() {
        flows.reset();
    }

    @Override
    public void pause(PeerLanes silent) {
        flows.startAnew(silent, nanos());
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

    /** What a one-sided operation that failed within its post ends with. */
    CompletionStatus statusOf(ShmImport remote, CompletionStatus status) {
        return order.failures().isByTarget() && failedTargets.contains(remote) ? CompletionStatus.WR_FLUSH_ERR : status;
    }

    /** A one-sided operation has failed within its post. */
    void failed(ShmImport remote, CompletionStatus status) {
        if (failedTargets.contains(remote)) {
            return;
        }
        if (order.failures().isByTarget()) {
            failedTargets.add(remote);
            order.failures().failTarget();
        } else {
            order.failures().failQueue(status.value());
        }
    }

    // ---- peers

    /** The peer is gone: the oldest work request to it fails, and with it what its failure affects. */
    void peerLost(Peer peer) {
        PeerLanes lost = flows.known(peer);
        if (lost == null) {
            return;
        }
        if (queue.isDatagram()) {
            for (long next = oldestTo(lost); next >= 0; next = oldestTo(lost)) {
                drop(window.at(next), Drop.PEER_GONE);
            }
        } else {
            order.failures().peerLost(lost);
        }
        report();
    }

    private long oldestTo(PeerLanes peer) {
        return order.failures().oldestTo(peer);
    }

    /**
     * Fails what its peer has left unanswered for too long (S12.3).
     *
     * @param pausedNanos how long this process stood still before: no silence of the peer
     */
    void expire(long nowNanos, long pausedNanos, long timeoutNanos) {
        boolean ready = state() == QueueState.READY;
        if (!ready && !order.life().isSuspending()) {
            return;
        }
        for (long position = window.head(); position < window.end(); position++) {
            Wqe entry = window.at(position);
            boolean holds = !ready || entry.flow == null || entry.flow.probing;
            if (entry.isSettled() || (entry.slotsInFlight == 0 && holds)) {
                continue; // waits for a receive work request, which may take any time
            }
            if (entry.sinceNanos == 0) {
                entry.sinceNanos = nowNanos; // first seen; posts do not ask for the time
                continue;
            }
            entry.sinceNanos = Math.min(nowNanos, entry.sinceNanos + pausedNanos);
            if (nowNanos - entry.sinceNanos > timeoutNanos) {
                giveUp(position, entry);
                report();
                return;
            }
        }
    }

    private void giveUp(long position, Wqe entry) {
        if (queue.isDatagram()) {
            drop(entry, Drop.PEER_SILENT);
        } else {
            order.failures().giveUp(position);
        }
    }

    // ---- states

    @Override
    public void entering(QueueState next) {
        queue.entering(next);
    }

    @Override
    public void queueFailed(int cause) {
        queue.failed(cause == SUCCESS ? null : CompletionStatus.of(cause));
    }

    /** The queue is READY again: what was held starts, in order. */
    void resume(long nowNanos) {
        order.resume(0);
        advance(nowNanos);
    }

    // ---- records

    @Override
    public boolean record(long position, Wqe entry) {
        if (entry.isSilent()) {
            return true;
        }
        WindowRecords.Told told = queue.records().push(position, entry);
        switch (told) {
            case YES -> {}
            case LATER -> owed = true;
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
        boolean made = queue.records().pushMarker(status, position);
        if (!made && status == WR_FLUSH_ERR_DONE) {
            owed = queue.records().mayMark(); // a poller makes room for it
            demandChanged();
        }
        return made;
    }

    @Override
    public long posted() {
        return queue.posted();
    }

    /** Takes out what has no record, in order: see {@link SendOrder#flush}. */
    int flush(long[] words, int maxRecords) {
        return order.flush(
                maxRecords,
                (index, position, entry, status) -> write(entry, status, words, index * CompletionRecord.WORDS));
    }

    private void write(Wqe entry, int status, long[] words, int at) {
        words[at] = queue.header(status, entry.opcode);
        words[at + CompletionRecord.USER_CONTEXT] = entry.userContext;
        words[at + CompletionRecord.LENGTH] = status == SUCCESS ? entry.lengthBytes : 0;
    }

    /** {@link #flush} of all at once. */
    long[] takeAll() {
        int most = (int) (window.end() - window.head());
        long[] words = new long[most * CompletionRecord.WORDS];
        int count = flush(words, most);
        return Arrays.copyOf(words, count * CompletionRecord.WORDS);
    }

    /** Takes everything out: the queue is closed. */
    void clear() {
        order.clear();
        flows.clear();
    }
}
