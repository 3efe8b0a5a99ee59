package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.RequestPackets.Outcome;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Bth;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a connection: gives PSNs to messages, sends what the windows allow, and keeps messages until they are
 * acknowledged. {@link Acknowledgements} tells it what the packets of the responder mean. {@link LossRecovery} decides what
 * is retransmitted.
 */
final class Requester {
    private final Connection connection;
    private final ConnectionConfig config;
    private final Traffic traffic;
    private final RequestPackets packets;
    private final InFlight inFlight = new InFlight();
    private final PsnWindow psns;
    private final Segmenter segmenter;
    private final RetryTimer timer;
    private final CongestionControl congestion;
    private final LossRecovery recovery;
    private final RequestWindow window;
    private final Retransmission retransmission;

    /** The local payload of a message is gone, on a connection of one queue: only what was sent before is retransmitted. */
    private boolean isStopped;

    Requester(
            Connection connection,
            ConnectionConfig config,
            PacketWriter writer,
            ResponseScheduler answers,
            Traffic traffic,
            long nowNanos) {
        this.connection = connection;
        this.config = config;
        this.traffic = traffic;
        this.packets = new RequestPackets(config, writer, answers);
        this.psns = new PsnWindow(config.firstSendPsn());
        this.timer = new RetryTimer(config, nowNanos);
        this.congestion = new CongestionControl(config.windowOfLongPackets(), config.initialWindowPackets());
        this.segmenter = new Segmenter(config, inFlight, psns, congestion);
        LastRewind lastRewind = new LastRewind(congestion, !config.selective());
        this.recovery = config.selective()
                ? new SelectiveRepeat(config.firstSendPsn(), inFlight, packets, timer, congestion, traffic)
                : new GoBackN(timer, lastRewind);
        this.window = new RequestWindow(config, congestion, recovery, psns, inFlight);
        this.retransmission = new Retransmission(
                psns, inFlight, recovery, timer, congestion, lastRewind, traffic, config.rnrRetries());
    }

    InFlight inFlight() {
        return inFlight;
    }

    LossRecovery recovery() {
        return recovery;
    }

    Retransmission retransmission() {
        return retransmission;
    }

    long unacked() {
        return psns.unacked();
    }

    long end() {
        return psns.end();
    }

    /** Since when nothing has been acknowledged: the receiver was not ready then, or nothing was awaited. */
    long progressedNanos() {
        return timer.progressedNanos();
    }

    // ---- starting

    boolean mayStart(SendWork work, long position) {
        return segmenter.mayStart(work) && !inFlight.isFenced(work, position);
    }

    void start(SendWork work, long position, int remoteQueue, boolean startsAnew) {
        segmenter.start(work, position, remoteQueue, startsAnew);
        assert invariants() : this;
    }

    // ---- sending

    /**
     * Sends what may be sent; true when there is more, for the port had no room or the budget was used up.
     *
     * @param leavesTrains a short train may wait for company
     */
    boolean transmit(long nowNanos, int budget, boolean leavesTrains) {
        boolean mayRequest = !retransmission.isHeld(nowNanos) && !psns.isResyncing();
        if (mayRequest && !recovery.requestLostAnswers(psns, budget, nowNanos)) {
            return true;
        }
        if (window.coalesces(leavesTrains, nowNanos)) {
            return false;
        }
        boolean hasMore = transmit(nowNanos, budget);
        assert invariants() : this;
        return hasMore;
    }

    private boolean transmit(long nowNanos, int budget) {
        for (int sent = 0; sent < budget; sent++) {
            if (retransmission.isHeld(nowNanos) || isStopped && psns.isNextNew()) {
                return false;
            }
            if (psns.isResyncing()) {
                return !sendResync(nowNanos);
            }
            WireMessage message = nextUnskipped();
            if (message == null || isStopped && (psns.isNextNew() || inFlight.isFailedBehindOthers(message))) {
                return false;
            }
            if (message.packets == 0) {
                inFlight.advance();
                endAcknowledged(nowNanos);
            } else if (!window.mayBeSent(message) || packets.awaitsPayload(message, psns.next())) {
                return false;
            } else if (!send(message, nowNanos)) {
                return true;
            } else if (message.hasLongPackets()) {
                sent += config.packetsPerMtu() - 1;
            }
        }
        return true;
    }

    /** The message of the next packet that the peer does not have; null when there is none. */
    private @Nullable WireMessage nextUnskipped() {
        WireMessage message = nextMessage();
        // a message of no packets has no PSN that could be skipped
        while (message != null && message.packets > 0 && !psns.isNextNew() && recovery.skips(psns.next())) {
            psns.sentTo(behindNext(message));
            advanceBehind(message);
            message = nextMessage();
        }
        return message;
    }

    private @Nullable WireMessage nextMessage() {
        if (inFlight.cursor() == null) {
            segmenter.cutNext();
        }
        WireMessage message = inFlight.cursor();
        if (message != null && inFlight.isCursorNew()) {
            inFlight.number(psns.end());
        }
        return message;
    }

    /** The PSN behind the next packet, which is sent or skipped now; of a READ, behind all of its answers. */
    private long behindNext(WireMessage message) {
        if (message.isAnswered()) {
            // also when it was given up meanwhile: the responder may have executed it, and keeps its answer
            inFlight.requested(message);
        }
        return message.isAnswered() && !message.request().isAbandoned ? message.endPsn() : psns.next() + 1;
    }

    private void advanceBehind(WireMessage message) {
        if (psns.next() == message.endPsn()) {
            inFlight.advance();
        }
    }

    /** False when the port has no room. */
    boolean send(WireMessage message, long nowNanos) {
        congestion.sends((int) psns.inFlight(), nowNanos);
        boolean asks = window.asks();
        long psn = psns.next();
        int transmission = psns.isNextNew() ? Bth.FIRST_TRANSMISSION : recovery.nextTransmission(psn);
        boolean isAlone = psn == psns.unacked() && message.packets == 1 && message.isWholeRequest();
        Outcome outcome = packets.send(message, psn, transmission, asks, isAlone);
        switch (outcome) {
            case SENT -> wasSent(message, asks, nowNanos);
            case NO_PAYLOAD -> giveUpPayload(message, nowNanos);
            case NO_ROOM -> {}
        }
        return outcome != Outcome.NO_ROOM;
    }

    private void wasSent(WireMessage message, boolean asked, long nowNanos) {
        long psn = psns.next();
        assert maySend(psn, nowNanos) : this;
        long behind = behindNext(message);
        boolean isLast = behind == message.endPsn();
        if (psns.isNextNew()) {
            recovery.sent(psn, behind, asked || isLast, nowNanos);
        } else {
            recovery.retransmitted(psn, behind, psns.end(), nowNanos);
            traffic.add(Event.RETRANSMITTED);
        }
        psns.sentTo(behind);
        window.sent(asked || isLast);
        advanceBehind(message);
        timer.awaits(nowNanos);
    }

    /** Whether a packet may be in flight: within the window, not during a hold, and no retransmission for nothing. */
    private boolean maySend(long psn, long nowNanos) {
        return psn - psns.unacked() < config.windowPackets()
                && !retransmission.isHeld(nowNanos)
                && (psns.isNextNew() || !recovery.skips(psn));
    }

    /** Has the responder leave out all PSNs before it; false when the port has no room. */
    private boolean sendResync(long nowNanos) {
        if (psns.isResyncSent()) {
            return true;
        }
        long psn = psns.resyncPsn();
        if (!packets.sendResync(psn)) {
            return false;
        }
        if (psns.end() > psn) {
            traffic.add(Event.RETRANSMITTED);
        }
        recovery.resyncSent(psn);
        psns.resyncSent();
        timer.awaits(nowNanos);
        return true;
    }

    /** The local payload of the message at the cursor is gone: nothing more of it is sent while others are before it. */
    private void giveUpPayload(WireMessage message, long nowNanos) {
        if (config.isShared()) {
            segmenter.cutOffCurrent(message);
        } else if (!psns.isNextNew()) {
            connection.fail(message.request().status, nowNanos);
        } else {
            isStopped = true;
            segmenter.cutCurrent(message);
            endAcknowledged(nowNanos);
        }
    }

    /** Whether a train waits for the next step. */
    boolean isCoalescing() {
        return window.isCoalescing();
    }

    // ---- what is acknowledged

    /**
     * Everything before that PSN is acknowledged.
     *
     * @param transmission which one of the last packet the responder acknowledges
     * @param isDelayed the acknowledgement has waited in one of the hosts: its time says nothing about the network
     * @return false when a READ or an atomic lies before it that was not answered: its answer was lost
     */
    boolean advance(long to, int transmission, boolean isDelayed, long nowNanos) {
        long before = psns.unacked();
        recovery.received(to, transmission, nowNanos);
        int arrived = recovery.packetsArrived();
        psns.acknowledgeResync(to);
        boolean isWhole = true;
        while (psns.unacked() < to && isWhole) {
            WireMessage oldest = inFlight.head();
            if (oldest == null) {
                return true; // the connection has failed meanwhile
            }
            if (oldest.isUnanswered()) {
                isWhole = false;
            } else {
                assert oldest.mayBePassed() : "passes the answer at " + psns.unacked() + ": " + this;
                acknowledge(Math.min(to, oldest.endPsn()), nowNanos);
            }
        }
        if (psns.unacked() > before) {
            int known = arrived - recovery.packetsArrived();
            progress((int) (psns.unacked() - before) - known, isDelayed, nowNanos);
        }
        assert invariants() : this;
        return isWhole;
    }

    /** Whether all that was sent is in flight, or acknowledged, in order: nothing is missing, early, retransmitted or held. */
    boolean isInOrder(long nowNanos) {
        return psns.isNextNew() && !psns.isResyncing() && !retransmission.isHeld(nowNanos) && recovery.isInOrder();
    }

    /** The same as {@link #advance} while everything is in order, past SENDs and WRITEs that succeed. */
    void acknowledgedInOrder(long to, int transmission, boolean isDelayed, long nowNanos) {
        int packetCount = (int) (to - psns.unacked());
        recovery.received(to, transmission, nowNanos);
        acknowledge(to, nowNanos);
        progress(packetCount, isDelayed, nowNanos);
        assert invariants() : this;
    }

    /** The next answer to the oldest message, a READ or an atomic, has arrived. */
    void answered(int transmission, boolean isDelayed, long nowNanos) {
        long to = psns.unacked() + 1;
        recovery.executed(to, transmission, nowNanos);
        int arrived = recovery.packetsArrived();
        acknowledge(to, nowNanos);
        int known = arrived - recovery.packetsArrived();
        progress(1 - known, isDelayed, nowNanos);
        assert invariants() : this;
    }

    /** An answer to a READ or an atomic is early: the responder has that, and everything before. */
    void answeredEarly(WireMessage message, int transmission, boolean isDelayed, long nowNanos) {
        recovery.executed(message.firstPsn + 1, transmission, nowNanos);
        window.arrived(0, isDelayed, nowNanos);
        timer.again(nowNanos);
        assert invariants() : this;
    }

    /** The responder reports that it has everything before that PSN, and some of what is behind it: a bit each. */
    void reported(long psn, NativeMemory bits, long at, int bytes, boolean isDelayed, long nowNanos) {
        if (retransmission.isHeld(nowNanos) || !psns.isAnyUnacked()) {
            return;
        }
        recovery.received(psn, Bth.NO_TRANSMISSION, nowNanos);
        int news = recovery.reported(psn, psns.end(), bits, at, bytes, nowNanos);
        if (news > 0) {
            window.arrived(news, isDelayed, nowNanos);
            timer.again(nowNanos);
        }
        assert invariants() : this;
    }

    /** The responder reports the same behind that PSN, and that it is placing it: nothing is lost while it takes its time. */
    void placing(long psn, NativeMemory bits, long at, int bytes, boolean isDelayed, long nowNanos) {
        if (bytes > 0) {
            reported(psn, bits, at, bytes, isDelayed, nowNanos);
        }
        if (timer.isRunning()) {
            timer.again(nowNanos);
        }
    }

    private void acknowledge(long to, long nowNanos) {
        psns.acknowledge(to);
        recovery.acknowledged(to);
        endAcknowledged(nowNanos);
    }

    private void endAcknowledged(long nowNanos) {
        int failure = segmenter.endAcknowledged();
        if (failure != WorkStatus.SUCCESS) {
            connection.failBehind(failure, nowNanos);
        }
    }

    private void progress(int packetCount, boolean isDelayed, long nowNanos) {
        retransmission.progressed(nowNanos);
        window.arrived(packetCount, isDelayed, nowNanos);
        timer.progressed(psns.isAnyUnacked(), nowNanos);
    }

    // ---- refusals and notices

    /** The receiver of the oldest message is not ready: nothing is sent until its time is over. */
    void hold(long waitNanos, long nowNanos) {
        WireMessage oldest = inFlight.head();
        if (oldest != null && !retransmission.hold(waitNanos, nowNanos)) {
            oldest.request().fail(WorkStatus.RNR_RETRY_CNT_EXC_ERR);
            connection.fail(WorkStatus.RNR_RETRY_CNT_EXC_ERR, nowNanos);
        }
    }

    /** The responder of a shared connection has refused a message: what was not sent of it never is. */
    void cutShort(WireMessage message) {
        segmenter.cutShort(message);
    }

    /** A switch on the path has marked what we sent (WIRE §9). */
    void noticeCongestion(long nowNanos) {
        traffic.add(Event.CNP_RECEIVED);
        congestion.noticed(nowNanos);
    }

    // ---- time and the end

    void runTimers(long nowNanos) {
        if (!retransmission.runTimers(nowNanos)) {
            connection.fail(WorkStatus.ACK_TIMEOUT_ERR, nowNanos);
        }
        assert invariants() : this;
    }

    long deadlineNanos() {
        return retransmission.deadlineNanos();
    }

    /** Begins anew, after everything has ended. */
    void resume() {
        psns.restart(config.peerIsOurs());
        retransmission.restart();
        window.restart();
        assert invariants() : this;
    }

    /** Whether it has nothing to send, and waits for nothing. */
    boolean isSilent() {
        return isIdle() && !psns.isResyncing();
    }

    boolean isIdle() {
        return inFlight.isEmpty() && segmenter.isEmpty();
    }

    /** Every request ends with the status it has failed with, or with that one, or is flushed. */
    void endAll(int status) {
        timer.stop();
        segmenter.endAll(status);
    }

    /** The queue abandons what it has started: its requests end now, in order. */
    void abandon(SendWork work, int status) {
        segmenter.abandon(work, status);
        assert invariants() : this;
    }

    /** What holds after each step: no message is numbered beyond the oldest PSN, and no unknown packet has arrived. */
    private boolean invariants() {
        WireMessage oldest = inFlight.head();
        boolean isOldestFirst = oldest == null || !inFlight.isHeadNumbered() || oldest.firstPsn <= psns.unacked();
        return psns.invariants() && isOldestFirst && recovery.packetsArrived() <= psns.end() - psns.unacked();
    }

    /** Window and round trip, for people. */
    void forEachValue(ObjLongConsumer<String> reader) {
        reader.accept("spurious", congestion.spuriousLosses());
        reader.accept("window", window.windowPackets());
        reader.accept("inFlight", psns.inFlight());
        reader.accept("rttNanos", timer.smoothedNanos());
        reader.accept("rtoNanos", timer.timeoutNanos());
    }

    @Override
    public String toString() {
        return "requester: " + inFlight.size() + " messages, " + psns + ", " + timer + ", " + congestion;
    }
}
