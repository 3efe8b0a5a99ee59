package io.urma4j.udma.transport;

/**
 * The share of packets that were lost, and the losses that may still prove to be spurious. It keeps the window from before
 * they reduced it, so that the reduction can be undone (RFC 4015).
 */
final class LossHistory {
    private static final double MEMORY_PACKETS = 256;
    private static final double MEMORY_WINDOWS = 2;

    /** A packet that was lost this many rounds ago, and has not arrived, will not arrive any more. */
    private static final int ROUNDS_UNTIL_LOST = 4;

    private double share;
    private int open;
    private int roundsWithoutLoss;
    private double windowBefore; // 0: it was not made smaller for them
    private double slowStartBefore;
    private double reason; // so large a share of losses more than needed for it
    private long spurious; // all that proved to be none

    /** The weight of a packet in the share: those of one window may all be detected at once. */
    private static double weight(double window) {
        return 1 / Math.max(MEMORY_PACKETS, MEMORY_WINDOWS * window);
    }

    void acknowledged(int packets, double window) {
        share -= share * Math.min(1, packets * weight(window));
    }

    void lost(int packets, double window) {
        share = Math.min(1, share + packets * weight(window));
        open += packets;
        roundsWithoutLoss = 0;
    }

    /**
     * This many packets that counted as lost were only delayed.
     *
     * @return the window to restore, if the remaining losses would not have reduced it; else 0
     */
    double notLost(int packets, double window) {
        spurious += packets;
        share = Math.max(0, share - packets * weight(window));
        open = Math.max(0, open - packets);
        reason -= packets * weight(window);
        if (open > 0 && reason > 0) {
            return 0;
        }
        double before = windowBefore;
        windowBefore = 0;
        return before;
    }

    /** The losses are about to reduce the window; a share of {@code tolerated} would not. */
    void reduces(double window, double slowStartUpTo, double tolerated) {
        if (windowBefore == 0) {
            windowBefore = window;
            slowStartBefore = slowStartUpTo;
            reason = 0;
        }
        reason += share - tolerated;
    }

    void roundEnded(boolean hasLoss) {
        if (!hasLoss && ++roundsWithoutLoss > ROUNDS_UNTIL_LOST) {
            settle();
        }
    }

    /** The losses so far are final. */
    void settle() {
        open = 0;
        windowBefore = 0;
    }

    boolean isAnyOpen() {
        return open > 0;
    }

    double slowStartBefore() {
        return slowStartBefore;
    }

    double share() {
        return share;
    }

    long spurious() {
        return spurious;
    }
}
