package io.urma4j.udma.command;

/**
 * Configuration of a connection, of an RC queue or shared by all RM queues of two contexts. Created with {@link #builder}.
 *
 * @param to the peer's port
 * @param mtuBytes most payload of a packet that the peer takes, a path MTU; {@link #ANY_MTU} where that is unknown. Packets
 *     are no longer than the way to the peer allows, and to a foreign peer no longer than those of RoCE
 * @param number of a shared connection on this side (its EE context), {@link CardCommands#FIRST_CONNECTION} and up; not read
 *     for RC
 * @param remoteNumber of the peer's QP, or of its EE context
 * @param sendPsn first PSN that we send
 * @param receivePsn first PSN that we expect
 * @param maxReads READs and atomics that may be in flight towards the peer: its resources
 * @param resources READs and atomics of the peer that may be in flight towards us
 * @param windowPackets packets that may be unacknowledged at once, {@link #USUAL_WINDOW} for what the transport deems good;
 *     towards a peer that is not urma4j no more than Linux has
 * @param urma4j whether the peer understands what is ours alone: the manufacturer opcodes
 * @param rnrRetry of an RC queue: how often a message is repeated to a receiver that is not ready; 7 for ever
 * @param remoteId what records name as the sender's queue on a connection of one queue; 0 for its number on the wire
 * @param peer who is there
 */
public record CardConnectionConfig(
        RemotePort to,
        int mtuBytes,
        int number,
        int remoteNumber,
        int sendPsn,
        int receivePsn,
        int maxReads,
        int resources,
        int windowPackets,
        boolean urma4j,
        int rnrRetry,
        int remoteId,
        PeerInfo peer) {

    /** {@link #mtuBytes} of a peer that does not say. */
    public static final int ANY_MTU = 0;

    /** {@link #windowPackets} of the transport's choice. */
    public static final int USUAL_WINDOW = 0;

    public static Builder builder(RemotePort to, int remoteNumber) {
        return new Builder(to, remoteNumber);
    }

    /** Collects the values: any MTU, PSNs of 0, 64 reads each way, the usual window, a peer of our own kind. */
    public static final class Builder {
        /**
         * A window is eight READs, and the oldest may wait for several round trips while its lost responses are
         * retransmitted.
         */
        private static final int DEFAULT_READS = 64;

        private static final int FOR_EVER = 7;

        private final RemotePort to;
        private final int remoteNumber;
        private int mtuBytes = ANY_MTU;
        private int number;
        private int sendPsn;
        private int receivePsn;
        private int maxReads = DEFAULT_READS;
        private int resources = DEFAULT_READS;
        private int windowPackets = USUAL_WINDOW;
        private boolean urma4j = true;
        private int rnrRetry = FOR_EVER;
        private int remoteId;
        private PeerInfo peer = PeerInfo.STRANGER;

        private Builder(RemotePort to, int remoteNumber) {
            this.to = to;
            this.remoteNumber = remoteNumber;
        }

        public Builder mtuBytes(int mtuBytes) {
            this.mtuBytes = mtuBytes;
            return this;
        }

        public Builder number(int number) {
            this.number = number;
            return this;
        }

        public Builder psns(int sendPsn, int receivePsn) {
            this.sendPsn = sendPsn;
            this.receivePsn = receivePsn;
            return this;
        }

        public Builder reads(int maxReads, int resources) {
            this.maxReads = maxReads;
            this.resources = resources;
            return this;
        }

        public Builder windowPackets(int windowPackets) {
            this.windowPackets = windowPackets;
            return this;
        }

        public Builder urma4j(boolean urma4j) {
            this.urma4j = urma4j;
            return this;
        }

        public Builder rnrRetry(int rnrRetry) {
            this.rnrRetry = rnrRetry;
            return this;
        }

        public Builder remoteId(int remoteId) {
            this.remoteId = remoteId;
            return this;
        }

        public Builder peer(PeerInfo peer) {
            this.peer = peer;
            return this;
        }

        public CardConnectionConfig build() {
            return new CardConnectionConfig(
                    to,
                    mtuBytes,
                    number,
                    remoteNumber,
                    sendPsn,
                    receivePsn,
                    maxReads,
                    resources,
                    windowPackets,
                    urma4j,
                    rnrRetry,
                    remoteId,
                    peer);
        }
    }
}
