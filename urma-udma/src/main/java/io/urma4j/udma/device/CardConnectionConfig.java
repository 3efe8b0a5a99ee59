package io.urma4j.udma.device;

import io.urma4j.udma.transport.Route;

/**
 * Configuration of a connection, of an RC queue or shared by all RM queues of two contexts. Created with {@link #builder}.
 *
 * @param route to the peer's port
 * @param mtuBytes payload of a packet, equal on both sides: 256, 512, 1024, 2048 or 4096
 * @param number of a shared connection on this side (its EE context), {@link Card#FIRST_CONNECTION} and up; ignored for RC
 * @param remoteNumber of the peer's QP, or of its EE context
 * @param sendPsn first PSN that this end sends
 * @param receivePsn first PSN that this end expects
 * @param maxReads READs and atomics in flight to the peer, limited by its resources
 * @param resources READs and atomics that the peer may have in flight
 * @param windowPackets maximum unacknowledged packets; towards a foreign peer no more than Linux has
 * @param urma4j whether the peer supports urma4j's manufacturer opcodes
 * @param rnrRetry of an RC queue: how often a message is retransmitted to a receiver that is not ready; 7 for no limit
 * @param remoteId the sender's queue in records, on a connection of one queue; 0 for its number on the wire
 * @param peer the identity of the peer
 */
public record CardConnectionConfig(
        Route route,
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

    public static Builder builder(Route route, int remoteNumber) {
        return new Builder(route, remoteNumber);
    }

    /** Collects the values. Defaults: the route's MTU, PSNs of 0, 64 reads each way, the default window, a urma4j peer. */
    public static final class Builder {
        /**
         * A window is eight READs, and the oldest may wait for several round trips while its lost responses are
         * retransmitted.
         */
        private static final int DEFAULT_READS = 64;

        private static final int FOR_EVER = 7;

        private final Route route;
        private final int remoteNumber;
        private int mtuBytes;
        private int number;
        private int sendPsn;
        private int receivePsn;
        private int maxReads = DEFAULT_READS;
        private int resources = DEFAULT_READS;
        private int windowPackets = io.urma4j.udma.transport.ConnectionConfig.USUAL_WINDOW_PACKETS;
        private boolean urma4j = true;
        private int rnrRetry = FOR_EVER;
        private int remoteId;
        private PeerInfo peer = PeerInfo.STRANGER;

        private Builder(Route route, int remoteNumber) {
            this.route = route;
            this.remoteNumber = remoteNumber;
            this.mtuBytes = route.mtuBytes();
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
                    route,
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
