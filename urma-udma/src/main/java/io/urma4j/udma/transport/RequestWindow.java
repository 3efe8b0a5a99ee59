package io.urma4j.udma.transport;

/**
 * How many packets and READs of a requester may be in flight, and when a packet requests an acknowledgement: two limits for
 * packets, of the connection and of the congestion control, and two for READs, of their number and of the bytes that our
 * receive buffer takes.
 */
final class RequestWindow {
    private final ConnectionConfig config;
    private final CongestionControl congestion;
    private final LossRecovery recovery;
    private final PsnWindow psns;
    private final InFlight inFlight;

    private int packetsSinceAsked;

    RequestWindow(
            ConnectionConfig config,
            CongestionControl congestion,
            LossRecovery recovery,
            PsnWindow psns,
            InFlight inFlight) {
        this.config = config;
        this.congestion = congestion;
        this.recovery = recovery;
        this.psns = psns;
        this.inFlight = inFlight;
    }

    /** Whether the next packet may be sent, which is of that message. */
    boolean mayBeSent(WireMessage message) {
        long sent = psns.inFlight();
        int arrived = recovery.packetsArrived() + recovery.answersArrived();
        if (sent >= config.windowPackets() || sent - arrived >= windowPackets()) {
            return false;
        }
        if (!message.isAnswered() || inFlight.openReads() == 0 || message.isUncertain) {
            return true;
        }
        return inFlight.openReads() < config.maxReadsOut()
                && readBytesInFlight() + message.lengthBytes <= config.readBudgetBytes();
    }

    private long readBytesInFlight() {
        long arrivedBytes = (long) recovery.answersArrived() * config.mtuBytes();
        return Math.max(0, inFlight.openReadBytes() - arrivedBytes);
    }

    int windowPackets() {
        return Math.min(config.windowPackets(), congestion.windowPackets());
    }

    /** Whether the next packet requests an acknowledgement, if it is not the last of its message. */
    boolean asks() {
        int window = windowPackets();
        long sent = psns.inFlight() + 1;
        return packetsSinceAsked + 1 >= recovery.packetsPerAck(window)
                || sent - recovery.packetsArrived() >= window
                || sent >= config.windowPackets()
                || psns.next() + 1 == psns.end();
    }

    /** A packet was sent, which requests an acknowledgement or not. */
    void sent(boolean asked) {
        packetsSinceAsked = asked ? 0 : packetsSinceAsked + 1;
    }

    /** That number of packets has arrived that were not known to have. */
    void arrived(int packetCount, boolean isDelayed, long nowNanos) {
        long rttNanos = recovery.sample(psns.unacked(), nowNanos);
        int inFlightPackets = packetCount + (int) psns.inFlight() - recovery.packetsArrived();
        congestion.acknowledged(
                packetCount, inFlightPackets, isDelayed ? CongestionControl.NO_SAMPLE : rttNanos, nowNanos);
    }

    void restart() {
        packetsSinceAsked = 0;
    }
}
