package io.urma4j.udma.transport;

import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A reliable connection to a peer: an RC queue pair, or the connection that all queues of two contexts share. Sans-IO:
 * (packet | work request | time) → (packets, results, deadline).
 *
 * <p>The owner passes the received packets ({@link #receive}) and the work requests that may start ({@link #start}), then
 * calls {@link #step} until that returns false. Only {@code step} and {@link #startAndSend} send packets. Results are
 * reported by {@link SendWork#done} from within any of these calls; the callback may call {@link #start}.
 *
 * <p>Messages start, and end, in the order of {@link #start}. A shared connection ends the requests of one queue in order.
 * It does not check which requests a queue may start before an earlier message was acknowledged; the queue does. The queue
 * also handles a flow that was not ready ({@link SendWork#notReady}): once all started requests of that flow have ended, it
 * restarts the flow with the oldest one.
 */
public final class Connection {
    /** Packets that one half sends before the other half continues. */
    static final int BURST_PACKETS = 64;

    /** The states of a connection. */
    public enum State {
        OPEN,
        FAILED,
        CLOSED
    }

    private final ConnectionConfig config;
    private final ConnectionOwner owner;
    private final Traffic traffic = new Traffic();
    private final Requester requester;
    private final Acknowledgements acknowledgements;
    private final Responder responder;
    private final CongestionNotices notices;
    private final @Nullable HeaderPrediction prediction;

    private State state = State.OPEN;

    /** It has failed for a receiver that was not ready, or was paused: its responder continues. */
    private boolean isResumable;

    private long lastHeardNanos;

    public Connection(
            ConnectionConfig config,
            Route route,
            Port port,
            Memory memory,
            Receivers receivers,
            ConnectionOwner owner,
            long nowNanos) {
        this.config = config;
        this.owner = owner;
        this.lastHeardNanos = nowNanos;
        PacketWriter writer = new PacketWriter(config, port, route, traffic);
        notices = new CongestionNotices(writer, traffic);
        responder = new Responder(this, config, memory, receivers, writer, traffic);
        requester = new Requester(this, config, writer, responder.answers(), traffic, nowNanos);
        acknowledgements = new Acknowledgements(this, config, requester, traffic);
        prediction =
                config.predicts() ? new HeaderPrediction(this, config, acknowledgements, responder, traffic) : null;
    }

    public ConnectionConfig config() {
        return config;
    }

    public State state() {
        return state;
    }

    /** When a packet of the peer last arrived; if none did, when the connection was created. */
    public long lastHeardNanos() {
        return lastHeardNanos;
    }

    /**
     * Since when the peer owes a sign of life: the time at which it was last heard, or the end of the wait that its RNR NAK asked
     * for (S12.1).
     */
    public long silentSinceNanos() {
        return Math.max(lastHeardNanos, requester.retransmission().waitEndNanos());
    }

    /**
     * When the peer last acknowledged something new, or reported that its receiver is not ready, or when this end last sent
     * something after all was acknowledged. Packets of a peer may arrive all the time without acknowledging anything, if a
     * forged packet has used a PSN of this end.
     */
    public long lastProgressNanos() {
        return requester.progressedNanos();
    }

    public Traffic traffic() {
        return traffic;
    }

    /** Names and values of what it has counted, and of its window and round trip, in the order to be shown. */
    public void forEachCounter(ObjLongConsumer<String> reader) {
        traffic.forEach(Event.SENT, Event.TIMEOUT, reader);
        requester.forEachValue(reader);
        traffic.forEach(Event.GAP_SEEN, Event.CONTRADICTED, reader);
    }

    /** Grows with each packet of the peer that was processed in order, request or acknowledgement, and with no other. */
    public long progress() {
        return responder.expected() + requester.unacked();
    }

    /** Whether all started requests have ended. */
    public boolean isIdle() {
        return requester.isIdle();
    }

    // ---- steps

    /** Whether the work request may start now: the connection is open and has space, and its fence is satisfied. */
    public boolean mayStart(SendWork work, long position) {
        return state == State.OPEN && requester.mayStart(work, position);
    }

    /**
     * Starts a work request that {@linkplain #mayStart may start}. Its element and its payload must not change until it has
     * ended.
     *
     * @param remoteQueue the target queue of a message; the peer's number on a connection of one queue
     * @param startsAnew it is the first message of its flow, or the first one since one of the flow was not ready
     */
    public void start(SendWork work, long position, int remoteQueue, boolean startsAnew) {
        if (state != State.OPEN) {
            throw new IllegalStateException(this + " starts nothing any more");
        }
        requester.start(work, position, remoteQueue, startsAnew);
    }

    /** Whether the connection is open, predicts, and has nothing to do but to acknowledge. */
    public boolean isQuiet() {
        return prediction != null
                && state == State.OPEN
                && requester.isSilent()
                && !requester.isCoalescing()
                && !notices.isDue()
                && !responder.isPlacing();
    }

    /**
     * Header prediction, sending: the same as {@link #start} and a {@link #step} that leaves nothing for later, of a
     * connection that {@link #isQuiet}. Nothing is in flight, missing, held or marked, so no window is full, no answer is
     * lost, and nothing coalesces. As with {@link HeaderPrediction}, nothing is remembered, and packets, results and state
     * are those of the general way.
     *
     * @return true if another step would send more: at once, or when the port has space
     */
    public boolean startAndSend(SendWork work, long position, int remoteQueue, boolean startsAnew, long nowNanos) {
        assert requester.isInOrder(nowNanos) : "something is missing, and nothing is in flight";
        requester.start(work, position, remoteQueue, startsAnew);
        requester.runTimers(nowNanos);
        InFlight inFlight = requester.inFlight();
        WireMessage first = inFlight.get(0);
        boolean hasMoreRequests = false;
        if (first.packets == 1 && first.isWholeRequest()) {
            inFlight.number(requester.end());
            hasMoreRequests = !requester.send(first, nowNanos);
        }
        if (inFlight.cursor() == null) {
            traffic.add(Event.SENT_AT_ONCE);
        } else if (!hasMoreRequests) { // it is long, or has failed
            hasMoreRequests = requester.transmit(nowNanos, BURST_PACKETS, false);
        }
        boolean hasMoreAnswers = responder.answer(BURST_PACKETS, false, nowNanos);
        return state == State.OPEN && (hasMoreAnswers || hasMoreRequests);
    }

    /**
     * Receives a packet for this connection, which {@code PacketCheck} found valid and whose ICRC is correct.
     *
     * @param isLate it may have waited in this host, so that its delay says nothing about the network
     */
    public void receive(Packet packet, long nowNanos, boolean isLate) {
        if (prediction != null && prediction.receives(packet, isLate, nowNanos)) {
            return;
        }
        if (state != State.OPEN && !isResumable) {
            return;
        }
        int opcode = packet.opcode();
        heard(nowNanos);
        boolean isNotice = opcode == Opcodes.CNP;
        if (Bth.isForwardNotice(packet.bytes()) && !isNotice) { // else two peers could answer each other for ever
            notices.marked(nowNanos);
        }
        if (isNotice) {
            requester.noticeCongestion(nowNanos);
        } else if (!config.speaks(opcode)) {
            traffic.add(Event.IGNORED);
        } else if (Opcodes.isResponse(opcode)) {
            boolean isDelayed = isLate || config.peerIsOurs() && Bth.isLate(packet.bytes());
            acknowledgements.receive(packet, isDelayed, nowNanos); // of a requester that has given up, all are over
        } else {
            if (Opcodes.has(opcode, Header.ACK_ETH)) {
                acknowledgements.receiveAlong(packet, isLate || Bth.isLate(packet.bytes()), nowNanos);
            }
            responder.receive(packet, isLate, nowNanos);
        }
    }

    void heard(long nowNanos) {
        lastHeardNanos = nowNanos;
        traffic.add(Event.RECEIVED);
    }

    /**
     * Handles timers and sends what may be sent. After a stall of this process, pass the received packets first.
     *
     * @param hint what may wait for the next call, which comes soon
     * @return true if another call would send more: at once, or when the port has space
     */
    public boolean step(long nowNanos, FlushHint hint) {
        responder.lookAtCopies(nowNanos);
        if (state == State.OPEN) {
            requester.runTimers(nowNanos);
        }
        if (state != State.OPEN) {
            return isResumable && responder.answer(BURST_PACKETS, false, nowNanos);
        }
        if (!notices.send()) {
            return true;
        }
        // requests go first: an acknowledgement is shorter, and a shorter packet may end a run
        boolean hasMoreRequests = requester.transmit(nowNanos, BURST_PACKETS, hint != FlushHint.FLUSH);
        boolean holds = hint == FlushHint.HOLD_REQUESTS_AND_ACKS && config.peerIsOurs();
        boolean hasMoreAnswers = responder.answer(BURST_PACKETS, holds, nowNanos);
        return state == State.OPEN && (hasMoreAnswers || hasMoreRequests);
    }

    /**
     * Whether a {@link #step} would only acknowledge, which a request can piggyback. Not towards a foreign peer, which
     * knows no such request.
     */
    public boolean merelyAcknowledges() {
        return state == State.OPEN
                && config.peerIsOurs()
                && requester.isSilent()
                && !notices.isDue()
                && responder.answers().isMereAcknowledgementDue();
    }

    /** Whether something was left for the next {@link #step}. */
    public boolean hasLeft() {
        return state == State.OPEN && (responder.answers().isAcknowledgementDue() || requester.isCoalescing());
    }

    /** The deadline of the next {@link #step}; {@code Long.MAX_VALUE} for none. */
    public long deadlineNanos() {
        return state == State.OPEN ? Math.min(requester.deadlineNanos(), responder.deadlineNanos()) : Long.MAX_VALUE;
    }

    // ---- the end

    /**
     * The connection has failed, or must fail: all started requests end with that status, but on a connection of one queue
     * only the first; the others end with WR_FLUSH_ERR. Nothing is sent or executed any more, unless it can be {@linkplain
     * #resume resumed}.
     */
    public void fail(int status, long nowNanos) {
        fail(status, status, nowNanos);
    }

    /**
     * Stops waiting for a silent peer: all started requests end with WR_FLUSH_ERR, and requests of the peer are still
     * answered. A foreign peer does not know where to continue: then the connection has failed.
     */
    public void pause(long nowNanos) {
        fail(WorkStatus.WR_FLUSH_ERR, WorkStatus.WR_FLUSH_ERR, config.peerIsOurs(), nowNanos);
    }

    /** The request that caused the failure has already ended. */
    void failBehind(int status, long nowNanos) {
        fail(status, WorkStatus.WR_FLUSH_ERR, nowNanos);
    }

    private void fail(int reason, int firstStatus, long nowNanos) {
        fail(reason, firstStatus, reason == WorkStatus.RNR_RETRY_CNT_EXC_ERR, nowNanos);
    }

    private void fail(int reason, int firstStatus, boolean mayBeResumed, long nowNanos) {
        if (state == State.OPEN) {
            state = State.FAILED;
            isResumable = mayBeResumed;
            if (!isResumable) {
                responder.giveUp();
            }
            requester.endAll(firstStatus);
            owner.failed(this, reason, nowNanos);
        }
    }

    /**
     * Resumes after it has failed for a receiver that was not ready, or was {@linkplain #pause paused}. Until then it has
     * answered the peer's requests.
     *
     * @return false if it has failed for another reason, or not at all
     */
    public boolean resume() {
        if (state != State.FAILED || !isResumable) {
            return false;
        }
        requester.resume();
        state = State.OPEN;
        isResumable = false;
        return true;
    }

    /** Ends without a report: its owner has handled the started requests, or does not need them. */
    public void close() {
        responder.giveUp();
        state = State.CLOSED;
        isResumable = false;
    }

    /**
     * On a shared connection: the queue stops waiting for its started requests, which end now with that status, in order.
     * Their payload is not accessed any more.
     */
    public void abandon(SendWork work, int status) {
        if (state == State.OPEN) {
            requester.abandon(work, status);
        }
    }

    void refused(int syndrome, long nowNanos) {
        owner.refused(this, syndrome, nowNanos);
    }

    @Override
    public String toString() {
        return String.format(
                "connection %d to %d (%s, %s): %s, responder expects %d; %s",
                config.number(), config.peerNumber(), config.kind(), state, requester, responder.expected(), traffic);
    }
}
