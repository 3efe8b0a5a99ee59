package io.urma4j.udma.device;

import io.urma4j.udma.command.CardState;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.command.SendStats;
import io.urma4j.udma.command.SendWait;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.ring.WqRing;
import io.urma4j.udma.transport.SendWork;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A send queue: the work requests from {@code head}, the oldest that was not reported, to {@code end}, behind the youngest.
 *
 * <p>A work request starts when nothing before it to the same target is in its way ({@link SendScan}), and is reported when
 * everything before it was ({@link SendReports}); so flows to different targets pass each other, and records do not. {@link
 * Outage} says what failures do.
 *
 * <p>What a connection answers is written down, and seen to when the queue has its next turn: no connection is called from
 * within its own call.
 */
final class SendQueue extends Timed implements SendWork, CqUser {
    private static final int FOR_EVER = 7; // rounds of RNR, S12.1

    /** What is to be told once everything that was started has ended. */
    enum Drain {
        NONE,
        SUSPENSION,
        ERROR
    }

    /** Whether it waits in the line of the card. */
    boolean inLine;

    private final Board board;
    private final SendQueueConfig config;
    private final MemorySegment ring;
    private final Slots slots;
    private final Flows flows;
    private final SendScan scan;
    private final SendReports reports;
    private final FailurePolicy failurePolicy;

    private int handle;
    private int number;
    private @Nullable Receiver receiver; // of a Jetty
    private @Nullable CardConnection own; // of a connected queue
    private @Nullable Flow ownFlow;
    private int state;
    private long head;
    private long end;
    private int waiting;
    private int failures; // in stage FAILED
    private Drain drain = Drain.NONE;
    private long heldFrom;
    private long notReady;
    private long silenceDueNanos = Long.MAX_VALUE;
    private boolean cqOverflowed;
    private boolean closed;

    SendQueue(Board board, SendQueueConfig config, CompletionQueue cq) {
        this.board = board;
        this.config = config;
        this.ring = config.ring();
        this.slots = new Slots(config.depth());
        this.flows = new Flows(board);
        this.scan = new SendScan(this, board, slots, flows);
        this.reports = new SendReports(this, board, slots, cq);
        this.failurePolicy = new FailurePolicy(this, board, slots, flows);
        this.state = config.kind() == SendQueueConfig.Kind.RC ? CardState.RESET : CardState.READY;
        WqRing.state(ring, state);
    }

    void named(int handle, int number) {
        this.handle = handle;
        this.number = number;
    }

    void receiver(Receiver mine) {
        receiver = mine;
    }

    /** What it receives as; null when it is no Jetty. */
    @Nullable
    Receiver receiver() {
        return receiver;
    }

    SendQueueConfig config() {
        return config;
    }

    int handle() {
        return handle;
    }

    int number() {
        return number;
    }

    int state() {
        return state;
    }

    boolean isRc() {
        return config.kind() == SendQueueConfig.Kind.RC;
    }

    boolean isDatagram() {
        return config.kind() == SendQueueConfig.Kind.UM;
    }

    /** The connection of its own; null when it has none. */
    @Nullable
    CardConnection own() {
        return own;
    }

    long head() {
        return head;
    }

    long end() {
        return end;
    }

    boolean isEmpty() {
        return head == end;
    }

    boolean hasWaiting() {
        return waiting > 0;
    }

    Drain drain() {
        return drain;
    }

    long heldFrom() {
        return heldFrom;
    }

    List<SendWait> waits() {
        return SendWaits.of(this, slots);
    }

    SendStats stats() {
        return new SendStats(notReady, failurePolicy.failures(), heldFrom, drain != Drain.NONE, isEmpty());
    }

    // ---- a turn

    /** Takes what was posted, starts what can start, and reports what is finished. */
    void run(long nowNanos) {
        admit(nowNanos);
        failWithCq();
        settleFailures();
        if (waiting > 0 && state == CardState.READY) {
            scan.run(nowNanos);
            settleFailures();
        }
        reports.run();
        setTimer(nowNanos);
    }

    /** Its completion queue has overflowed. */
    private void failWithCq() {
        if (cqOverflowed) {
            cqOverflowed = false;
            if (state != CardState.RESET) {
                failurePolicy.fail();
            }
        }
    }

    private void admit(long nowNanos) {
        long produced = WqRing.produced(ring);
        while (end < produced) {
            admitOne(end++, nowNanos);
        }
    }

    private void admitOne(long position, long nowNanos) {
        long at = at(position);
        Flow flow = SendWqe.opcode(ring, at) == WorkOpcode.NOP ? null : flowTo(SendWqe.target(ring, at));
        slots.add(position, flow, nowNanos);
        waiting++;
        if (flow == null && SendWqe.opcode(ring, at) != WorkOpcode.NOP) {
            end(position, WorkStatus.LOC_OPERATION_ERR); // a target that nobody made: the driver let it go too early
            slots.stage(position, Slots.FAILED);
            failures++;
        } else if (state != CardState.ERROR && failurePolicy.concerns(position)) { // in ERROR flush has it (S6.4)
            end(position, WorkStatus.WR_FLUSH_ERR);
        }
    }

    private @Nullable Flow flowTo(int target) {
        return isRc() ? ownFlow : flows.to(target);
    }

    private void settleFailures() {
        for (long position = head; failures > 0 && position < end; position++) {
            if (slots.stage(position) == Slots.FAILED) {
                failures--;
                slots.stage(position, Slots.DONE);
                failurePolicy.failed(position, slots.status(position));
            }
        }
    }

    /** Wants a turn. */
    void touch() {
        board.ready(this);
    }

    // ---- what a scan does

    /** The work request is being handed to a connection. */
    void starting(long position, long nowNanos) {
        slots.start(position);
        slots.sinceNanos(position, nowNanos);
        waiting--;
        Flow flow = slots.flow(position);
        int opcode = SendWqe.opcode(ring, at(position));
        if (flow == null || flow.peer == null) {
            return;
        }
        flow.peer.sent++;
        if (WorkOpcode.isMessage(opcode)) {
            flow.sent++;
            flow.peer.sentMessages++;
        } else if (WorkOpcode.isFetch(opcode)) {
            flow.peer.sentFetches++;
            flow.peer.sentReads += opcode == WorkOpcode.READ ? 1 : 0;
        }
    }

    /** Makes the records of what is finished. */
    void report() {
        reports.run();
    }

    /** It is answered, or given up. */
    private void leaveFlow(long position) {
        Flow flow = slots.flow(position);
        if (slots.stage(position) != Slots.STARTED || flow == null || flow.peer == null) {
            return;
        }
        int opcode = SendWqe.opcode(ring, at(position));
        flow.peer.sent--;
        if (WorkOpcode.isMessage(opcode)) {
            flow.sent--;
            flow.peer.sentMessages--;
        } else if (WorkOpcode.isFetch(opcode)) {
            flow.peer.sentFetches--;
            flow.peer.sentReads -= opcode == WorkOpcode.READ ? 1 : 0;
        }
    }

    /** It has failed before it started. */
    void fail(long position, int status) {
        end(position, status);
        slots.stage(position, Slots.FAILED);
        failures++;
    }

    // ---- ends

    /** The work request has its status. */
    void end(long position, int status) {
        leaveFlow(position);
        if (slots.stage(position) == Slots.WAITING) {
            waiting--;
        }
        slots.stage(position, Slots.DONE);
        slots.status(position, status);
    }

    /** The place of a work request that is not under way is free. */
    void release(long position) {
        if (slots.stage(position) == Slots.WAITING) {
            waiting--;
        } else if (slots.stage(position) == Slots.FAILED) {
            failures--;
        }
        slots.release(position);
    }

    /** Everything before {@code position} has its record. */
    void reportedTo(long position) {
        head = position;
        WqRing.consumed(ring, head);
    }

    // ---- states

    /** A request that came by its connection was refused. */
    void requestRefused(Refusal why) {
        board.listener.requestRefused(config.tag(), why);
    }

    void enter(int next) {
        state = next;
        WqRing.state(ring, next);
        touch();
    }

    void drain(Drain next) {
        drain = next;
    }

    /** The suspension is complete: what it holds begins here. */
    void heldFrom(long position) {
        heldFrom = position;
    }

    /** @param cause status of the work request that failed; SUCCESS when none did */
    void enterError(int cause) {
        if (state != CardState.ERROR) {
            enter(CardState.ERROR);
            drain = Drain.ERROR;
            board.listener.sendQueueFailed(config.tag(), cause);
        }
    }

    /** Nothing starts, and the marker follows when what has started is over. */
    void enterSuspended() {
        enter(CardState.SUSPENDED);
        drain = Drain.SUSPENSION;
    }

    /** Moves, when it is legal; see {@link Card#modifySendQueue}. */
    boolean modify(int next, long nowNanos) {
        run(nowNanos); // what was posted before came before
        if (state == next) {
            return true;
        }
        boolean moved = switch (next) {
            case CardState.ERROR -> state != CardState.RESET && failAll();
            case CardState.SUSPENDED -> state == CardState.READY && suspend();
            case CardState.READY -> mayResume() && resume(nowNanos);
            default -> state == CardState.ERROR && reset();
        };
        run(nowNanos);
        return moved;
    }

    private boolean failAll() {
        failurePolicy.fail();
        return true;
    }

    private boolean suspend() {
        enterSuspended();
        return true;
    }

    private boolean mayResume() {
        return state == CardState.SUSPENDED || (state == CardState.RESET && (!isRc() || own != null));
    }

    /** What was held starts, in order. */
    private boolean resume(long nowNanos) {
        drain = Drain.NONE; // a suspension that ends before it is complete makes no marker
        for (long position = head; position < end; position++) {
            slots.sinceNanos(position, nowNanos); // time in suspension is not the peer's silence
        }
        if (own != null) {
            own.resume(); // a connection that had failed for a receiver that was not ready, or a silent peer
        }
        enter(CardState.READY);
        return true;
    }

    private boolean reset() {
        if (drain != Drain.NONE || !isEmpty()) {
            return false;
        }
        flows.startAnew(board.nowNanos);
        enter(CardState.RESET);
        return true;
    }

    // ---- taking out

    int flush(long[] out, int max, long nowNanos) {
        run(nowNanos);
        return mayFlush() ? reports.flush(out, max) : 0;
    }

    private boolean mayFlush() {
        return switch (state) {
            case CardState.READY -> false;
            case CardState.SUSPENDED -> drain == Drain.NONE;
            // without a completion queue that takes the marker, there is none to wait for
            default -> drain == Drain.NONE || !reports.canMark();
        };
    }

    int quiesce(long[] out, long nowNanos) {
        run(nowNanos);
        if (state != CardState.RESET) {
            failurePolicy.fail();
        }
        return reports.flush(out, config.depth());
    }

    void close() {
        closed = true;
        failurePolicy.giveUpAll();
        for (long position = head; position < end; position++) {
            release(position);
        }
        head = end;
        drain = Drain.NONE;
        state = CardState.ERROR;
        flows.clear();
        board.deadlines.cancel(this);
        reports.close();
        if (receiver != null) {
            receiver.close();
        }
    }

    // ---- connections and targets

    /** It has its connection, and is READY. */
    void connected(CardConnection link) {
        own = link;
        ownFlow = flows.own(link);
        enter(CardState.READY);
    }

    /** It has none any more, and is in RESET; no marker tells it, and what was never started stays for {@code flush}. */
    void disconnected(long nowNanos) {
        run(nowNanos); // what was posted before came before
        failurePolicy.fail();
        reports.passAll();
        own = null;
        ownFlow = null;
        drain = Drain.NONE;
        flows.clear();
        enter(CardState.RESET);
    }

    void forget(int target) {
        flows.forget(target);
    }

    void forget(CardConnection link) {
        flows.forget(link);
    }

    void peerLost(CardConnection link, long nowNanos) {
        run(nowNanos);
        failurePolicy.peerLost(link);
        run(nowNanos);
    }

    /** What has begun is given up later, in its turn: who calls may be in the middle of a connection's call. */
    @Override
    public void cqFailed() {
        if (!closed && state != CardState.ERROR && state != CardState.RESET) {
            cqOverflowed = true;
            enterError(WorkStatus.SUCCESS);
        }
    }

    // ---- time

    private void setTimer(long nowNanos) {
        if (isEmpty()) {
            silenceDueNanos = Long.MAX_VALUE;
            board.deadlines.cancel(this);
            return;
        }
        if (silenceDueNanos == Long.MAX_VALUE && (state == CardState.READY || drain == Drain.SUSPENSION)) {
            silenceDueNanos = nowNanos + config.timeoutNanos();
        }
        long retry = waiting > 0 && state == CardState.READY ? flows.nextRetryNanos() : Long.MAX_VALUE;
        board.deadlines.set(this, Math.min(silenceDueNanos, retry));
    }

    @Override
    void due(long nowNanos) {
        if (nowNanos >= silenceDueNanos) {
            silenceDueNanos = failurePolicy.expire(nowNanos);
        }
        touch();
    }

    // ---- what connections ask and answer

    @Override
    public int queueId() {
        return config.kind() == SendQueueConfig.Kind.RM ? config.sourceId() : number;
    }

    @Override
    public MemorySegment ring() {
        return ring;
    }

    @Override
    public long at(long position) {
        return WqRing.at(position, config.depth(), config.strideBytes());
    }

    @Override
    public boolean gather(long position, long from, MemorySegment to, long toOffset, int lengthBytes) {
        return Payloads.gather(board.keys, ring, at(position), from, to, toOffset, lengthBytes);
    }

    @Override
    public boolean scatter(long position, long toOffset, MemorySegment from, long fromOffset, int lengthBytes) {
        return Payloads.scatter(board.keys, ring, at(position), toOffset, from, fromOffset, lengthBytes);
    }

    private boolean isStarted(long position) {
        return position >= head && position < end && slots.stage(position) == Slots.STARTED;
    }

    @Override
    public void done(long position, int status) {
        if (!isStarted(position)) {
            return; // given up meanwhile
        }
        Flow flow = slots.flow(position);
        if (status == WorkStatus.SUCCESS) {
            if (flow != null && WorkOpcode.isMessage(SendWqe.opcode(ring, at(position)))) {
                flow.probing = false;
                flow.rnrRounds = 0;
            }
            end(position, status);
        } else {
            fail(position, status);
        }
        touch();
    }

    @Override
    public void notReady(long position, long waitNanos) {
        Flow flow = slots.flow(position);
        if (!isStarted(position) || flow == null) {
            return;
        }
        notReady++;
        touch();
        boolean first = !flow.probing;
        boolean counts = first || position == flow.probePosition; // else it was only behind one that was not ready
        flow.probing = true;
        flow.restart = true;
        if (counts) {
            flow.probePosition = position;
            flow.retryAtNanos = board.nowNanos + waitNanos;
            if (state == CardState.READY && config.rnrRetry() != FOR_EVER && ++flow.rnrRounds > config.rnrRetry()) {
                fail(position, WorkStatus.RNR_RETRY_CNT_EXC_ERR);
                return;
            }
        }
        leaveFlow(position);
        slots.stage(position, Slots.WAITING);
        if (SendWqe.opcode(ring, at(position)) == WorkOpcode.WRITE_IMM) {
            slots.status(position, WorkStatus.WR_FLUSH_ERR); // its bytes may be there: it was begun, should it end here
        }
        waiting++;
        if (failurePolicy.concerns(position)) {
            end(position, WorkStatus.WR_FLUSH_ERR);
            return;
        }
        scan.waitsAgain(position);
        if (first) {
            board.listener.receiverNotReady(config.tag(), flow.handle);
        }
    }
}
