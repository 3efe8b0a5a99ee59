package io.urma4j.udma.transport;

/**
 * Loss recovery towards a peer that keeps nothing behind a gap, as RoCE has it (WIRE §4.5). A negative acknowledgement, a
 * missing answer or a timeout makes the requester retransmit everything that is unacknowledged.
 *
 * <p>The requester goes back once for a loss ({@link LastRewind}). Packets that were in flight behind the missing one draw
 * the same negative acknowledgement, and those that arrive within a round trip are ignored. One that arrives later answers
 * the retransmission, and shows that it was lost, too.
 *
 * <p>One packet in a round trip is timed. A retransmission ends the measurement, since its acknowledgement might answer
 * either transmission (Karn's rule).
 */
final class GoBackN implements LossRecovery {
    /** The most packets without a request for an acknowledgement, as Linux has it (WIRE §4.3). */
    static final int PACKETS_PER_ACK = 64;

    private static final long NONE = -1;

    private final RetryTimer timer;
    private final LastRewind lastRewind;

    private long timedPsn = NONE;
    private long timedSinceNanos;

    GoBackN(RetryTimer timer, LastRewind lastRewind) {
        this.timer = timer;
        this.lastRewind = lastRewind;
    }

    @Override
    public void forget(long end) {
        timedPsn = NONE;
    }

    @Override
    public int packetsPerAck(int windowPackets) {
        return PACKETS_PER_ACK;
    }

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
}
