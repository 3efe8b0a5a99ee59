package io.urma4j.udma.transport;

/**
 * How many packets and READs of a requester may be in flight, and when a packet requests an acknowledgement: two limits for
 * packets, of the connection and of the congestion control, and two for READs, of their number and of the bytes that our
 * receive buffer takes. With packets longer than those of RoCE, both limits for packets are limits for bytes as well.
 */
final class RequestWindow {
    private final ConnectionConfig config;
    private final CongestionControl congestion;
    private final LossRecovery recovery;
    private final PsnWindow psns;
    private final InFlight inFlight;
    private final int packetsPerMtu;

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
        this.packetsPerMtu = config.packetsPerMtu();
    }

    /** Whether the next packet may be sent, which is of that message. */
    boolean mayBeSent(WireMessage message) {
        long sent = psns.inFlight();
        int arrived = recovery.packetsArrived() + recovery.answersArrived();
        if (sent >= config.windowPackets() || sent - arrived >= windowOfShortPackets()) {
            return false;
        }
        if (packetsPerMtu > 1 && !hasRoomForBytes(arrived)) {
            return false;
        }
        if (!message.isAnswered() || inFlight.openReads() == 0 || message.isUncertain) {
            return true;
        }
        return inFlight.openReads() < config.maxReadsOut()
                && readBytesInFlight() + message.lengthBytes <= config.readBudgetBytes();
    }

    private boolean hasRoomForBytes(int arrivedPackets) {
        long bytes = inFlight.bytesInFlight(psns.unacked(), psns.next(), config.mtuBytes());
        return bytes < config.windowBytes()
                && bytes - (long) arrivedPackets * config.mtuBytes() < (long) windowPackets() * config.mtuBytes();
    }

    private long readBytesInFlight() {
        long arrivedBytes = (long) recovery.answersArrived() * config.mtuBytes();
        return Math.max(0, inFlight.openReadBytes() - arrivedBytes);
    }

    /** In packets of the path MTU. */
    int windowPackets() {
        return Math.min(config.windowOfLongPackets(), congestion.windowPackets());
    }

    private int windowOfShortPackets() {
        return Math.min(config.windowPackets(), congestion.windowPackets() * packetsPerMtu);
    }

    /** Whether the next packet requests an acknowledgement, if it is not the last of its message: then it has a whole MTU. */
    boolean asks() {
        int window = windowPackets();
        long sent = psns.inFlight() + 1;
        return packetsSinceAsked + 1 >= recovery.packetsPerAck(window)
                || sent - recovery.packetsArrived() >= window
                || sent >= config.windowOfLongPackets()
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
