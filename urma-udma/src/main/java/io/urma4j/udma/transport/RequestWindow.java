package io.urma4j.udma.transport;

import org.jspecify.annotations.Nullable;

/**
 * Whether the next packet of a requester may leave now, and whether it requests an acknowledgement. There are two limits for
 * packets in flight, of the connection and of the congestion control, and two for READs, of their number and of the bytes
 * that our receive buffer takes. With packets longer than those of RoCE, both limits for packets are limits for bytes as well.
 *
 * <p>Small requests are coalesced, so that several leave together: a system call takes many packets as well as one, and costs
 * more than creating a few dozen of them. Requests wait only while enough packets are in flight to keep the peer busy, for a
 * few microseconds at most, and only if the caller comes back ({@link FlushHint}).
 */
final class RequestWindow {
    /** With fewer packets in flight no request waits to be coalesced. */
    static final int COALESCING_PACKETS = 16;

    /** This many requests need not wait for more. */
    static final int TRAIN_MESSAGES = 32;

    /** Longer requests never wait to be coalesced. */
    static final int MAX_COALESCED_BYTES = 512;

    static final long MAX_COALESCING_NANOS = 8_000;

    private static final long NEVER = Long.MIN_VALUE;

    private final ConnectionConfig config;
    private final CongestionControl congestion;
    private final LossRecovery recovery;
    private final PsnWindow psns;
    private final InFlight inFlight;
    private final int packetsPerMtu;

    private int packetsSinceAsked;
    private long coalescingSinceNanos = NEVER;

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

    /**
     * Whether the message at the cursor waits once more, to be coalesced.
     *
     * @param mayWait the caller comes back soon
     */
    boolean coalesces(boolean mayWait, long nowNanos) {
        if (!mayWait || psns.inFlight() < COALESCING_PACKETS || !isCoalescible(inFlight.cursor())) {
            coalescingSinceNanos = NEVER;
            return false;
        }
        if (coalescingSinceNanos == NEVER) {
            coalescingSinceNanos = nowNanos;
        }
        if (nowNanos - coalescingSinceNanos < MAX_COALESCING_NANOS) {
            return true;
        }
        coalescingSinceNanos = NEVER;
        return false;
    }

    private boolean isCoalescible(@Nullable WireMessage next) {
        return next != null
                && inFlight.isCursorNew()
                && next.packets == 1
                && next.lengthBytes <= MAX_COALESCED_BYTES
                && inFlight.size() - inFlight.numbered() < TRAIN_MESSAGES;
    }

    /** Whether a short train of requests waits for the next step. */
    boolean isCoalescing() {
        return coalescingSinceNanos != NEVER;
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
