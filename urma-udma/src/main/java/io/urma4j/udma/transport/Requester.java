package io.urma4j.udma.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.wire.Bth;
import java.lang.foreign.MemorySegment;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a connection: gives PSNs to messages, keeps them until they are acknowledged, and goes back to the
 * first one that is not when packets were lost (WIRE §4.5). What answers mean is told by {@link Acknowledgements}.
 *
 * <pre>
 *   unacked              next                  end
 *      │ sent, not answered │ to be sent again    │ never sent
 * </pre>
 *
 * <p>Normally {@code next} and {@code end} are the same.
 */
final class Requester {
    /** An acknowledgement is asked for after so many packets at the latest, as Linux does (WIRE §4.3). */
    private static final int ACK_EVERY_PACKETS = 64;

    /**
     * And so often in a window of an urma4j peer, so that answers let packets out one after the other. With one answer for
     * all of a window the packets go out as one train, and the answer to the last tells how long a narrow link took for
     * those before it: that looks like a queue, and the window stays where the train is a quarter of the round trip.
     */
    private static final int ACKS_IN_A_WINDOW = 8;

    private static final long NONE = -1;

    private final Connection connection;
    private final ConnectionConfig config;
    private final Traffic traffic;
    private final PacketWriter writer;
    private final RequestPackets packets;

    final InFlight inFlight = new InFlight();
    private final Segmenter segmenter;
    private final Coalescing coalescing = new Coalescing();
    private final RetryTimer timer;
    private final CongestionControl congestion;

    private long unacked;

    /** Since when nothing of what was sent has been acknowledged: its receiver was not ready then, or nothing was awaited. */
    private long progressedNanos;

    private long next;
    private long end;

    private int packetsSinceAsked;
    private int readsOpen;
    private long readBytesOpen;

    /** What follows the oldest has been sent again, and nothing has come of it so far. */
    private boolean isRepeating;

    /** Its local memory is gone, so that nothing more can be sent. */
    private boolean isStopped;

    /** Of a peer that repeats what was lost and nothing else. */
    private final @Nullable Scoreboard scoreboard;

    /** Of such a peer: the answers that are missing. */
    final @Nullable ResponseRecovery responseRecovery;

    /** Where the last going back began, and when; of a peer that says no more than where a gap is. */
    private long backTo = NONE;

    private long backAtNanos;

    private long heldUntilNanos = Long.MIN_VALUE;
    private int rnrTries;

    /** The PSN of a RESYNC that the responder has not acknowledged; nothing else is sent before. */
    private long resyncPsn = NONE;

    private long timedPsn = NONE;
    private long timedSinceNanos;

    /** What was before the timed packet was sent again meanwhile: its answer waited for that, not for the network. */
    private boolean isTimeDisturbed;

    /** The answer that is being looked at has waited in one of the hosts. */
    private boolean isAnswerLate;

    /** Which transmission it answers, of the last PSN that it acknowledges. */
    private int answered = Bth.NO_TRANSMISSION;

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
        this.writer = writer;
        this.packets = new RequestPackets(config, writer, answers);
        this.timer = new RetryTimer(config);
        this.congestion = new CongestionControl(config.windowPackets());
        this.segmenter = new Segmenter(config, inFlight, congestion);
        this.scoreboard = config.selective() ? new Scoreboard(config.firstSendPsn(), congestion) : null;
        this.responseRecovery = scoreboard == null
                ? null
                : new ResponseRecovery(inFlight, scoreboard, congestion, config.firstSendPsn());
        this.unacked = config.firstSendPsn();
        this.progressedNanos = nowNanos;
        this.next = unacked;
        this.end = unacked;
    }

    // ---- starting

    boolean mayStart(SendWork work, long position) {
        return segmenter.mayStart(work) && !isFenced(work, position);
    }

    private boolean isFenced(SendWork work, long position) {
        if (inFlight.isEmpty() || (SendWqe.flags(work.ring(), work.at(position)) & WorkOpcode.FENCE) == 0) {
            return false;
        }
        for (int i = 0; i < inFlight.size(); i++) {
            Request request = inFlight.get(i).request();
            if (request.isAnswered() && request.isOf(work)) {
                return true;
            }
        }
        return false;
    }

    void start(SendWork work, long position, int remoteQueue, boolean startsAnew) {
        segmenter.start(work, position, remoteQueue, startsAnew);
    }

    // ---- sending

    /**
     * Sends what may be sent; true when there is more, for the port had no room or the budget was used up.
     *
     * @param leavesTrains a short train may wait for company
     */
    boolean transmit(long nowNanos, int budget, boolean leavesTrains) {
        if (responseRecovery != null && !askAgain(responseRecovery, nowNanos, budget)) {
            return true;
        }
        if (coalescing.waits(leavesTrains, inFlight, next - unacked, nowNanos)) {
            return false;
        }
        for (int sent = 0; sent < budget; sent++) {
            if (isStopped || nowNanos < heldUntilNanos) {
                return false;
            }
            if (resyncPsn != NONE) {
                return !sendResync(nowNanos);
            }
            WireMessage message = nextMessage();
            // a message of no packets has no PSN that could be skipped
            while (message != null
                    && message.packets > 0
                    && scoreboard != null
                    && next < end
                    && scoreboard.skips(next)) {
                pass(message);
                message = nextMessage();
            }
            if (message == null) {
                return false;
            }
            if (message.packets == 0) {
                inFlight.advance();
                endWhatIsOver(nowNanos);
            } else if (!mayBeSent(message)) {
                return false;
            } else if (!send(message, nowNanos)) {
                return true;
            }
        }
        return true;
    }

    /** Asks for what is surely lost of the answers; false when there is more to ask for. */
    private boolean askAgain(ResponseRecovery lost, long nowNanos, int budget) {
        if (isStopped || nowNanos < heldUntilNanos || resyncPsn != NONE) {
            return true;
        }
        for (int asked = 0; lost.find(unacked, next, nowNanos); asked++) {
            writer.transmission(transmission(lost.from()));
            if (asked == budget || !packets.sendAgain(lost.message(), lost.from(), lost.to())) {
                return false;
            }
            congestion.lost((int) (lost.to() - lost.from()), nowNanos);
            lost.asked(end, nowNanos);
            traffic.packetsResent++;
            isTimeDisturbed = true;
            timedPsn = timedPsn >= lost.from() && timedPsn < lost.to() ? NONE : timedPsn;
            timer.again(nowNanos);
        }
        return true;
    }

    private @Nullable WireMessage nextMessage() {
        if (inFlight.cursor() == null) {
            segmenter.cutNext();
        }
        WireMessage message = inFlight.cursor();
        if (message != null && inFlight.isCursorNew()) {
            message.firstPsn = end;
            message.packets = message.request().hasFailed() ? 0 : message.packets;
            inFlight.number();
        }
        return message;
    }

    private boolean mayBeSent(WireMessage message) {
        int arrived = responseRecovery == null ? 0 : responseRecovery.arrived();
        if (next - unacked >= config.windowPackets() || next - unacked - arrived >= windowPackets()) {
            return false;
        }
        if (!message.isAnswered() || readsOpen == 0 || message.isUncertain) {
            return true;
        }
        return readsOpen < config.maxReadsOut()
                && readBytesOnTheirWay() + message.lengthBytes <= config.readBudgetBytes()
                && message.endPsn() - unacked <= ConnectionConfig.MAX_WINDOW_PACKETS;
    }

    private long readBytesOnTheirWay() {
        long come = responseRecovery == null ? 0 : (long) responseRecovery.come() * config.mtuBytes();
        return Math.max(0, readBytesOpen - come);
    }

    private int windowPackets() {
        return Math.min(config.windowPackets(), congestion.windowPackets());
    }

    /** False when the port has no room. */
    private boolean send(WireMessage message, long nowNanos) {
        congestion.sends((int) (next - unacked), nowNanos);
        boolean asks = asks();
        writer.transmission(transmission(next));
        boolean isAlone = next == unacked && message.packets == 1 && message.isWholeRequest();
        return switch (packets.send(message, next, asks, isAlone)) {
            case NO_ROOM -> false;
            case SENT -> {
                wasSent(message, asks, nowNanos);
                yield true;
            }
            case NO_PAYLOAD -> {
                giveUpPayload(message, nowNanos);
                yield true;
            }
        };
    }

    /** Which one the next transmission of that PSN is. */
    private int transmission(long psn) {
        return scoreboard == null || psn == end ? Bth.FIRST_TRANSMISSION : scoreboard.nextTransmission(psn);
    }

    /** Whether the packet that is sent now asks for an acknowledgement, if it is not the last of its message. */
    private boolean asks() {
        int window = windowPackets();
        int every = config.selective() ? Math.min(ACK_EVERY_PACKETS, window / ACKS_IN_A_WINDOW) : ACK_EVERY_PACKETS;
        int arrived = scoreboard == null ? 0 : scoreboard.arrived();
        return packetsSinceAsked + 1 >= every
                || next + 1 - unacked - arrived >= window
                || next + 1 - unacked >= config.windowPackets()
                || next + 1 == end;
    }

    private void wasSent(WireMessage message, boolean asked, long nowNanos) {
        boolean isNew = next == end;
        long first = next;
        step(message);
        if (responseRecovery != null && isNew) {
            responseRecovery.sent(first, next, nowNanos);
        } else if (scoreboard != null) {
            for (long psn = first; psn < next; psn++) {
                scoreboard.repeated(psn, end, nowNanos);
            }
            timedPsn = first == timedPsn ? NONE : timedPsn;
        }
        traffic.packetsResent += isNew ? 0 : 1;
        end = Math.max(end, next);
        boolean isLast = next == message.endPsn();
        packetsSinceAsked = asked || isLast ? 0 : packetsSinceAsked + 1;
        if (isNew && timedPsn == NONE && (asked || isLast)) {
            timedPsn = first;
            timedSinceNanos = nowNanos;
            isTimeDisturbed = false;
        }
        if (isLast) {
            inFlight.advance();
        }
        awaits(nowNanos);
    }

    /** Has the responder leave out all PSNs before it; false when the port has no room. */
    private boolean sendResync(long nowNanos) {
        if (next > resyncPsn) {
            return true;
        }
        if (!packets.sendResync(resyncPsn)) {
            return false;
        }
        traffic.packetsResent += end > resyncPsn ? 1 : 0;
        if (scoreboard != null) {
            scoreboard.takesNumbers(resyncPsn, resyncPsn + 1);
        }
        next = resyncPsn + 1;
        end = next;
        awaits(nowNanos);
        return true;
    }

    private void awaits(long nowNanos) {
        if (!timer.isRunning()) {
            timer.restart(nowNanos);
            progressedNanos = nowNanos;
        }
    }

    /** To the packet behind the one that was sent; of a READ, that is behind all of its answers. */
    private void step(WireMessage message) {
        if (message.isAnswered() && !message.isAsked) {
            // also when it was given up meanwhile: the responder may have executed it, and keeps its answer
            message.isAsked = true;
            readsOpen++;
            readBytesOpen += message.lengthBytes;
        }
        next = message.isAnswered() && !message.request().isAbandoned ? message.endPsn() : next + 1;
    }

    /** The peer has it: it is not sent again. */
    private void pass(WireMessage message) {
        step(message);
        if (next == message.endPsn()) {
            inFlight.advance();
        }
    }

    /** Its local memory is gone. What was not sent of it never is. */
    private void giveUpPayload(WireMessage message, long nowNanos) {
        if (config.isShared()) {
            cutOff(message, true);
        } else if (next < end) {
            connection.fail(message.request().status, nowNanos);
        } else {
            message.packets = (int) (end - message.firstPsn);
            isStopped = true;
            inFlight.advance();
            endWhatIsOver(nowNanos);
        }
    }

    /** Whether a train waits for the next step. */
    boolean isCoalescing() {
        return coalescing.isWaiting();
    }

    // ---- what answers do

    /** Whether the next answer, or what it answers, has waited in a host: its time is no sign of a full network. */
    void answerIsLate(boolean late) {
        isAnswerLate = late;
    }

    /** What is acknowledged or answered from now on was an answer to that transmission of its last PSN. */
    void answers(int transmission) {
        answered = transmission;
    }

    long unacked() {
        return unacked;
    }

    long progressedNanos() {
        return progressedNanos;
    }

    long end() {
        return end;
    }

    /**
     * Everything before that PSN is acknowledged.
     *
     * @return false when a READ or an atomic lies before it that was not answered: its answer was lost
     */
    boolean advance(long to, long nowNanos) {
        long before = unacked;
        int arrived = arrives(to, nowNanos);
        boolean isWhole = true;
        if (resyncPsn != NONE && to > resyncPsn) {
            unacked = to; // nothing else was sent since
            resyncPsn = NONE;
        }
        while (unacked < to && isWhole) {
            WireMessage message = inFlight.head();
            if (message == null) {
                return true; // the connection has failed meanwhile
            }
            if (message.isUnanswered()) {
                isWhole = false;
            } else {
                pass(message, Math.min(to, message.endPsn()), nowNanos);
            }
        }
        if (unacked > before) {
            progress((int) (unacked - before) - arrivedBefore(arrived), nowNanos);
        }
        return isWhole;
    }

    /** The responder has everything before that PSN. Returns how many of what is not acknowledged it was known to have. */
    private int arrives(long to, long nowNanos) {
        if (scoreboard == null) {
            return 0;
        }
        scoreboard.taken(to, answered, nowNanos);
        return scoreboard.arrived();
    }

    /** How many of those that were known to have arrived are acknowledged now. */
    private int arrivedBefore(int arrived) {
        return scoreboard == null ? 0 : arrived - scoreboard.arrived();
    }

    /** Whether an answer that comes now, before its turn, is new. */
    boolean mayComeEarly(long psn) {
        return responseRecovery != null && psn > unacked && !responseRecovery.hasCome(psn);
    }

    /** The responder has told that packets of ours have come again: a bit each, from that PSN on, forwards or backwards. */
    void cameAgain(long psn, int step, MemorySegment again, long at, int bytes, long nowNanos) {
        for (int i = 0; scoreboard != null && i < bytes * Byte.SIZE; i++) {
            long one = psn + (long) step * i;
            boolean isSet = (again.get(JAVA_BYTE, at + i / Byte.SIZE) & 1 << i % Byte.SIZE) != 0;
            if (isSet && one < end && one >= end - ConnectionConfig.MAX_WINDOW_PACKETS) {
                scoreboard.cameAgain(one, nowNanos);
            }
        }
    }

    /** An answer to a READ or an atomic has come before its turn: the responder has that, and everything before. */
    void cameEarly(WireMessage message, long nowNanos) {
        arrives(message.firstPsn + 1, nowNanos);
        if (scoreboard != null) {
            arrived(0, scoreboard.sample(), nowNanos);
            timer.again(nowNanos);
        }
    }

    /** The next answer to the oldest, a READ or an atomic, has come. */
    void answered(WireMessage oldest, long nowNanos) {
        int arrived = arrives(unacked + 1, nowNanos);
        pass(oldest, unacked + 1, nowNanos);
        progress(1 - arrivedBefore(arrived), nowNanos);
    }

    private void pass(WireMessage oldest, long to, long nowNanos) {
        unacked = to;
        if (to == oldest.endPsn()) {
            close(oldest, nowNanos);
            endWhatIsOver(nowNanos);
        }
        next = Math.max(next, unacked);
        if (responseRecovery != null) {
            responseRecovery.over(unacked);
        }
    }

    private void endWhatIsOver(long nowNanos) {
        WireMessage oldest = inFlight.head();
        while (oldest != null && inFlight.isHeadNumbered() && oldest.endPsn() <= unacked) {
            close(oldest, nowNanos);
            oldest = inFlight.head();
        }
    }

    private void close(WireMessage oldest, long nowNanos) {
        if (oldest.isAsked) {
            readsOpen--;
            readBytesOpen -= oldest.lengthBytes;
        }
        Request request = oldest.request();
        inFlight.removeHead();
        request.open--;
        if (request.hasFailed()) {
            segmenter.stop(request);
        }
        if (request.isOver()) {
            int status = request.status;
            end(request);
            if (status != WorkStatus.SUCCESS && !config.isShared()) {
                connection.failBehind(status, nowNanos);
            }
        }
    }

    private void end(Request request) {
        request.end();
        segmenter.reuse(request);
    }

    private void progress(int packetCount, long nowNanos) {
        progressedNanos = nowNanos;
        forgiveGoingBack(nowNanos);
        isRepeating = false;
        rnrTries = 0;
        long rtt = CongestionControl.NO_SAMPLE;
        if (scoreboard == null && timedPsn != NONE && unacked > timedPsn) {
            timer.sample(nowNanos - timedSinceNanos);
            rtt = isTimeDisturbed ? CongestionControl.NO_SAMPLE : nowNanos - timedSinceNanos;
            timedPsn = NONE;
        }
        arrived(packetCount, scoreboard == null ? rtt : scoreboard.sample(), nowNanos);
        if (unacked == end) {
            timer.stop();
        } else {
            timer.restart(nowNanos);
        }
    }

    /** So many packets have arrived that nobody knew of. */
    private void arrived(int packetCount, long rttNanos, long nowNanos) {
        int known = scoreboard == null ? 0 : scoreboard.arrived();
        if (scoreboard != null && rttNanos != CongestionControl.NO_SAMPLE && scoreboard.isSampleSure()) {
            timer.sampleOfMany(rttNanos, nowNanos);
        }
        long rtt = isAnswerLate ? CongestionControl.NO_SAMPLE : rttNanos;
        congestion.acknowledged(packetCount, packetCount + (int) (next - unacked) - known, rtt, nowNanos);
    }

    /**
     * Something was lost on the way there or back: everything that is not acknowledged is sent again, once. Of a peer that is not
     * selective, what comes a round trip later is an answer to that, and shows that it was lost once more.
     */
    void repeat(long nowNanos) {
        boolean isLostAgain = isRepeating && isAnswerToGoingBack(nowNanos);
        if (isRepeating && !isLostAgain || nowNanos < heldUntilNanos || unacked == end) {
            return;
        }
        backTo = unacked;
        backAtNanos = nowNanos;
        congestion.lost(1, nowNanos);
        if (isLostAgain) {
            congestion.lostAgain();
        }
        repeatAll();
        timer.again(nowNanos);
    }

    /** Whether what comes now, and is not what was gone back to, left the responder after that. */
    private boolean isAnswerToGoingBack(long nowNanos) {
        return scoreboard == null
                && congestion.shortestRttNanos() > 0
                && backTo == unacked
                && !congestion.isTooSoon(nowNanos - backAtNanos);
    }

    /**
     * The responder misses the oldest, and whatever came behind it is gone. What shows that may have been on its way when the
     * last going back began: it says nothing of what was sent again since, so that there is no need to go back once more.
     */
    void goBack(long nowNanos) {
        boolean isOld = next > unacked && backTo != NONE && congestion.isTooSoon(nowNanos - backAtNanos);
        if (!isOld) {
            repeat(nowNanos);
        }
    }

    /** What it went back to has come, and too soon to be what was sent again: it was late, and not lost. */
    private void forgiveGoingBack(long nowNanos) {
        if (backTo != NONE && unacked > backTo) {
            if (congestion.isTooSoon(nowNanos - backAtNanos)) {
                congestion.notLost(1);
            } else {
                backTo = NONE;
            }
        }
    }

    /** The responder has everything before that PSN, and some of what is behind it. */
    void told(long psn, MemorySegment kept, long at, int keptBytes, long nowNanos) {
        if (scoreboard == null || nowNanos < heldUntilNanos || unacked == end) {
            return;
        }
        scoreboard.taken(psn, Bth.NO_TRANSMISSION, nowNanos);
        int news = scoreboard.told(psn, end, kept, at, keptBytes, nowNanos);
        if (news > 0) {
            arrived(news, scoreboard.sample(), nowNanos);
            timer.again(nowNanos);
        }
    }

    /** Has what is lost by now sent again, once. */
    void repeatMissing(long nowNanos) {
        if (scoreboard == null || responseRecovery == null || resyncPsn != NONE || nowNanos < heldUntilNanos) {
            return;
        }
        boolean isAnyLost = scoreboard.find(end, timer.smoothedNanos(), nowNanos);
        long lateNanos = Math.max(scoreboard.lateNanos(), responseRecovery.lateNanos());
        timer.allow(lateNanos);
        congestion.disorder(lateNanos);
        if (isAnyLost) {
            rewind();
            timer.again(nowNanos);
        }
    }

    /** A switch on the way has marked what we sent (WIRE §9). */
    void noticeCongestion(long nowNanos) {
        traffic.congestionNotices++;
        congestion.noticed(nowNanos);
    }

    private void repeatAll() {
        timedPsn = NONE;
        if (responseRecovery != null) {
            responseRecovery.forget(end);
        }
        rewind();
    }

    private void rewind() {
        isRepeating = true;
        isTimeDisturbed = true;
        next = unacked;
        inFlight.rewind();
        readsOpen = 0;
        readBytesOpen = 0;
        for (int i = 0; i < inFlight.numbered(); i++) {
            inFlight.get(i).isAsked = false;
        }
    }

    /** The receiver of the oldest is not ready: nothing is sent until its time is over. */
    void hold(long waitNanos, long nowNanos) {
        WireMessage oldest = inFlight.head();
        if (oldest == null) {
            return;
        }
        if (config.rnrRetries() != ConnectionConfig.RNR_FOR_EVER && ++rnrTries > config.rnrRetries()) {
            oldest.request().fail(WorkStatus.RNR_RETRY_CNT_EXC_ERR);
            connection.fail(WorkStatus.RNR_RETRY_CNT_EXC_ERR, nowNanos);
            return;
        }
        repeatAll();
        timer.stop();
        progressedNanos = nowNanos;
        heldUntilNanos = nowNanos + waitNanos;
    }

    /** The responder has refused the message at a PSN of a shared connection: what was not sent of it never is. */
    void cutShort(WireMessage message) {
        message.isRefused = true;
        segmenter.stop(message.request());
        if (message.endPsn() > end) {
            message.packets = (int) (end - message.firstPsn);
            if (inFlight.cursor() == message && next == end) {
                inFlight.advance();
            }
        }
    }

    // ---- time and the end

    void runTimers(long nowNanos) {
        if (scoreboard != null && nowNanos >= scoreboard.dueNanos()) {
            repeatMissing(nowNanos);
        }
        if (!timer.isDue(nowNanos)) {
            return;
        }
        if (timer.isSilent(nowNanos)) {
            connection.fail(WorkStatus.ACK_TIMEOUT_ERR, nowNanos);
            return;
        }
        traffic.timeouts++;
        if (scoreboard != null && timer.isFirst() && unacked < end && resyncPsn == NONE) {
            scoreboard.probe(unacked);
            rewind();
        } else {
            congestion.timedOut(nowNanos);
            repeatAll();
        }
        timer.expired(nowNanos);
    }

    long deadlineNanos() {
        boolean isHeld = heldUntilNanos != Long.MIN_VALUE && !inFlight.isEmpty() && !timer.isRunning();
        return isHeld ? heldUntilNanos : Math.min(timer.dueNanos(), lossDueNanos());
    }

    /** When something that is late will count as lost. */
    private long lossDueNanos() {
        if (scoreboard == null || responseRecovery == null || isStopped || !timer.isRunning()) {
            return Long.MAX_VALUE;
        }
        return Math.max(heldUntilNanos, Math.min(scoreboard.dueNanos(), responseRecovery.dueNanos()));
    }

    /**
     * Begins anew, after everything has ended. A peer of our own goes on behind all PSNs that were ever used, so that no late
     * packet, and none that it keeps, is taken for a new one; of others the responder is where it was not ready, and takes
     * the same PSNs again.
     */
    void resume() {
        if (config.peerIsOurs() && (unacked < end || resyncPsn != NONE)) {
            resyncPsn = resyncPsn == NONE ? end : resyncPsn; // one that was not acknowledged: the same again
            unacked = resyncPsn;
        } else {
            end = unacked;
        }
        next = unacked;
        if (responseRecovery != null) {
            responseRecovery.forget(unacked);
            responseRecovery.over(unacked);
        }
        timer.stop(); // a late answer may have set it
        heldUntilNanos = Long.MIN_VALUE;
        rnrTries = 0;
        isRepeating = false;
        timedPsn = NONE;
        packetsSinceAsked = 0;
        readsOpen = 0;
        readBytesOpen = 0;
    }

    /** Whether it has nothing to send, and waits for nothing. */
    boolean isSilent() {
        return isIdle() && resyncPsn == NONE;
    }

    boolean isIdle() {
        return inFlight.isEmpty() && segmenter.isEmpty();
    }

    /**
     * All that has not ended ends now, with what it has failed with already, or with that status; on a connection of one
     * queue, what is behind the first one was flushed.
     */
    void endAll(int status) {
        timer.stop();
        int current = status;
        for (WireMessage message = inFlight.head(); message != null; message = inFlight.head()) {
            Request request = message.request();
            inFlight.removeHead();
            request.open--;
            segmenter.stop(request);
            if (request.isOver()) {
                request.fail(current);
                current = config.isShared() ? status : WorkStatus.WR_FLUSH_ERR;
                end(request);
            }
        }
        segmenter.endAll(current);
    }

    /** The queue waits no longer for what it has started: its requests end now, in order. */
    void abandon(SendWork work, int status) {
        for (int i = 0; i < inFlight.size(); i++) {
            WireMessage message = inFlight.get(i);
            Request request = message.request();
            if (request.isOf(work)) {
                cutOff(message, i < inFlight.numbered());
                abandon(request, status);
            }
        }
        segmenter.abandon(work, status);
    }

    /** Its payload is not there any more: nothing of it is sent, or no more than ends it at the responder. */
    private void cutOff(WireMessage message, boolean isNumbered) {
        int sent = isNumbered ? (int) Math.min(message.packets, end - message.firstPsn) : 0;
        message.isUncertain = sent > 0;
        message.packets = sent == 0 ? 0 : Math.min(message.packets, sent + 1); // one more ends it
    }

    private void abandon(Request request, int status) {
        segmenter.stop(request);
        if (!request.isAbandoned) {
            request.fail(status);
            request.abandon();
        }
    }

    /** Window and round trip, for people. */
    void forEachValue(ObjLongConsumer<String> reader) {
        reader.accept("spurious", congestion.spuriousLosses());
        reader.accept("window", windowPackets());
        reader.accept("inFlight", end - unacked);
        reader.accept("rttNanos", timer.smoothedNanos());
        reader.accept("rtoNanos", timer.timeoutNanos());
    }

    @Override
    public String toString() {
        return "requester: " + inFlight.size() + " messages, unacknowledged " + unacked + ", next " + next + ", end "
                + end + ", " + timer + ", " + congestion;
    }
}
