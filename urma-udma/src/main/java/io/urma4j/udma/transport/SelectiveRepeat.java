package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Opcodes;

/**
 * Loss recovery towards an urma4j peer: what was lost is retransmitted, and nothing else. The peer keeps what arrives behind
 * a gap and reports it, so that the {@link Scoreboard} finds the packets that are lost. Answers that are lost are found
 * here, by {@link ResponseRecovery}, from the early ones behind them.
 *
 * <p>The requester goes back all the same where a count of messages does not match, and after a second timeout in a row.
 */
final class SelectiveRepeat implements LossRecovery {
    /**
     * A window has at least that many requests for acknowledgements, so that these let packets out in small groups. A window
     * that is acknowledged at once leaves as one train. The acknowledgement of its last packet then includes the time that a
     * narrow link took for all of them, which looks like a queue and keeps the window small.
     */
    private static final int ACKS_IN_A_WINDOW = 8;

    private final RequestPackets packets;
    private final RetryTimer timer;
    private final CongestionControl congestion;
    private final Traffic traffic;
    private final Scoreboard scoreboard;
    private final ResponseRecovery responses;

    SelectiveRepeat(
            long firstPsn,
            InFlight inFlight,
            RequestPackets packets,
            RetryTimer timer,
            CongestionControl congestion,
            Traffic traffic) {
        this.packets = packets;
        this.timer = timer;
        this.congestion = congestion;
        this.traffic = traffic;
        this.scoreboard = new Scoreboard(firstPsn, congestion);
        this.responses = new ResponseRecovery(inFlight, scoreboard, congestion, firstPsn);
    }

    // ---- what is sent

    @Override
    public void sent(long psn, long next, boolean isAckRequested, long nowNanos) {
        scoreboard.sent(psn, next, nowNanos);
        responses.sent(psn, next);
    }

    @Override
    public void retransmitted(long psn, long next, long end, long nowNanos) {
        assert !scoreboard.skips(psn) : "retransmits " + psn + ", which is not lost";
        for (long one = psn; one < next; one++) {
            scoreboard.repeated(one, end, nowNanos);
        }
        responses.sent(psn, next);
    }

    @Override
    public void resyncSent(long psn) {
        scoreboard.takesNumbers(psn, psn + 1);
    }

    @Override
    public int nextTransmission(long psn) {
        return scoreboard.nextTransmission(psn);
    }

    @Override
    public boolean skips(long psn) {
        return scoreboard.skips(psn);
    }

    @Override
    public int packetsPerAck(int windowPackets) {
        return Math.min(GoBackN.PACKETS_PER_ACK, windowPackets / ACKS_IN_A_WINDOW);
    }

    @Override
    public boolean requestLostAnswers(PsnWindow psns, int budget, long nowNanos) {
        for (int requests = 0; responses.find(psns.unacked(), psns.next(), nowNanos); requests++) {
            if (requests == budget || !requestAgain()) {
                return false;
            }
            congestion.lost((int) (responses.to() - responses.from()), nowNanos);
            responses.asked(psns.end(), nowNanos);
            traffic.add(Event.RETRANSMITTED);
            timer.again(nowNanos);
        }
        return true;
    }

    /** Requests the answers that were found to be lost; false when the port has no room. */
    private boolean requestAgain() {
        int transmission = scoreboard.nextTransmission(responses.from());
        return packets.sendAgain(responses.message(), responses.from(), responses.to(), transmission);
    }

    // ---- what arrives

    @Override
    public boolean isInOrder() {
        return scoreboard.isInOrder() && responses.isInOrder();
    }

    @Override
    public void received(long to, int transmission, long nowNanos) {
        scoreboard.taken(to, transmission, nowNanos);
    }

    @Override
    public void executed(long to, int transmission, long nowNanos) {
        scoreboard.executed(to, transmission, nowNanos);
    }

    @Override
    public void acknowledged(long unacked) {
        scoreboard.over(unacked);
        responses.over(unacked);
    }

    @Override
    public long sample(long unacked, long nowNanos) {
        long rttNanos = scoreboard.sample();
        if (rttNanos != CongestionControl.NO_SAMPLE && scoreboard.isSampleSure()) {
            timer.sampleOfMany(rttNanos, nowNanos);
        }
        return rttNanos;
    }

    @Override
    public int packetsArrived() {
        return scoreboard.arrived();
    }

    @Override
    public int answersArrived() {
        return responses.come();
    }

    @Override
    public boolean isArrivalReport(int opcode) {
        return Opcodes.isOurs(opcode);
    }

    @Override
    public int reported(long expected, long end, NativeMemory bits, long at, int bytes, long nowNanos) {
        return scoreboard.told(expected, end, bits, at, bytes, nowNanos);
    }

    @Override
    public void reportedTwice(long psn, int step, long end, NativeMemory bits, long at, int bytes, long nowNanos) {
        for (int i = 0; i < bytes * Byte.SIZE; i++) {
            long one = psn + (long) step * i;
            boolean isSet = (bits.getByte(at + i / Byte.SIZE) & 1 << i % Byte.SIZE) != 0;
            if (isSet && one < end && one >= end - ConnectionConfig.MAX_WINDOW_PACKETS) {
                scoreboard.cameAgain(one, nowNanos);
            }
        }
    }

    // ---- early answers

    @Override
    public boolean keepsEarlyAnswers() {
        return true;
    }

    @Override
    public boolean hasAnswer(long psn) {
        return responses.hasCome(psn);
    }

    @Override
    public void answered(long psn, long nowNanos) {
        responses.comes(psn, nowNanos);
    }

    @Override
    public void answeredEarly(long psn, boolean isEnd, long nowNanos) {
        responses.came(psn, isEnd, nowNanos);
    }

    @Override
    public void answeredTwice(long psn, long nowNanos) {
        responses.cameAgain(psn, nowNanos);
    }

    @Override
    public void keepAcknowledgement(long to, int msn, long nowNanos) {
        responses.acknowledged(to, msn, nowNanos);
    }

    @Override
    public long keptAcknowledgement() {
        return responses.acknowledgedTo();
    }

    @Override
    public int keptMsn() {
        return responses.acknowledgedMsn();
    }

    // ---- what is lost

    @Override
    public boolean findLost(long end, long nowNanos) {
        boolean isAnyLost = scoreboard.find(end, timer.smoothedNanos(), nowNanos);
        long lateNanos = Math.max(scoreboard.lateNanos(), responses.lateNanos());
        timer.allow(lateNanos);
        congestion.disorder(lateNanos);
        return isAnyLost;
    }

    @Override
    public boolean isLossDue(long nowNanos) {
        return nowNanos >= scoreboard.dueNanos();
    }

    @Override
    public long dueNanos() {
        return Math.min(scoreboard.dueNanos(), responses.dueNanos());
    }

    @Override
    public boolean probes(long unacked) {
        scoreboard.probe(unacked);
        return true;
    }

    @Override
    public void forget(long end) {
        scoreboard.forget(end);
        responses.forget();
    }
}
