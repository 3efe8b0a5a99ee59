package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.shm.control.Peer;
import io.urma4j.spi.CompletionRecord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The work requests of a send queue that could not be finished within their posts: messages, which wait for the
 * receiver's answer, and whatever must follow them. Guarded by the queue's lock.
 *
 * <p>Positions from {@code head} to {@code end} are in the window. A work request starts when nothing before it to the same
 * target is in its way ({@link WindowScan}), and is reported when everything before it was ({@link #report}); so flows to
 * different targets pass each other, and records do not. {@link WindowAnswers} says what answers mean, {@link FailurePolicy} what
 * failures do.
 */
final class SendWindow {
    /** What is to be told once everything that was started has ended. */
    private enum Drain {
        NONE,
        SUSPENSION,
        ERROR,
        /** As ERROR, but the call itself tells. */
        UNBINDING
    }

    private final ShmSendQueue queue;
    private final Wqe[] entries;
    private final int mask;
    private final Flows flows = new Flows();
    private final WindowScan scan;
    private final WindowAnswers answers;
    private final FailurePolicy failurePolicy;

    private long head; // the oldest that was not reported
    private long end; // behind the youngest
    private int waiting;
    private boolean watched; // the context counts it among the queues that pollers must see to
    private Drain drain = Drain.NONE;
    private boolean owed; // a record, since another JFC was busy
    private final DropCounts drops = new DropCounts();
    private long heldFrom; // what a suspension holds begins here

    SendWindow(ShmSendQueue queue, int depth, JfsConfig config) {
        this.queue = queue;
        this.entries = new Wqe[depth];
        this.mask = depth - 1;
        this.scan = new WindowScan(this, queue);
        this.answers = new WindowAnswers(this, queue);
        this.failurePolicy = new FailurePolicy(this, queue, flows, config);
    }

    boolean isEmpty() {
        return head == end;
    }

    long head() {
        return head;
    }

    long end() {
        return end;
    }

    boolean hasWaiting() {
        return waiting > 0;
    }

    /** Whether progress has something to do here: to start what waits, or to make a record that is owed. */
    boolean isWatched() {
        return waiting > 0 || owed || drain == Drain.SUSPENSION;
    }

    /** Whether the entry of {@code position} is free. */
    boolean hasRoom(long position) {
        return isEmpty() || position - head <= mask;
    }

    /** Whether a flow repeats its oldest message, so that starting anything needs the time. */
    private boolean mayRepeat() {
        return waiting > 0 && answers.rnr() > 0;
    }

    long rnr() {
        return answers.rnr();
    }

    FailurePolicy failurePolicy() {
        return failurePolicy;
    }

    /** Whether the marker of ERROR or of the suspension was not made yet. */
    boolean isDraining() {
        return drain != Drain.NONE;
    }

    boolean isSuspending() {
        return drain == Drain.SUSPENSION;
    }

    /** Where what the suspension holds begins: everything before has its record. */
    long heldFrom() {
        return heldFrom;
    }

    /** The entry for {@code position}, to be filled and then {@linkplain #add added}. */
    Wqe entry(long position) {
        int index = (int) position & mask;
        Wqe entry = entries[index];
        if (entry == null) {
            entry = new Wqe(queue.jfc()); // once for each place
            entries[index] = entry;
        }
        return entry;
    }

    Wqe at(long position) {
        return entries[(int) position & mask];
    }

    /** Takes the filled entry of {@code position} into the window. */
    void add(long position, Wqe entry, @Nullable ShmTarget target) {
        if (isEmpty()) {
            head = position;
            scan.startAt(position);
        }
        end = position + 1;
        if (target != null) {
            entry.lane = flows.to(target);
            entry.peer = entry.lane.peer;
        } else if (entry.remote != null) {
            entry.peer = flows.to(entry.remote.home());
        }
        entry.pin();
        waits(entry);
        if (queue.state() != QueueState.ERROR && failurePolicy.concerns(entry)) { // in ERROR flush has it (S6.4)
            end(entry, CompletionStatus.WR_FLUSH_ERR);
        }
    }

    /**
     * Whether a message to that flow may go into the ring within its post: nothing waits, so it follows nothing, and the
     * receiver takes the flow as it comes.
     */
    boolean mayStartAtOnce(Lane lane, long position) {
        return waiting == 0 && !lane.probing && !lane.restart && hasRoom(position);
    }

    Lane laneTo(ShmTarget target) {
        return flows.to(target);
    }

    /** Takes the entry of {@code position} into the window, which lies in the ring already. */
    void addSent(long position) {
        if (isEmpty()) {
            head = position;
        }
        end = position + 1;
        scan.startAt(end);
    }

    /** The caller goes on to {@link #advance}, which tells the context. */
    private void waits(Wqe entry) {
        entry.stage = Wqe.Stage.WAITING;
        waiting++;
    }

    private void waitsNoMore() {
        if (--waiting == 0) {
            tellWhetherWatched();
        }
    }

    private void drain(Drain next) {
        drain = next;
        tellWhetherWatched();
    }

    /** Pollers come by while something waits; most messages start at once, and never do. */
    private void tellWhetherWatched() {
        if (watched != isWatched()) {
            watched = !watched;
            queue.context().waitingQueues().addAndGet(watched ? 1 : -1);
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
        end(entry, status);
    }

    // ---- starting

    /** Starts what can be started, and reports what is finished. */
    void advance(long nowNanos) {
        if (!queue.isBusy()) { // who makes a long copy comes back here
            if (waiting > 0 && queue.state() == QueueState.READY) {
                scan.run(nowNanos);
            }
            report();
        }
        tellWhetherWatched();
    }

    /** The same now. Only a flow that repeats asks for the time; reading the clock costs as much as a post. */
    void advance() {
        advance(mayRepeat() ? System.nanoTime() : 0);
    }

    /** All of the message is in the ring. */
    void sent(Wqe entry) {
        entry.stage = Wqe.Stage.SENT;
        waitsNoMore();
    }

    /** The message is to be sent again, from its start. */
    void repeat(long position, Wqe entry) {
        entry.rewind();
        if (entry.stage != Wqe.Stage.WAITING) {
            waits(entry);
        }
        scan.waitsAgain(position);
    }

    /** A slot of the message at {@code position} was answered. */
    void answered(long position, int answer, int argument) {
        if (position >= head && position < end) { // else it was reported already, as flushed
            answers.answered(position, at(position), answer, argument);
        }
    }

    /** Fails what has waited too long for its peer. */
    void expire(long nowNanos, long pausedNanos, long timeoutNanos) {
        failurePolicy.expire(nowNanos, pausedNanos, timeoutNanos);
    }

    /** When the earliest repetition is due; {@code Long.MAX_VALUE} when none is. */
    long nextRetryNanos() {
        return waiting > 0 && queue.state() == QueueState.READY ? flows.nextRetryNanos() : Long.MAX_VALUE;
    }

    void peerLost(Peer peer) {
        failurePolicy.peerLost(peer);
    }

    // ---- finishing

    /** The work request has its status; a failure has consequences. */
    void finish(Wqe entry, CompletionStatus status) {
        end(entry, status);
        if (status != CompletionStatus.SUCCESS) {
            failurePolicy.failed(entry, status);
        }
    }

    /** The datagram was handed to the network, which lost it: a success (S8.1). */
    void drop(Wqe entry, Drop reason) {
        drops.count(reason);
        end(entry, CompletionStatus.SUCCESS);
    }

    /** The datagrams that were lost on this side. */
    DropCounts drops() {
        return drops;
    }

    /** The work request has its status. */
    void end(Wqe entry, CompletionStatus status) {
        letGo(entry);
        if (entry.stage == Wqe.Stage.WAITING) {
            waitsNoMore();
        }
        entry.stage = Wqe.Stage.DONE;
        entry.status = status;
    }

    /** The rest of a message will not be sent, and answers that still come are ignored. */
    private void letGo(Wqe entry) {
        Lane lane = entry.lane;
        if (lane != null) {
            entry.leaveFlow();
            if (entry.isHalfSent()) {
                lane.target.path.abandonTrain(queue.id(), lane.target.queueId());
            }
        }
    }

    /** All work requests are over: see {@link FailurePolicy#fail}. */
    void fail() {
        failurePolicy.fail();
    }

    /** The state is ERROR; its marker follows. */
    void enterError(@Nullable CompletionStatus cause) {
        if (queue.state() != QueueState.ERROR) {
            queue.enterError(cause);
            drain(Drain.ERROR);
        }
    }

    /** The same for who unbinds: no marker follows. */
    void unbind() {
        fail();
        drain(Drain.UNBINDING);
    }

    /** The state is SUSPENDED: nothing starts, and the marker follows when what has started is over. */
    void enterSuspended() {
        queue.enter(QueueState.SUSPENDED);
        drain(Drain.SUSPENSION);
    }

    /** The queue is READY again: what was held starts, in order. */
    void resume(long nowNanos) {
        drain(Drain.NONE); // a suspension that ends before it is complete makes no marker
        for (long position = head; position < end; position++) {
            at(position).sentAtNanos = 0; // time in suspension is not the peer's silence
        }
        advance(nowNanos);
    }

    // ---- reporting

    /** Makes the records of what is finished, in order. */
    void report() {
        if (queue.isBusy()) {
            return; // the record of a long copy comes before these
        }
        owed = false;
        while (head < end && isReported(head)) {
            head++;
        }
        if (drain == Drain.ERROR || drain == Drain.UNBINDING) {
            drainError();
        } else if (drain == Drain.SUSPENSION) {
            drainSuspension();
        }
        if (head == end) {
            scan.startAt(end);
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

    private void reportOne(long position, Wqe entry) {
        entry.release(); // first: who sees the record may close at once what it named
        WindowRecords.Told told =
                entry.isSilent() ? WindowRecords.Told.YES : queue.records().push(position, entry);
        switch (told) {
            case YES -> entry.stage = Wqe.Stage.REPORTED;
            case LATER -> owed = true;
            case NO_ROOM -> {
                if (queue.state() != QueueState.ERROR) {
                    fail(); // the JFC is full, and with it in ERROR
                }
            }
        }
    }

    /** In ERROR, what was never started stays behind and the others pass it; then comes the marker. */
    private void drainError() {
        for (long position = head; position < end; position++) {
            Wqe entry = at(position);
            if (entry.stage == Wqe.Stage.DONE && !isReported(position)) {
                return;
            }
        }
        if (drain == Drain.UNBINDING || queue.records().pushErrorMarker()) {
            drain(Drain.NONE);
        } else {
            owed = queue.records().mayMark(); // a poller makes room for it
            tellWhetherWatched();
        }
    }

    /** In SUSPENDED, what lies in the ring is waited for, and goes behind the marker when nobody took it. */
    private void drainSuspension() {
        for (long position = head; position < end; position++) {
            if (at(position).slotsInFlight > 0) {
                return;
            }
        }
        for (long position = head; position < end; position++) {
            Wqe entry = at(position);
            if (entry.stage == Wqe.Stage.WAITING && entry.sentBytes > 0 && entry.lane != null) {
                letGo(entry); // its first parts are there without its end: nothing of it was delivered
                entry.lane.restart = true;
                repeat(position, entry);
            }
        }
        long from = isEmpty() ? queue.posted() : head;
        if (queue.records().pushSuspendMarker(from - 1)) {
            heldFrom = from;
            drain(Drain.NONE);
        }
    }

    /**
     * Takes out what has no record, in order: what never started, and what found no place in the JFC. The queue is in
     * ERROR or SUSPENDED, and has drained.
     */
    int flush(long[] words, int maxRecords) {
        int count = 0;
        while (head < end && count < maxRecords) {
            Wqe entry = at(head);
            if (entry.stage != Wqe.Stage.REPORTED && !(entry.stage == Wqe.Stage.DONE && entry.isSilent())) {
                write(entry, words, count++ * CompletionRecord.WORDS);
            }
            letGo(entry);
            if (entry.stage == Wqe.Stage.WAITING) {
                waitsNoMore();
            }
            entry.release();
            entry.stage = Wqe.Stage.REPORTED;
            head++;
        }
        scan.startAt(head);
        if (isEmpty()) {
            drain(Drain.NONE); // of a JFC that has overflowed and takes no marker
        }
        return count;
    }

    private void write(Wqe entry, long[] words, int at) {
        CompletionStatus unfinished = entry.placed ? CompletionStatus.WR_FLUSH_ERR : CompletionStatus.WR_UNHANDLED;
        CompletionStatus status = entry.stage == Wqe.Stage.DONE ? entry.status : unfinished;
        words[at] = queue.header(status, entry.opcode);
        words[at + CompletionRecord.USER_CONTEXT] = entry.userContext;
        words[at + CompletionRecord.LENGTH] = status == CompletionStatus.SUCCESS ? entry.lengthBytes : 0;
    }

    /** {@link #flush} of all at once. */
    long[] takeAll() {
        long[] words = new long[(int) (end - head) * CompletionRecord.WORDS];
        int count = flush(words, (int) (end - head));
        return Arrays.copyOf(words, count * CompletionRecord.WORDS);
    }

    /** Shows what is not finished, for a person who looks in. */
    void show(Waits waits) {
        for (long position = head; position < end; position++) {
            Wqe entry = at(position);
            if (!entry.isSettled()) {
                waits.add(entry);
            }
        }
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
        drain(Drain.NONE);
        flows.clear();
    }
}
