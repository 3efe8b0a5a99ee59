package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Bth;
import java.lang.foreign.MemorySegment;

/**
 * Loss recovery towards a peer that keeps nothing behind a gap, as RoCE has it (WIRE §4.5). A negative acknowledgement, a
 * missing answer or a timeout makes the requester retransmit everything that is unacknowledged.
 *
 * <p>The requester goes back once for a loss. Packets that were in flight behind the missing one draw the same negative
 * acknowledgement, and those that arrive within a round trip are ignored. One that arrives later answers the
 * retransmission, and shows that it was lost, too.
 *
 * <p>One packet in a round trip is timed. A retransmission ends the measurement, since its acknowledgement might answer
 * either transmission (Karn's rule).
 */
final class GoBackN implements LossRecovery {
    /** The most packets without a request for an acknowledgement, as Linux has it (WIRE §4.3). */
    static final int PACKETS_PER_ACK = 64;

    private static final long NONE = -1;

    private final RetryTimer timer;
    private final CongestionControl congestion;
    private final LastRewind lastRewind;

    private long timedPsn = NONE;
    private long timedSinceNanos;

    GoBackN(RetryTimer timer, CongestionControl congestion) {
        this.timer = timer;
        this.congestion = congestion;
        this.lastRewind = new LastRewind(congestion);
    }

    // ---- going back

    @Override
    public boolean goesBack(long unacked, long nowNanos) {
        boolean isLostAgain = lastRewind.isUnanswered() && lastRewind.isAnswered(unacked, nowNanos);
        if (lastRewind.isUnanswered() && !isLostAgain) {
            return false;
        }
        lastRewind.to(unacked, nowNanos);
        if (isLostAgain) {
            congestion.lostAgain();
        }
        return true;
    }

    @Override
    public boolean isGapOfLastRewind(long nowNanos) {
        return lastRewind.isTooRecent(nowNanos);
    }

    @Override
    public void rewound() {
        lastRewind.begin();
    }

    @Override
    public void forget(long end) {
        timedPsn = NONE;
    }

    @Override
    public void restart(long unacked) {
        lastRewind.clear();
        timedPsn = NONE;
    }

    @Override
    public void progressed(long unacked, long nowNanos) {
        lastRewind.progressed(unacked, nowNanos);
    }

    // ---- one round trip at a time

    @Override
    public void sent(long psn, long next, boolean isAckRequested, long nowNanos) {
        if (isAckRequested && timedPsn == NONE) {
            timedPsn = psn;
            timedSinceNanos = nowNanos;
        }
        assert invariants();
    }

    @Override
    public long sample(long unacked, long nowNanos) {
        if (timedPsn == NONE || unacked <= timedPsn) {
            return CongestionControl.NO_SAMPLE;
        }
        long rttNanos = nowNanos - timedSinceNanos;
        timedPsn = NONE;
        timer.sample(rttNanos);
        return rttNanos;
    }

    /** A packet that was sent before the last rewind is never timed. */
    private boolean invariants() {
        return timedPsn == NONE || timedPsn >= lastRewind.psn();
    }

    // ---- what the peer does not tell

    @Override
    public void retransmitted(long psn, long next, long end, long nowNanos) {}

    @Override
    public void resyncSent(long psn) {}

    @Override
    public int nextTransmission(long psn) {
        return Bth.FIRST_TRANSMISSION;
    }

    @Override
    public boolean skips(long psn) {
        return false;
    }

    @Override
    public int packetsPerAck(int windowPackets) {
        return PACKETS_PER_ACK;
    }

    @Override
    public boolean requestLostAnswers(PsnWindow psns, int budget, long nowNanos) {
        return true;
    }

    @Override
    public void received(long to, int transmission, long nowNanos) {}

    @Override
    public void acknowledged(long unacked) {}

    @Override
    public int packetsArrived() {
        return 0;
    }

    @Override
    public int answersArrived() {
        return 0;
    }

    @Override
    public boolean isArrivalReport(int opcode) {
        return false;
    }

    @Override
    public int reported(long expected, long end, MemorySegment bits, long at, int bytes, long nowNanos) {
        return 0;
    }

    @Override
    public void reportedTwice(long psn, int step, long end, MemorySegment bits, long at, int bytes, long nowNanos) {}

    @Override
    public boolean keepsEarlyAnswers() {
        return false;
    }

    @Override
    public boolean hasAnswer(long psn) {
        return false;
    }

    @Override
    public void answered(long psn, long nowNanos) {}

    @Override
    public void answeredEarly(long psn, boolean isEnd, long nowNanos) {}

    @Override
    public void answeredTwice(long psn, long nowNanos) {}

    @Override
    public void keepAcknowledgement(long to, int msn, long nowNanos) {}

    @Override
    public long keptAcknowledgement() {
        return Long.MIN_VALUE;
    }

    @Override
    public int keptMsn() {
        return 0;
    }

    @Override
    public boolean findLost(long end, long nowNanos) {
        return false;
    }

    @Override
    public boolean isLossDue(long nowNanos) {
        return false;
    }

    @Override
    public long dueNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean probes(long unacked) {
        return false;
    }
}
