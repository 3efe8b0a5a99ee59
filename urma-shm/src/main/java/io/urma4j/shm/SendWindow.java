package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.ring.Answer;
import io.urma4j.spi.CompletionRecord;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The work requests of a send queue that could not be finished within their posts: messages, which wait for the
 * receiver's answer, and whatever must follow them. Guarded by the queue's claim.
 *
 * <p>Positions from {@code head} to {@code end} are in the window. A work request starts when nothing before it to the same
 * target is in its way ({@link #scan}), and is reported when everything before it was ({@link #report}); so flows to
 * different targets pass each other, and records do not.
 */
final class SendWindow {
    private static final int FOR_EVER = 7; // rounds of RNR, S12.1
    private static final long MICRO = 1_000;

    private final ShmSendQueue queue;
    private final Wqe[] entries;
    private final int mask;
    private final IdentityHashMap<ShmTarget, Lane> lanes = new IdentityHashMap<>();
    private final Map<Peer, PeerLanes> peers = new HashMap<>();

    private long head; // the oldest that was not reported
    private long end; // behind the youngest
    private long firstWaiting; // nothing before it waits
    private long scans;
    private int waiting;
    private boolean counted; // among the queues in which something waits, so that pollers come by

    /** The queue is in ERROR and its marker was not made yet. */
    private boolean draining;

    private long rnr;
    private long failures;

    SendWindow(ShmSendQueue queue, int depth) {
        this.queue = queue;
        this.entries = new Wqe[depth];
        this.mask = depth - 1;
    }

    boolean isEmpty() {
        return head == end;
    }

    boolean hasWaiting() {
        return waiting > 0;
    }

    /** Whether the entry of {@code position} is free. */
    boolean hasRoom(long position) {
        return isEmpty() || position - head <= mask;
    }

    /** Whether a flow repeats its oldest message, so that starting anything needs the time. */
    boolean mayRepeat() {
        return rnr > 0 && waiting > 0;
    }

    /** How many messages found nobody ready. */
    long rnr() {
        return rnr;
    }

    long failures() {
        return failures;
    }

    boolean isDraining() {
        return draining;
    }

    /** The entry for {@code position}, to be filled and then {@linkplain #add added}. */
    Wqe entry(long position) {
        int index = (int) position & mask;
        Wqe entry = entries[index];
        if (entry == null) {
            entry = new Wqe(); // once for each place
            entries[index] = entry;
        }
        return entry;
    }

    private Wqe at(long position) {
        return entries[(int) position & mask];
    }

    /** Takes the filled entry of {@code position} into the window. */
    void add(long position, Wqe entry, @Nullable ShmTarget target) {
        if (isEmpty()) {
            head = position;
            firstWaiting = position;
        }
        end = position + 1;
        if (target != null) {
            entry.lane = laneTo(target);
            entry.peer = entry.lane.peer;
        } else if (entry.remote != null) {
            entry.peer = lanesTo(entry.remote.home());
        }
        entry.pin();
        waits(entry);
    }

    /** The caller goes on to {@link #advance}, which tells the context. */
    private void waits(Wqe entry) {
        entry.stage = Wqe.Stage.WAITING;
        waiting++;
    }

    private void waitsNoMore() {
        if (--waiting == 0 && counted) {
            counted = false;
            queue.context().waitingQueues().decrementAndGet();
        }
    }

    /** A record of {@code position} found no place in the JFC: it stays here until it is polled or flushed. */
    void keep(long position, Wqe entry, CompletionStatus status) {
        long endBefore = end;
        boolean alone = isEmpty();
        add(position, entry, null);
        if (!alone) { // a long copy failed, and others were posted behind it meanwhile
            head = position;
            end = endBefore;
        }
        waitsNoMore();
        done(entry, status);
    }

    private Lane laneTo(ShmTarget target) {
        Lane lane = lanes.get(target);
        if (lane == null) {
            lane = new Lane(target, lanesTo(target.peer));
            lane.restart = true; // an earlier life of this flow may have been held back
            lanes.put(target, lane);
        }
        return lane;
    }

    private PeerLanes lanesTo(Peer peer) {
        PeerLanes found = peers.get(peer);
        if (found == null) {
            found = new PeerLanes(peer);
            peers.put(peer, found);
        }
        return found;
    }

    // ---- starting

    /** Starts what can be started, and reports what is finished. */
    void advance(long nowNanos) {
        if (!queue.isBusy()) { // who makes a long copy comes back here
            if (waiting > 0 && queue.state() == QueueState.READY) {
                scan(nowNanos);
            }
            report();
        }
        if (waiting > 0 && !counted) { // most messages start at once, and never wait
            counted = true;
            queue.context().waitingQueues().incrementAndGet();
        }
    }

    private void scan(long nowNanos) {
        scans++;
        boolean anyBlocked = false;
        for (long position = firstWaiting; position < end && waiting > 0; position++) {
            Wqe entry = at(position);
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
        return tryMessage(position, entry, entry.lane, nowNanos);
    }

    private boolean tryNop(long position, Wqe entry) {
        report();
        if (position != head) {
            return false; // a NOP completes after everything before it
        }
        finish(entry, CompletionStatus.SUCCESS);
        return true;
    }

    private boolean tryOneSided(Wqe entry) {
        PeerLanes peer = peerOf(entry);
        if (peer.sent > 0 || peer.laneBlockedInScan == scans || peer.oneSidedBlockedInScan == scans) {
            peer.oneSidedBlockedInScan = scans;
            return false;
        }
        CompletionStatus status = OneSided.execute(entry);
        finish(entry, status);
        return status == CompletionStatus.SUCCESS;
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
            return queue.state() == QueueState.READY && blocked(lane);
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
            finish(entry, status);
            return false;
        }
        entry.placed = true;
        return true;
    }

    private boolean trySend(long position, Wqe entry, Lane lane) {
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
            letGo(entry);
            finish(entry, path.isDead() ? CompletionStatus.ACK_TIMEOUT_ERR : OneSided.statusOf(e, entry));
            return false;
        }
        if (!entry.counted && entry.slotsInFlight > 0) {
            entry.counted = true;
            lane.sent++;
            lane.peer.sent++;
            entry.sentAtNanos = 0;
        }
        if (!all) {
            return blocked(lane);
        }
        entry.stage = Wqe.Stage.SENT;
        waitsNoMore();
        return true;
    }

    private static boolean isSettled(Wqe entry) {
        return entry.stage == Wqe.Stage.DONE || entry.stage == Wqe.Stage.REPORTED;
    }

    private static PeerLanes peerOf(Wqe entry) {
        PeerLanes peer = entry.peer;
        assert peer != null : "a one-sided operation has a peer";
        return peer;
    }

    // ---- answers

    /** A slot of the message at {@code position} was answered. */
    void answered(long position, int answer, int argument) {
        if (position < head || position >= end) {
            return; // reported already, as flushed
        }
        Wqe entry = at(position);
        if (entry.slotsInFlight == 0) {
            return; // an answer to an earlier life of the entry
        }
        entry.slotsInFlight--;
        if (answer != Answer.TAKEN && (entry.answer == 0 || entry.answer == Answer.TAKEN)) {
            entry.answer = answer;
            entry.answerArgument = argument;
        } else if (entry.answer == 0) {
            entry.answer = answer;
        }
        if (entry.slotsInFlight == 0 && (entry.stage == Wqe.Stage.SENT || entry.answer != Answer.TAKEN)) {
            settle(position, entry);
        }
    }

    /** All slots of a message are answered. */
    private void settle(long position, Wqe entry) {
        Lane lane = entry.lane;
        if (isSettled(entry) || lane == null) {
            return;
        }
        uncount(entry, lane);
        switch (entry.answer) {
            case Answer.TAKEN -> {
                lane.probing = false;
                lane.rnrRounds = 0;
                finish(entry, CompletionStatus.SUCCESS);
            }
            case Answer.NOT_READY -> notReady(position, entry, lane, true);
            case Answer.LATER -> notReady(position, entry, lane, false);
            case Answer.HELD -> held(position, entry, lane);
            case Answer.REFUSED -> finish(entry, CompletionStatus.REM_ACCESS_ABORT_ERR);
            case Answer.UNSUPPORTED -> finish(entry, CompletionStatus.REM_UNSUPPORTED_REQ_ERR);
            default -> finish(entry, CompletionStatus.REM_OPERATION_ERR);
        }
    }

    private void notReady(long position, Wqe entry, Lane lane, boolean counts) {
        rnr++;
        int allowed = queue.rnrRetry();
        if (counts && allowed != FOR_EVER && ++lane.rnrRounds > allowed) {
            finish(entry, CompletionStatus.RNR_RETRY_CNT_EXC_ERR);
            return;
        }
        lane.probing = true;
        lane.restart = true;
        lane.retryAtNanos = System.nanoTime() + Math.max(1, entry.answerArgument) * MICRO;
        repeat(position, entry);
    }

    private void held(long position, Wqe entry, Lane lane) {
        if (lane.probing) {
            repeat(position, entry);
        } else { // behind nothing: a peer that says so for ever would hold us up for ever
            finish(entry, CompletionStatus.REM_OPERATION_ERR);
        }
    }

    private void repeat(long position, Wqe entry) {
        entry.rewind();
        if (entry.stage != Wqe.Stage.WAITING) {
            waits(entry);
        }
        firstWaiting = Math.min(firstWaiting, position);
    }

    private static void uncount(Wqe entry, Lane lane) {
        if (entry.counted) {
            entry.counted = false;
            lane.sent--;
            lane.peer.sent--;
        }
    }

    // ---- finishing

    /** The rest of a message will not be sent, and answers that still come are ignored. */
    private void letGo(Wqe entry) {
        Lane lane = entry.lane;
        if (lane == null) {
            return;
        }
        uncount(entry, lane);
        entry.slotsInFlight = 0;
        if (entry.isHalfSent()) {
            lane.target.path.abandonTrain(queue.id(), lane.target.queueId());
        }
    }

    /** The work request has its status. A failure takes the queue to ERROR. */
    private void finish(Wqe entry, CompletionStatus status) {
        if (entry.stage == Wqe.Stage.WAITING) {
            waitsNoMore();
        }
        done(entry, status);
        if (status != CompletionStatus.SUCCESS) {
            failures++;
            fail();
        }
    }

    private void done(Wqe entry, CompletionStatus status) {
        entry.stage = Wqe.Stage.DONE;
        entry.status = status;
    }

    /** Goes to ERROR: what has begun is flushed, what has not waits for {@link #flush}. */
    void fail() {
        queue.enterError();
        draining = true;
        for (long position = head; position < end; position++) {
            Wqe entry = at(position);
            if (isSettled(entry) || !entry.hasBegun()) {
                continue;
            }
            letGo(entry);
            if (entry.stage == Wqe.Stage.WAITING) {
                waitsNoMore();
            }
            entry.stage = Wqe.Stage.DONE;
            entry.status = CompletionStatus.WR_FLUSH_ERR;
        }
        for (Lane lane : lanes.values()) {
            lane.restart = true;
            lane.probing = false;
            lane.rnrRounds = 0;
        }
    }

    /** The peer is gone: the oldest work request to it fails, and the queue with it. */
    boolean peerLost(Peer peer) {
        for (long position = head; position < end; position++) {
            Wqe entry = at(position);
            if (!isSettled(entry) && entry.peer != null && entry.peer.peer.equals(peer)) {
                failAt(entry, CompletionStatus.ACK_TIMEOUT_ERR);
                return true;
            }
        }
        return false;
    }

    private void failAt(Wqe entry, CompletionStatus status) {
        letGo(entry);
        finish(entry, status);
        report();
    }

    /** Fails the queue when its peer has been silent for too long (S12.3). */
    void expire(long nowNanos, long timeoutNanos) {
        if (queue.state() != QueueState.READY) {
            return;
        }
        for (long position = head; position < end; position++) {
            Wqe entry = at(position);
            boolean repeats = entry.lane == null || entry.lane.probing;
            if (isSettled(entry) || (entry.slotsInFlight == 0 && repeats)) {
                continue; // waits for a receive work request, which may take for ever
            }
            if (entry.sentAtNanos == 0) {
                entry.sentAtNanos = nowNanos; // first seen; posts do not ask for the time
            } else if (nowNanos - entry.sentAtNanos > timeoutNanos) {
                failAt(entry, CompletionStatus.ACK_TIMEOUT_ERR);
                return;
            }
        }
    }

    /** When the earliest repetition is due; {@code Long.MAX_VALUE} when none is. */
    long nextRetryNanos() {
        long next = Long.MAX_VALUE;
        if (waiting > 0 && queue.state() == QueueState.READY) {
            for (Lane lane : lanes.values()) {
                if (lane.probing && lane.sent == 0) {
                    next = Math.min(next, lane.retryAtNanos);
                }
            }
        }
        return next;
    }

    // ---- reporting

    /** Makes the records of what is finished, in order. */
    void report() {
        if (queue.isBusy()) {
            return; // the record of a long copy comes before these
        }
        while (head < end && isReported(head)) {
            head++;
        }
        if (draining) {
            drain();
        }
        if (head == end) {
            firstWaiting = end;
        }
    }

    /** Whether the record of {@code position} was made, now or before. */
    private boolean isReported(long position) {
        Wqe entry = at(position);
        if (entry.stage == Wqe.Stage.DONE) {
            reportOne(position, entry);
        }
        return entry.stage == Wqe.Stage.REPORTED;
    }

    /** In ERROR, what was never started stays behind and the others pass it; then comes the marker. */
    private void drain() {
        for (long position = head; position < end; position++) {
            Wqe entry = at(position);
            if (entry.stage == Wqe.Stage.DONE && !isReported(position)) {
                return;
            }
        }
        if (queue.pushMarker()) {
            draining = false;
        }
    }

    private void reportOne(long position, Wqe entry) {
        boolean silent = entry.status == CompletionStatus.SUCCESS && (entry.flags & PostFlags.SIGNALLED_BIT) == 0;
        if (silent || queue.pushProgress(position, entry)) {
            entry.release();
            entry.stage = Wqe.Stage.REPORTED;
        } else if (queue.state() != QueueState.ERROR) {
            fail(); // the JFC is full, and with it in ERROR
        }
    }

    /** Takes out what never started, or found no place in the JFC, as records; for a queue in ERROR that has drained. */
    int flush(long[] words, int maxRecords) {
        int count = 0;
        while (head < end && count < maxRecords) {
            Wqe entry = at(head);
            if (entry.stage != Wqe.Stage.REPORTED) {
                CompletionStatus status = entry.stage == Wqe.Stage.DONE ? entry.status : CompletionStatus.WR_UNHANDLED;
                int at = count++ * CompletionRecord.WORDS;
                words[at] = queue.header(status, entry.opcode);
                words[at + CompletionRecord.USER_CONTEXT] = entry.userContext;
                words[at + CompletionRecord.LENGTH] = 0;
            }
            if (entry.stage == Wqe.Stage.WAITING) {
                waitsNoMore();
            }
            entry.release();
            entry.stage = Wqe.Stage.REPORTED;
            head++;
        }
        firstWaiting = head;
        if (isEmpty()) {
            draining = false; // of a JFC that has overflowed and takes no marker
        }
        return count;
    }

    /** Forgets everything: the queue is closed. */
    void clear() {
        for (long position = head; position < end; position++) {
            Wqe entry = at(position);
            letGo(entry);
            if (entry.stage == Wqe.Stage.WAITING) {
                waitsNoMore();
            }
            entry.release();
            entry.stage = Wqe.Stage.REPORTED;
        }
        head = end;
        draining = false;
        lanes.clear();
        peers.clear();
    }
}
