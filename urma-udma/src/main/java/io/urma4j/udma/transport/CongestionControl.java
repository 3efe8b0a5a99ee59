package io.urma4j.udma.transport;

/**
 * How many packets of a connection may be on their way, so that it uses what the network has and shares it with others.
 *
 * <p>The signal is delay, as in Swift and TIMELY: what a packet waits in queues is its round trip less the shortest one
 * that was seen. Time goes in rounds of a round trip. A round whose packets all waited longer than is tolerated, and the
 * next one too, makes the window smaller by as much as drains the queue; a round without such a sign makes it larger by a
 * packet, and a little more the longer the calm lasts. Additive up and multiplicative down leads flows that see the same
 * queue to equal shares (Chiu and Jain, 1989). Two rounds are asked for, because a machine that did something else for a while looks like a full network to
 * each packet of one window.
 *
 * <p>Who comes late finds the queues of others, takes them for the length of the path, and would tolerate as much again.
 * So each connection takes its share out of the queue for two rounds in every {@link #ROUNDS_BETWEEN_PROBES}, and looks how
 * short the path is then.
 *
 * <p>Loss together with a queue counts as congestion. Without one it is taken for damage as long as it stays below
 * {@link #TOLERATED_LOSS}: a wire that loses one packet in a hundred would otherwise keep every window at a dozen. A CNP
 * (WIRE §9) always counts. A timeout goes back to one packet.
 *
 * <p>The window is never below one packet: the connection must find out that things got better.
 */
public final class CongestionControl {
    /** In place of a round trip: the packet was sent more than once (Karn). */
    public static final long NO_SAMPLE = -1;

    /** Larger than this is never allowed, however large the limit: half of what a requester may have open is 2²². */
    static final int MAX_WINDOW_PACKETS = 1 << 22;

    /** Waiting in queues that is no congestion yet; longer paths tolerate a quarter of their round trip. */
    static final long TOLERATED_QUEUE_NANOS = 2_000_000;

    /** Share of packets that may be lost without any queue before that is held for a short queue that overflows. */
    static final double TOLERATED_LOSS = 0.025;

    static final int ROUNDS_BETWEEN_PROBES = 128;

    /** What was lost so many rounds ago, and has not come, will not come any more. */
    private static final int ROUNDS_UNTIL_LOST = 4;

    /** Of so many packets in a round one was not late. */
    private static final int SAMPLES_WITHOUT_DISORDER = 8;

    static final int INITIAL_WINDOW_PACKETS = 16;

    /** A window that was not used for so long says nothing about the network any more. */
    static final long IDLE_NANOS = 200_000_000;

    private static final double AFTER_LOSS = 0.7;
    private static final double AFTER_NOTICE = 0.8;
    private static final double BELOW_FULL = 0.9; // of what fits without a queue, so that the queue is seen empty
    private static final double LEAST_LEFT = 1.0 / 16;
    private static final double PROBE_PACKETS = 2;
    private static final double LOSS_MEMORY_PACKETS = 256;
    private static final double WINDOWS_OF_LOSSES = 2;
    private static final double STEP_PACKETS = 0.5;
    private static final int CALM_ROUNDS_PER_STEP = 8;
    private static final double MAX_STEP_PACKETS = 8;
    private static final long BASE_MEMORY_NANOS = 10_000_000_000L;

    private final int maxWindow;
    private double window;
    private double slowStartUpTo;

    // the shortest round trip of the last ten to twenty seconds
    private long base = Long.MAX_VALUE;
    private long baseBefore = Long.MAX_VALUE;
    private long baseSince = Long.MIN_VALUE;

    // this round
    private long roundStart = Long.MIN_VALUE;
    private long roundLength;
    private long roundLeastRtt = Long.MAX_VALUE;
    private int roundSamples;
    private boolean roundFilled;
    private boolean roundLost;
    private boolean roundNoticed;

    private int roundsSinceProbe;
    private double windowAfterProbe; // 0: no probe is under way
    private int lateRounds;
    private int calmRounds;
    private boolean settles; // what this round shows was caused before the window was made smaller
    private double lossShare;

    private long disorderNanos;

    // of losses that may yet prove to be none
    private int openLosses;
    private int roundsWithoutLoss;
    private double windowBeforeLoss; // 0: it was not made smaller for them
    private double slowStartBeforeLoss;
    private double reason; // so large a share of losses more than needed for it
    private long spurious; // all that proved to be none

    private long lastActive = Long.MIN_VALUE;

    /**
     * For a connection that is new.
     *
     * @param maxWindowPackets what the peer, its buffers or the options allow
     */
    public CongestionControl(int maxWindowPackets) {
        if (maxWindowPackets < 1) {
            throw new IllegalArgumentException("largest window " + maxWindowPackets + " is below 1 packet");
        }
        maxWindow = Math.min(maxWindowPackets, MAX_WINDOW_PACKETS);
        window = Math.min(INITIAL_WINDOW_PACKETS, maxWindow);
        slowStartUpTo = maxWindow;
    }

    /** So many packets may be on their way, at least 1. */
    public int windowPackets() {
        return (int) window;
    }

    /** A packet is about to be sent, while so many are on their way. */
    public void sends(int inFlightPackets, long nowNanos) {
        if (inFlightPackets == 0 && lastActive != Long.MIN_VALUE && nowNanos - lastActive > IDLE_NANOS) {
            restart();
        }
        lastActive = nowNanos;
    }

    private void restart() {
        slowStartUpTo = Math.max(slowStartUpTo, window);
        windowAfterProbe = 0;
        window = Math.min(window, INITIAL_WINDOW_PACKETS);
        roundStart = Long.MIN_VALUE;
        lateRounds = 0;
    }

    /**
     * Packets were acknowledged for the first time.
     *
     * @param packets how many
     * @param inFlightPackets how many were on their way before: a window that is not filled does not grow
     * @param rttNanos of the youngest of them; {@link #NO_SAMPLE} when it was sent more than once
     */
    public void acknowledged(int packets, int inFlightPackets, long rttNanos, long nowNanos) {
        lastActive = nowNanos;
        lossShare -= lossShare * Math.min(1, packets * ofLosses());
        roundFilled |= 2L * inFlightPackets >= windowPackets();
        if (rttNanos != NO_SAMPLE) {
            remember(Math.max(1, rttNanos), nowNanos);
        }
        if (roundFilled && window < slowStartUpTo && lateRounds == 0 && !settles && windowAfterProbe == 0) {
            window = Math.min(slowStartUpTo, window + packets);
        }
        if (roundLeastRtt != Long.MAX_VALUE && nowNanos - roundStart >= roundLength) {
            endRound();
            beginRound(nowNanos);
        }
    }

    /** A gap was seen, or a negative acknowledgement: so many packets did not arrive. */
    public void lost(int packets, long nowNanos) {
        lastActive = nowNanos;
        lossShare = Math.min(1, lossShare + packets * ofLosses());
        roundLost = true;
        openLosses += packets;
        roundsWithoutLoss = 0;
    }

    /**
     * What was sent again was lost again. Told at most once in a round trip, and at once: nothing that was sent twice gives a
     * sample, so that no round ends.
     */
    void lostAgain() {
        settleLosses();
        shrink(AFTER_LOSS);
    }

    /**
     * So many packets that counted as lost were late. When too few are left to have made the window smaller, it is again
     * what it was before (RFC 4015).
     */
    public void notLost(int packets) {
        spurious += packets;
        lossShare = Math.max(0, lossShare - packets * ofLosses());
        openLosses = Math.max(0, openLosses - packets);
        reason -= packets * ofLosses();
        roundLost &= openLosses > 0;
        if (openLosses == 0 || reason <= 0) {
            if (windowBeforeLoss > window) {
                window = windowBeforeLoss;
                slowStartUpTo = Math.max(slowStartUpTo, slowStartBeforeLoss);
                settles = false;
            }
            windowBeforeLoss = 0;
        }
    }

    /** How many packets counted as lost, and had only been late, since the connection was made. */
    long spuriousLosses() {
        return spurious;
    }

    /** Whether no answer comes so soon: it is to something that was sent before. A quarter less than ever is sure. */
    boolean isTooSoon(long rttNanos) {
        long shortest = shortestRttNanos();
        return rttNanos < shortest - shortest / 4;
    }

    /** What a packet counts in the share of losses: those of one window may all be seen at once. */
    private double ofLosses() {
        return 1 / Math.max(LOSS_MEMORY_PACKETS, WINDOWS_OF_LOSSES * window);
    }

    /** Packets are late by up to that without any queue: where few of them tell, all may have been. */
    void disorder(long nanos) {
        disorderNanos = nanos;
    }

    /** What was lost so far is lost. */
    private void settleLosses() {
        openLosses = 0;
        windowBeforeLoss = 0;
    }

    /** The shortest round trip of the last ten to twenty seconds; 0 when there was none. */
    long shortestRttNanos() {
        long shortest = Math.min(base, baseBefore);
        return shortest == Long.MAX_VALUE ? 0 : shortest;
    }

    /** A CNP came: a switch on the way has marked what we sent. */
    public void noticed(long nowNanos) {
        lastActive = nowNanos;
        if (roundLeastRtt == Long.MAX_VALUE && roundStart == Long.MIN_VALUE) {
            beginRound(nowNanos);
        }
        roundNoticed = true;
    }

    /** Nothing was heard for a whole timeout. */
    public void timedOut(long nowNanos) {
        lastActive = nowNanos;
        if (window > 1) {
            slowStartUpTo = Math.max(2, window / 2);
        }
        window = 1;
        settleLosses();
        windowAfterProbe = 0;
        roundsSinceProbe = 0;
        lateRounds = 0;
        calmRounds = 0;
        settles = false;
        beginRound(nowNanos);
    }

    // ---- rounds

    private void remember(long rtt, long now) {
        if (baseSince == Long.MIN_VALUE || now - baseSince >= BASE_MEMORY_NANOS) {
            baseBefore = base;
            base = rtt;
            baseSince = now;
        }
        base = Math.min(base, rtt);
        if (roundStart == Long.MIN_VALUE) {
            beginRound(now - rtt);
        }
        roundLeastRtt = Math.min(roundLeastRtt, rtt);
        roundSamples++;
        roundLength = roundLeastRtt;
    }

    private void beginRound(long now) {
        roundStart = now;
        roundLeastRtt = Long.MAX_VALUE;
        roundSamples = 0;
        roundFilled = false;
        roundLost = false;
        roundNoticed = false;
    }

    private void endRound() {
        if (!roundLost && ++roundsWithoutLoss > ROUNDS_UNTIL_LOST) {
            settleLosses();
        }
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
        if (roundFilled && !settles && ++roundsSinceProbe >= ROUNDS_BETWEEN_PROBES) {
            probe();
        }
    }

    private void judgeRound() {
        long shortest = Math.min(base, baseBefore);
        long disorder = roundSamples < SAMPLES_WITHOUT_DISORDER ? disorderNanos : 0;
        long queue = Math.max(0, roundLeastRtt - shortest - disorder);
        long tolerated = Math.max(TOLERATED_QUEUE_NANOS, shortest / 4);
        if (roundNoticed) {
            settleLosses();
            shrink(AFTER_NOTICE);
        } else if (queue > tolerated) {
            late(shortest);
        } else if (roundLost && (queue > tolerated / 4 || lossShare > TOLERATED_LOSS)) {
            rememberBeforeLoss(queue > tolerated / 4 ? 0 : TOLERATED_LOSS);
            shrink(AFTER_LOSS);
        } else {
            calm();
        }
    }

    /** @param share of losses that would not have made the window smaller */
    private void rememberBeforeLoss(double share) {
        if (windowBeforeLoss == 0) {
            windowBeforeLoss = window;
            slowStartBeforeLoss = slowStartUpTo;
            reason = 0;
        }
        reason += lossShare - share;
    }

    /** The first such round only stops the growing. */
    private void late(long shortest) {
        slowStartUpTo = Math.min(slowStartUpTo, window);
        calmRounds = 0;
        lateRounds++;
        if (lateRounds > 1) {
            settleLosses();
            double withoutQueue = (double) shortest / roundLeastRtt;
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
        if (roundFilled && window >= slowStartUpTo) {
            calmRounds++;
            double step = STEP_PACKETS * (1 + calmRounds / CALM_ROUNDS_PER_STEP);
            window = Math.min(maxWindow, window + Math.min(MAX_STEP_PACKETS, step));
            slowStartUpTo = window;
        }
    }

    @Override
    public String toString() {
        return String.format(
                "window %.1f of %d packets%s, loss %.2f %%",
                window, maxWindow, window < slowStartUpTo ? " in slow start" : "", 100 * lossShare);
    }
}
