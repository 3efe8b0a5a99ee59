package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.PathMtu;

/**
 * The parameters of a connection: agreed by both ends, or chosen by this end.
 *
 * @param number of this end: of the queue pair, or of the end-to-end context of a shared connection
 * @param peerNumber the peer's
 * @param kind whether one queue has it for itself, or all queues of two contexts share it
 * @param firstSendPsn of the first packet that this end sends, 24 bits
 * @param firstReceivePsn of the first packet that the peer sends
 * @param mtuBytes maximum payload of a packet, equal at both ends
 * @param timeoutNanos maximum wait for an acknowledgement before packets are retransmitted; 0 for no limit. The measured
 *     RTT shortens the wait
 * @param retries the peer counts as silent after this many retries without any progress, and one more: not before {@code
 *     timeoutNanos × (retries + 1)} have passed
 * @param rnrRetries how often a message is retransmitted to a receiver that is not ready, on a connection of one queue; 7
 *     for no limit. On shared connections the queue decides
 * @param maxReadsOut READs and atomics in flight: what the peer keeps resources for
 * @param maxReadsIn READs and atomics of the peer that this end keeps resources for
 * @param windowPackets maximum unacknowledged packets; Linux has at most 128 (WIRE §0.9)
 * @param readBudgetBytes maximum bytes of requested READ responses: the size of the receive buffer
 * @param peerIsOurs the peer is urma4j, and knows its opcodes (docs/wire-extensions.md)
 * @param selective both ends retransmit only lost packets; at most 1024 packets are buffered behind a gap
 * @param predicts expected packets take the short way of {@code HeaderPrediction}
 */
public record ConnectionConfig(
        int number,
        int peerNumber,
        Kind kind,
        int firstSendPsn,
        int firstReceivePsn,
        int mtuBytes,
        long timeoutNanos,
        int retries,
        int rnrRetries,
        int maxReadsOut,
        int maxReadsIn,
        int windowPackets,
        int readBudgetBytes,
        boolean peerIsOurs,
        boolean selective,
        boolean predicts) {

    /** Maximum unacknowledged packets of any connection, READ responses included. */
    public static final int MAX_WINDOW_PACKETS = 4096;

    /** {@link #rnrRetries} without limit. */
    public static final int RNR_FOR_EVER = 7;

    /** Between urma4j peers. */
    public static final int USUAL_WINDOW_PACKETS = 1024;

    /** The limit of Linux. */
    public static final int FOREIGN_WINDOW_PACKETS = 128;

    /** Maximum READs and atomics in flight of any connection. */
    public static final int MAX_READS = 128;

    /** The users of a connection. */
    public enum Kind {
        /** One queue at each end: an RC queue pair, as in Linux. */
        RELIABLE_CONNECTED,
        /** All queues of two contexts: reliable datagram. */
        SHARED
    }

    /** @throws IllegalArgumentException if a value is out of its range; names it */
    public ConnectionConfig {
        require("number", number, 0, Bth.MAX_24);
        require("peer's number", peerNumber, 0, Bth.MAX_24);
        require("first PSN to send", firstSendPsn, 0, Bth.MAX_24);
        require("first PSN to receive", firstReceivePsn, 0, Bth.MAX_24);
        if (!(peerIsOurs ? PathMtu.isOne(mtuBytes) : PathMtu.isOfRoce(mtuBytes))) {
            throw new IllegalArgumentException("MTU " + mtuBytes + " is no path MTU"
                    + (peerIsOurs ? ": " + PathMtu.NAMES : " of RoCE: a power of two from 256 to 4096"));
        }
        require("retries", retries, 0, Integer.MAX_VALUE - 1);
        require("RNR retries", rnrRetries, 0, RNR_FOR_EVER);
        require("READs out", maxReadsOut, 0, MAX_READS);
        require("READs in", maxReadsIn, 0, MAX_READS);
        require("window", windowPackets, 1, MAX_WINDOW_PACKETS / 2);
        require("budget of READs", readBudgetBytes, mtuBytes, Integer.MAX_VALUE);
        if (kind == Kind.SHARED && !peerIsOurs) {
            throw new IllegalArgumentException("a shared connection needs urma4j at both ends");
        }
    }

    private static void require(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " " + value + " is not in " + least + "…" + most);
        }
    }

    /**
     * How many packets of at most 4096 bytes count as one of the path MTU. A window has as many bytes with long packets as
     * with those of RoCE, since the peer's buffer has.
     */
    int packetsPerMtu() {
        return Math.max(1, mtuBytes / PathMtu.LARGEST_OF_ROCE);
    }

    /** The window of a new connection, in packets of the path MTU: as many bytes as 16 of RoCE, but at least two packets. */
    int initialWindowPackets() {
        return Math.max(2, CongestionControl.INITIAL_WINDOW_PACKETS / packetsPerMtu());
    }

    /** Maximum unacknowledged packets of the path MTU. */
    int windowOfLongPackets() {
        return Math.max(1, windowPackets / packetsPerMtu());
    }

    /** Maximum unacknowledged bytes. */
    long windowBytes() {
        return (long) windowPackets * PathMtu.ofRoce(mtuBytes);
    }

    boolean isShared() {
        return kind == Kind.SHARED;
    }

    /** The transport of its standard opcodes. */
    int transport() {
        return isShared() ? Opcodes.RD : Opcodes.RC;
    }

    /** The transport of its opcodes between urma4j peers. */
    int ourTransport() {
        return isShared() ? Opcodes.OURS_RD : Opcodes.OURS_RC;
    }

    /** Whether its packets may have that opcode; urma4j's only from a urma4j peer. */
    boolean speaks(int opcode) {
        int transport = Opcodes.transport(opcode);
        return transport == transport() || transport == ourTransport() && peerIsOurs;
    }

    /** Begins with defaults for a urma4j peer. */
    public static Builder builder(Kind kind, int number, int peerNumber) {
        return new Builder(kind, number, peerNumber);
    }

    /** Collects the values. */
    public static final class Builder {
        private final Kind kind;
        private final int number;
        private final int peerNumber;
        private int firstSendPsn;
        private int firstReceivePsn;
        private int mtuBytes = 1024;
        private long timeoutNanos = 2_000_000_000L;
        private int retries = 7;
        private int rnrRetries = RNR_FOR_EVER;
        private int maxReadsOut = 16;
        private int maxReadsIn = 16;
        private int windowPackets = USUAL_WINDOW_PACKETS;
        private int readBudgetBytes = 256 << 10;
        private boolean peerIsOurs = true;
        private boolean selective;
        private boolean predicts = true;

        private Builder(Kind kind, int number, int peerNumber) {
            this.kind = kind;
            this.number = number;
            this.peerNumber = peerNumber;
        }

        public Builder psns(int firstToSend, int firstToReceive) {
            firstSendPsn = firstToSend;
            firstReceivePsn = firstToReceive;
            return this;
        }

        public Builder mtuBytes(int bytes) {
            mtuBytes = bytes;
            return this;
        }

        public Builder timeout(long nanos, int count) {
            timeoutNanos = nanos;
            retries = count;
            return this;
        }

        public Builder rnrRetries(int count) {
            rnrRetries = count;
            return this;
        }

        public Builder reads(int maxOut, int maxIn) {
            maxReadsOut = maxOut;
            maxReadsIn = maxIn;
            return this;
        }

        public Builder windowPackets(int packets) {
            windowPackets = packets;
            return this;
        }

        public Builder readBudgetBytes(int bytes) {
            readBudgetBytes = bytes;
            return this;
        }

        /** For a foreign peer: no opcode of urma4j, and no larger window than Linux has. */
        public Builder foreignPeer() {
            peerIsOurs = false;
            windowPackets = Math.min(windowPackets, FOREIGN_WINDOW_PACKETS);
            return this;
        }

        public Builder selective() {
            selective = true;
            return this;
        }

        public Builder predicts(boolean on) {
            predicts = on;
            return this;
        }

        public ConnectionConfig build() {
            return new ConnectionConfig(
                    number,
                    peerNumber,
                    kind,
                    firstSendPsn,
                    firstReceivePsn,
                    mtuBytes,
                    timeoutNanos,
                    retries,
                    rnrRetries,
                    maxReadsOut,
                    maxReadsIn,
                    windowPackets,
                    readBudgetBytes,
                    peerIsOurs,
                    selective,
                    predicts);
        }
    }
}
