package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Bth;

/**
 * How a requester finds out what was lost, and which packets it retransmits for that. {@link SelectiveRepeat} serves
 * urma4j peers, {@link GoBackN} all others. The requester reports what it sends and what is acknowledged, and asks what to
 * do next.
 *
 * <p>An answer is a packet of a READ response or an atomic acknowledgement. It is early when an older one is missing.
 *
 * <p>Methods with a body state what holds for a peer that keeps and reports nothing.
 */
sealed interface LossRecovery permits SelectiveRepeat, GoBackN {
    // ---- what is sent

    /**
     * A packet was sent for the first time.
     *
     * @param next the PSN behind it; behind all of its answers for a READ
     * @param isAckRequested an acknowledgement follows it at once
     */
    void sent(long psn, long next, boolean isAckRequested, long nowNanos);

    /**
     * A packet was retransmitted.
     *
     * @param end the PSN behind the last one that was ever sent
     */
    default void retransmitted(long psn, long next, long end, long nowNanos) {}

    /** A RESYNC took that PSN. */
    default void resyncSent(long psn) {}

    /** Which transmission of a packet the next one is; the packet was sent before. */
    default int nextTransmission(long psn) {
        return Bth.FIRST_TRANSMISSION;
    }

    /** Whether a packet that was sent before need not be retransmitted. */
    default boolean skips(long psn) {
        return false;
    }

    /** A packet requests an acknowledgement after that number of others at the latest. */
    int packetsPerAck(int windowPackets);

    /**
     * Requests the answers that are lost.
     *
     * @param budget the most requests to send
     * @return false when there are more to request
     */
    default boolean requestLostAnswers(PsnWindow psns, int budget, long nowNanos) {
        return true;
    }

    // ---- what arrives

    /** Whether nothing is known to be missing, early or lost, and no acknowledgement waits. */
    default boolean isInOrder() {
        return true;
    }

    /**
     * The responder has everything before that PSN.
     *
     * @param transmission which one of the last packet the responder acknowledges
     */
    default void received(long to, int transmission, long nowNanos) {}

    /**
     * The same, shown by an answer. It says nothing of later packets: the responder may have more, which it answers next.
     *
     * @param transmission which one of the last packet the responder answers
     */
    default void executed(long to, int transmission, long nowNanos) {}

    /** Everything before that PSN is acknowledged, and every answer before it was placed. */
    default void acknowledged(long unacked) {}

    /** The round trip that the last acknowledgement shows; {@link CongestionControl#NO_SAMPLE} for none. */
    long sample(long unacked, long nowNanos);

    /** How many packets are unacknowledged and known to have arrived. */
    default int packetsArrived() {
        return 0;
    }

    /** How many answers are early. */
    default int answersArrived() {
        return 0;
    }

    /** Whether a negative acknowledgement with that opcode reports what has arrived behind the gap. */
    default boolean isArrivalReport(int opcode) {
        return false;
    }

    /**
     * The responder reports what it has behind a gap: a bit for each PSN behind the one that it expects.
     *
     * @param end the PSN behind the last one that was ever sent
     * @return how many packets are newly known to have arrived
     */
    default int reported(long expected, long end, NativeMemory bits, long at, int bytes, long nowNanos) {
        return 0;
    }

    /**
     * The responder reports which packets arrived twice.
     *
     * @param psn of the first bit; the others follow forwards or backwards
     * @param step 1 or -1
     * @param end the PSN behind the last one that was ever sent
     */
    default void reportedTwice(long psn, int step, long end, NativeMemory bits, long at, int bytes, long nowNanos) {}

    // ---- early answers

    /** Whether answers that are early are placed, and an acknowledgement waits for an answer that is missing. */
    default boolean keepsEarlyAnswers() {
        return false;
    }

    /** Whether that answer has arrived early. */
    default boolean hasAnswer(long psn) {
        return false;
    }

    /** An answer has arrived in order. */
    default void answered(long psn, long nowNanos) {}

    /**
     * An answer has arrived early, for the first time.
     *
     * @param isEnd it is the last one of its response
     */
    default void answeredEarly(long psn, boolean isEnd, long nowNanos) {}

    /** An answer has arrived that had arrived before. */
    default void answeredTwice(long psn, long nowNanos) {}

    /** An acknowledgement of everything before that PSN waits for an answer that is missing. */
    default void keepAcknowledgement(long to, int msn, long nowNanos) {}

    /** The PSN of the acknowledgement that waits; {@code Long.MIN_VALUE} for none. */
    default long keptAcknowledgement() {
        return Long.MIN_VALUE;
    }

    default int keptMsn() {
        return 0;
    }

    // ---- what is lost

    /**
     * Looks for packets that are lost by now. They are no longer skipped.
     *
     * @param end the PSN behind the last one that was ever sent
     * @return whether any was found
     */
    default boolean findLost(long end, long nowNanos) {
        return false;
    }

    /** Whether {@link #findLost} has something to find at that time, though nothing has arrived. */
    default boolean isLossDue(long nowNanos) {
        return false;
    }

    /** When something that is missing will count as lost; {@code Long.MAX_VALUE} for never. */
    default long dueNanos() {
        return Long.MAX_VALUE;
    }

    /** Whether a probe and the first timeout retransmit the oldest packet alone. If so, it is no longer skipped. */
    default boolean probes(long unacked) {
        return false;
    }

    /** Everything before {@code end} is retransmitted, whatever was known. */
    void forget(long end);
}
