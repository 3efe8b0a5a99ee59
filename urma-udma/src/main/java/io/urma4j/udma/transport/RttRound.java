package io.urma4j.udma.transport;

/** What the packets of one RTT have shown of the network. */
final class RttRound {
    /** Of this many packets in a round, one was not delayed. */
    private static final int SAMPLES_WITHOUT_DISORDER = 8;

    private static final long NONE = Long.MIN_VALUE;

    private long startNanos = NONE;
    private long leastRttNanos = Long.MAX_VALUE;
    private int samples;
    private boolean isFilled;
    private boolean hasLoss;
    private boolean hasNotice;

    void begin(long nowNanos) {
        startNanos = nowNanos;
        leastRttNanos = Long.MAX_VALUE;
        samples = 0;
        isFilled = false;
        hasLoss = false;
        hasNotice = false;
    }

    /** The next packet begins another one. */
    void abandon() {
        startNanos = NONE;
    }

    void sample(long rttNanos, long nowNanos) {
        if (startNanos == NONE) {
            begin(nowNanos - rttNanos);
        }
        leastRttNanos = Math.min(leastRttNanos, rttNanos);
        samples++;
    }

    /** Half of the window was in flight. */
    void filled(boolean isHalf) {
        isFilled |= isHalf;
    }

    void lost() {
        hasLoss = true;
    }

    /** All losses so far were spurious. */
    void notLost() {
        hasLoss = false;
    }

    void noticed(long nowNanos) {
        if (!hasSample() && startNanos == NONE) {
            begin(nowNanos);
        }
        hasNotice = true;
    }

    boolean isOver(long nowNanos) {
        return hasSample() && startNanos != NONE && nowNanos - startNanos >= leastRttNanos;
    }

    private boolean hasSample() {
        return leastRttNanos != Long.MAX_VALUE;
    }

    boolean isFilled() {
        return isFilled;
    }

    boolean hasLoss() {
        return hasLoss;
    }

    boolean hasNotice() {
        return hasNotice;
    }

    long leastRttNanos() {
        return leastRttNanos;
    }

    /**
     * The queueing delay of the packet that was delayed least.
     *
     * @param disorderNanos packets are delayed by up to that without any queue: of few samples, all may have been
     */
    long queueNanos(long minimumRttNanos, long disorderNanos) {
        long disorder = samples < SAMPLES_WITHOUT_DISORDER ? disorderNanos : 0;
        return Math.max(0, leastRttNanos - minimumRttNanos - disorder);
    }
}
