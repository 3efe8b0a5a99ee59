package io.urma4j.udma.transport;

/**
 * How many packets of a connection may be in flight, so that it uses the network's capacity and shares it with other flows.
 *
 * <p>The signal is delay, as in Swift and TIMELY: the queueing delay of a packet is its RTT less the minimum RTT. Time is
 * divided into rounds of one RTT. Two consecutive rounds in which all packets exceeded the tolerated delay reduce the
 * window by as much as drains the queue. A round without such a sign increases it by a packet, and slightly more the longer
 * the calm lasts. Additive increase and multiplicative decrease lead flows that see the same queue to equal shares (Chiu
 * and Jain, 1989). Two rounds are required, because a stalled host looks like a congested network to each packet of one
 * window.
 *
 * <p>A flow that starts late measures the queues of others as part of the path, and would tolerate as much again. So each
 * connection removes its share from the queue for two rounds in every {@link #ROUNDS_BETWEEN_PROBES}, and measures the
 * minimum RTT then.
 *
 * <p>Loss together with a queue counts as congestion. Without a queue it counts as corruption while it stays below {@link
 * #TOLERATED_LOSS}: otherwise a link that loses one packet in a hundred would keep every window at a dozen. A CNP (WIRE §9)
 * always counts. A timeout reduces the window to one packet; towards urma4j peers the first of several in a row only probes: it
 * has the oldest packet retransmitted alone.
 *
 * <p>The window is never below one packet, so that the connection can detect an improvement.
 */
final class CongestionControl {
    /** Instead of an RTT: the packet was retransmitted, and its response does not name the transmission (Karn). */
    static final long NO_SAMPLE = -1;

    /** Maximum of any window limit: half of what a requester may have open is 2²². */
    static final int MAX_WINDOW_PACKETS = 1 << 22;

    /** Queueing delay that is not congestion yet; longer paths tolerate a quarter of their RTT. */
    static final long TOLERATED_QUEUE_NANOS = 2_000_000;

    /** Share of packets that may be lost without any queue before that counts as a short queue that overflows. */
    static final double TOLERATED_LOSS = 0.025;

    static final int ROUNDS_BETWEEN_PROBES = 128;

    static final int INITIAL_WINDOW_PACKETS = 16;

    /** A window that was not used for this time says nothing about the network any more. */
    static final long IDLE_NANOS = 200_000_000;

    private static final double AFTER_LOSS = 0.7;
    private static final double AFTER_NOTICE = 0.8;
    private static final double BELOW_FULL = 0.9; // of what fits without a queue, so that the queue is seen empty
    private static final double LEAST_LEFT = 1.0 / 16;
    private static final double PROBE_PACKETS = 2;
    private static final double STEP_PACKETS = 0.5;
    private static final int CALM_ROUNDS_PER_STEP = 8;
    private static final double MAX_STEP_PACKETS = 8;

    private final int maxWindow;
    private final int initialWindow;
    private final MinimumRtt minimumRtt = new MinimumRtt();
    private final RttRound round = new RttRound();
    private final LossHistory losses = new LossHistory();

    private double window;
    private double slowStartUpTo;
    private int roundsSinceProbe;
    private double windowAfterProbe; // 0: no probe in progress
    private int lateRounds;
    private int calmRounds;
    private boolean settles; // what this round shows was caused before the window was made smaller
    private long disorderNanos;
    private long lastActive = Long.MIN_VALUE;

    /**
     * For a new connection.
     *
     * @param maxWindowPackets the limit of the peer, its buffers or the options
     * @param initialWindowPackets also after a pause
     */
    CongestionControl(int maxWindowPackets, int initialWindowPackets) {
        if (maxWindowPackets < 1) {
            throw new IllegalArgumentException("largest window " + maxWindowPackets + " is below 1 packet");
        }
        maxWindow = Math.min(maxWindowPackets, MAX_WINDOW_PACKETS);
        initialWindow = Math.min(initialWindowPackets, maxWindow);
        window = initialWindow;
        slowStartUpTo = maxWindow;
    }

    /** Maximum packets in flight, at least 1. */
    int windowPackets() {
        return (int) window;
    }

    /** A packet is about to be sent, while this many are in flight. */
    void sends(int inFlightPackets, long nowNanos) {
        if (inFlightPackets == 0 && lastActive != Long.MIN_VALUE && nowNanos - lastActive > IDLE_NANOS) {
            restart();
        }
        lastActive = nowNanos;
    }

    private void restart() {
        slowStartUpTo = Math.max(slowStartUpTo, window);
        windowAfterProbe = 0;
        window = Math.min(window, initialWindow);
        round.abandon();
        lateRounds = 0;
    }

    /**
     * Packets were acknowledged for the first time.
     *
     * @param packets how many
     * @param inFlightPackets how many were in flight before: a window that is not filled does not grow
     * @param rttNanos of the youngest of them; {@link #NO_SAMPLE} if it was retransmitted, and the response does not name
     *     the transmission, or if the response was delayed in a host
     */
    void acknowledged(int packets, int inFlightPackets, long rttNanos, long nowNanos) {
        lastActive = nowNanos;
        losses.acknowledged(packets, window);
        round.filled(2L * inFlightPackets >= windowPackets());
        if (rttNanos != NO_SAMPLE) {
            long rtt = Math.max(1, rttNanos);
            minimumRtt.sample(rtt, nowNanos);
            round.sample(rtt, nowNanos);
        }
        if (round.isFilled() && window < slowStartUpTo && lateRounds == 0 && !settles && windowAfterProbe == 0) {
            window = Math.min(slowStartUpTo, window + packets);
        }
        if (round.isOver(nowNanos)) {
            endRound();
            round.begin(nowNanos);
        }
        assert invariants() : this;
    }

    /** A gap was detected, or a NAK arrived: this many packets did not arrive. */
    void lost(int packets, long nowNanos) {
        lastActive = nowNanos;
        losses.lost(packets, window);
        round.lost();
    }

    /**
     * Retransmissions were lost again. Reported at most once per RTT, and at once: retransmitted packets give no sample, so
     * that no round ends.
     */
    void lostAgain() {
        losses.settle();
        shrink(AFTER_LOSS);
    }

    /**
     * This many packets that counted as lost were only delayed. If the remaining losses would not have reduced the window,
     * it is restored (RFC 4015).
     */
    void notLost(int packets) {
        double before = losses.notLost(packets, window);
        if (!losses.isAnyOpen()) {
            round.notLost();
        }
        if (before > window) {
            window = before;
            slowStartUpTo = Math.max(slowStartUpTo, losses.slowStartBefore());
            settles = false;
        }
        assert invariants() : this;
    }

    /** How many packets counted as lost, and had only been late, since the connection was made. */
    long spuriousLosses() {
        return losses.spurious();
    }

    /** Whether an acknowledgement is too early to be for this transmission. */
    boolean isTooSoon(long rttNanos) {
        return minimumRtt.isTooSoon(rttNanos);
    }

    /** The same of a packet that was retransmitted alone, while the RTT is that of packets in runs. */
    boolean isTooSoonAlone(long rttNanos) {
        return minimumRtt.isTooSoonAlone(rttNanos);
    }

    /** Packets are delayed by up to that without any queue: in a round with few samples, all may have been. */
    void disorder(long nanos) {
        disorderNanos = nanos;
    }

    /** The minimum RTT of the last ten to twenty seconds; 0 if there is none. */
    long shortestRttNanos() {
        return minimumRtt.nanos();
    }

    /** A CNP arrived: a switch on the path has marked a packet of this end. */
    void noticed(long nowNanos) {
        lastActive = nowNanos;
        round.noticed(nowNanos);
    }

    /** No packet arrived for a whole timeout. */
    void timedOut(long nowNanos) {
        lastActive = nowNanos;
        if (window > 1) {
            slowStartUpTo = Math.max(2, window / 2);
        }
        window = 1;
        losses.settle();
        windowAfterProbe = 0;
        roundsSinceProbe = 0;
        lateRounds = 0;
        calmRounds = 0;
        settles = false;
        round.begin(nowNanos);
        assert invariants() : this;
    }

    // ---- rounds

    private void endRound() {
        losses.roundEnded(round.hasLoss());
        if (settles) {
            settles = false;
            return;
        }
        if (windowAfterProbe > 0) {
            window = windowAfterProbe;
            windowAfterProbe = 0;
            settles = true;
            return;
        }
        judgeRound();
        if (round.isFilled() && !settles && ++roundsSinceProbe >= ROUNDS_BETWEEN_PROBES) {
            probe();
        }
    }

    private void judgeRound() {
        long shortest = minimumRtt.nanos();
        long queue = round.queueNanos(shortest, disorderNanos);
        long tolerated = Math.max(TOLERATED_QUEUE_NANOS, shortest / 4);
        if (round.hasNotice()) {
            losses.settle();
            shrink(AFTER_NOTICE);
        } else if (queue > tolerated) {
            late(shortest);
        } else if (round.hasLoss() && (queue > tolerated / 4 || losses.share() > TOLERATED_LOSS)) {
            losses.reduces(window, slowStartUpTo, queue > tolerated / 4 ? 0 : TOLERATED_LOSS);
            shrink(AFTER_LOSS);
        } else {
            calm();
        }
    }

    /** The first such round only stops the growth. */
    private void late(long shortest) {
        slowStartUpTo = Math.min(slowStartUpTo, window);
        calmRounds = 0;
        lateRounds++;
        if (lateRounds > 1) {
            losses.settle();
            double withoutQueue = (double) shortest / round.leastRttNanos();
            shrink(Math.max(LEAST_LEFT, BELOW_FULL * withoutQueue));
        }
    }

    private void shrink(double factor) {
        window = Math.max(1, window * factor);
        slowStartUpTo = window;
        lateRounds = 0;
        calmRounds = 0;
        settles = true;
    }

    private void probe() {
        windowAfterProbe = window;
        window = Math.min(PROBE_PACKETS, window);
        roundsSinceProbe = 0;
        settles = true;
    }

    private void calm() {
        lateRounds = 0;
        if (round.isFilled() && window >= slowStartUpTo) {
            calmRounds++;
            double step = STEP_PACKETS * (1 + calmRounds / CALM_ROUNDS_PER_STEP);
            window = Math.min(maxWindow, window + Math.min(MAX_STEP_PACKETS, step));
            slowStartUpTo = window;
        }
    }

    private boolean invariants() {
        return window >= 1
                && window <= maxWindow
                && slowStartUpTo <= maxWindow
                && windowAfterProbe <= maxWindow
                && losses.share() >= 0
                && losses.share() <= 1;
    }

    @Override
    public String toString() {
        return String.format(
                "window %.1f of %d packets%s, loss %.2f %%",
                window, maxWindow, window < slowStartUpTo ? " in slow start" : "", 100 * losses.share());
    }
}
