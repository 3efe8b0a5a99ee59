package io.urma4j.udma.transport;

import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.function.ObjLongConsumer;

/**
 * A reliable connection to a peer: an RC queue pair, or what all queues of two contexts share. Sans-IO: (packet | work
 * request | time) → (packets, results, deadline).
 *
 * <p>A turn of its crank is: hand it the packets that have come ({@link #receive}) and the work requests that may start
 * ({@link #start}), then {@link #step} until that returns false. Nothing but {@code step} sends a packet. Results come by
 * {@link SendWork#done} from within any of these calls, and whoever is told may call {@link #start} from there.
 *
 * <p>Messages start, and end, in the order of {@link #start}. A shared connection ends the requests of one queue in order,
 * and does not look at what a queue may start before an earlier message was answered: that is the queue's business, as is
 * a flow that was not ready ({@link SendWork#notReady}): once everything that was started in that flow has ended, the
 * queue starts it anew with the oldest one.
 */
public final class Connection {
    /** Packets that one half sends before the other one has its turn. */
    private static final int BURST_PACKETS = 64;

    /** What a connection can be. */
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
    private final PacketWriter writer;
    private final CongestionNotices notices;

    private State state = State.OPEN;

    /** It has failed for a receiver that was not ready, or was paused: its responder goes on. */
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
        writer = new PacketWriter(config, port, route, traffic);
        notices = new CongestionNotices(writer, traffic);
        responder = new Responder(this, config, memory, receivers, writer, traffic);
        requester = new Requester(this, config, writer, responder.answers(), traffic, nowNanos);
        acknowledgements = new Acknowledgements(this, config, requester, traffic);
    }

    public ConnectionConfig config() {
        return config;
    }

    public State state() {
        return state;
    }

    /** When a packet of the peer came last; when the connection was made, if none ever did. */
    public long lastHeardNanos() {
        return lastHeardNanos;
    }

    /**
     * When the peer last acknowledged something new, or said that its receiver is not ready, or when we last sent something after
     * all was acknowledged. A peer may be heard all the time, and yet acknowledge nothing, if a forged packet has taken a PSN of
     * ours.
     */
    public long lastProgressNanos() {
        return requester.progressedNanos();
    }

    public Traffic traffic() {
        return traffic;
    }

    /** Names and values of what it has counted, and of its window and round trip, in the order to be shown. */
    public void forEachCounter(ObjLongConsumer<String> reader) {
        traffic.forEachOfSending(reader);
        requester.forEachValue(reader);
        traffic.forEachOther(reader);
    }

    /** Grows with each packet of the peer that was taken in order, request or acknowledgement, and with no other. */
    public long progress() {
        return responder.expected() + requester.unacked();
    }

    /** Whether all that was started has ended. */
    public boolean isIdle() {
        return requester.isIdle();
    }

    // ---- the crank

    /** Whether the work request may start now: the connection is open and has room, and its fence is fulfilled. */
    public boolean mayStart(SendWork work, long position) {
        return state == State.OPEN && requester.mayStart(work, position);
    }

    /**
     * Starts a work request that {@linkplain #mayStart may start}. Its element and its payload stay as they are until it has
     * ended.
     *
     * @param remoteQueue the queue that a message is for; the peer's number on a connection of one queue
     * @param startsAnew it is the first message of its flow, or the first one since one of the flow was not ready
     */
    public void start(SendWork work, long position, int remoteQueue, boolean startsAnew) {
        if (state != State.OPEN) {
            throw new IllegalStateException(this + " starts nothing any more");
        }
        requester.start(work, position, remoteQueue, startsAnew);
    }

    /** A packet for this connection, which {@code PacketCheck} found sound and whose ICRC is right. */
    public void receive(Packet packet, long nowNanos) {
        receive(packet, nowNanos, false);
    }

    /**
     * The same.
     *
     * @param isLate it may have waited in this host, so that its time says nothing about the network
     */
    public void receive(Packet packet, long nowNanos, boolean isLate) {
        if (state != State.OPEN && !isResumable) {
            return;
        }
        int opcode = packet.opcode();
        lastHeardNanos = nowNanos;
        traffic.packetsReceived++;
        boolean isNotice = opcode == Opcodes.CNP;
        if (Bth.isForwardNotice(packet.bytes()) && !isNotice) { // else two peers could answer each other for ever
            notices.marked(nowNanos);
        }
        if (isNotice) {
            requester.noticeCongestion(nowNanos);
        } else if (!isSpoken(opcode)) {
            traffic.ignored++;
        } else if (Opcodes.isResponse(opcode)) {
            requester.answerIsLate(isLate || config.peerIsOurs() && Bth.isLate(packet.bytes()));
            acknowledgements.receive(packet, nowNanos); // of a requester that has given up, all are over
        } else {
            if (Opcodes.has(opcode, Header.ACK_ETH)) {
                requester.answerIsLate(isLate || Bth.isLate(packet.bytes()));
                acknowledgements.receiveAlong(packet, nowNanos);
            }
            writer.late(isLate);
            responder.receive(packet, nowNanos);
        }
    }

    /** The opcodes of this kind of connection; ours from urma4j alone. */
    private boolean isSpoken(int opcode) {
        int transport = Opcodes.transport(opcode);
        int standard = config.isShared() ? Opcodes.RD : Opcodes.RC;
        int ours = config.isShared() ? Opcodes.OURS_RD : Opcodes.OURS_RC;
        return transport == standard || transport == ours && config.peerIsOurs();
    }

    /**
     * Sees to the timers and sends what may be sent. After a pause of our own, hand it first what came meanwhile.
     *
     * @return true when it would send more if it were called again: at once, or when the port has room
     */
    public boolean step(long nowNanos) {
        return step(nowNanos, FlushHint.FLUSH);
    }

    /**
     * The same.
     *
     * @param hint what may wait for the next call, which comes soon
     */
    public boolean step(long nowNanos, FlushHint hint) {
        if (state == State.OPEN) {
            requester.runTimers(nowNanos);
        }
        if (state != State.OPEN) {
            return isResumable && responder.answer(BURST_PACKETS, false);
        }
        if (!notices.send()) {
            return true;
        }
        // requests go first: an acknowledgement is shorter, and a run of packets may end with a shorter one
        boolean hasMoreRequests = requester.transmit(nowNanos, BURST_PACKETS, hint != FlushHint.FLUSH);
        boolean holds = hint == FlushHint.HOLD_REQUESTS_AND_ACKS && config.peerIsOurs();
        boolean hasMoreAnswers = responder.answer(BURST_PACKETS, holds);
        return state == State.OPEN && (hasMoreAnswers || hasMoreRequests);
    }

    /**
     * Whether a {@link #step} would do no more than acknowledge what has come, which a request may do as well. Not so towards a peer
     * that is not urma4j: it knows no such request.
     */
    public boolean merelyAcknowledges() {
        return state == State.OPEN
                && config.peerIsOurs()
                && requester.isSilent()
                && !notices.isDue()
                && responder.answers().isMereAcknowledgementDue();
    }

    /** Whether something was left for the next {@link #step(long) step}. */
    public boolean hasLeft() {
        return state == State.OPEN && (responder.owesAcknowledgement() || requester.isCoalescing());
    }

    /** When {@link #step} must be called at the latest; {@code Long.MAX_VALUE} for never. */
    public long deadlineNanos() {
        return state == State.OPEN ? requester.deadlineNanos() : Long.MAX_VALUE;
    }

    // ---- the end

    /**
     * The connection has failed, or is to: all that was started ends with that status, but on a connection of one queue
     * only the first; what is behind it ends with WR_FLUSH_ERR. Nothing is sent or executed any more, unless it can be
     * {@linkplain #resume resumed}.
     */
    public void fail(int status, long nowNanos) {
        fail(status, status, nowNanos);
    }

    /**
     * Waits no longer for a peer that is silent: all that was started ends with WR_FLUSH_ERR, and what the peer asks is still
     * answered. A peer that is not ours does not know where to go on: then the connection has failed.
     */
    public void pause(long nowNanos) {
        fail(WorkStatus.WR_FLUSH_ERR, WorkStatus.WR_FLUSH_ERR, config.peerIsOurs(), nowNanos);
    }

    /** The request that it fails with has ended already. */
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
     * Goes on after it has failed for a receiver that was not ready, or was {@linkplain #pause paused}. Until then it has
     * answered the peer's requests.
     *
     * @return false when it has failed for another reason, or not at all
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

    /** Ends without telling anybody: its owner has seen to what was started, or does not care. */
    public void close() {
        if (state == State.OPEN || isResumable) {
            responder.giveUp();
        }
        state = State.CLOSED;
        isResumable = false;
    }

    /**
     * On a shared connection: the queue waits no longer for what it has started, which ends now with that status, in order.
     * Its payload is not looked at any more.
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
