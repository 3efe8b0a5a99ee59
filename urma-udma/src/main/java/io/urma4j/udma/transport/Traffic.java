package io.urma4j.udma.transport;

/** What a connection has counted, for whoever must find out why something is slow. Plain numbers, of its owner's thread. */
public final class Traffic {
    long packetsSent;
    long packetsReceived;
    long packetsResent;
    long timeouts;
    long gapsSeen;
    long gapsTold;
    long notReadySent;
    long notReadyReceived;
    long refusalsSent;
    long refusalsReceived;
    long duplicates;
    long ignored;
    long contradictions;
    long congestionNotices;
    long congestionNoticesSent;
    long marked;

    Traffic() {}

    public long packetsSent() {
        return packetsSent;
    }

    public long packetsReceived() {
        return packetsReceived;
    }

    /** Of those sent, with a PSN that had been sent before. */
    public long packetsResent() {
        return packetsResent;
    }

    /** How often nothing came in time. */
    public long timeouts() {
        return timeouts;
    }

    /** How often packets of the peer were missing (NAK 0x60 sent). */
    public long gapsSeen() {
        return gapsSeen;
    }

    /** How often the peer has missed packets of ours (NAK 0x60 received). */
    public long gapsTold() {
        return gapsTold;
    }

    /** Messages of the peer that found no receive work request here. */
    public long notReadySent() {
        return notReadySent;
    }

    public long notReadyReceived() {
        return notReadyReceived;
    }

    /** Requests of the peer that were in error. */
    public long refusalsSent() {
        return refusalsSent;
    }

    public long refusalsReceived() {
        return refusalsReceived;
    }

    /** Requests that had been received before. */
    public long duplicates() {
        return duplicates;
    }

    /** Packets that mean nothing here and now: answers to what was never asked or is over, opcodes of other transports. */
    public long ignored() {
        return ignored;
    }

    /** How often the peer has told that packets of ours were marked (CNP received). */
    public long congestionNotices() {
        return congestionNotices;
    }

    /** The same, told to the peer. */
    public long congestionNoticesSent() {
        return congestionNoticesSent;
    }

    /** Packets of the peer that a switch on the way has marked. */
    public long marked() {
        return marked;
    }

    /** Requests that had the PSN of a request that was kept, and asked for something else: both were dropped. */
    public long contradictions() {
        return contradictions;
    }

    @Override
    public String toString() {
        return "sent " + packetsSent + " (" + packetsResent + " again), received " + packetsReceived + " (" + duplicates
                + " again, " + ignored + " ignored, " + contradictions + " contradicted), timeouts " + timeouts
                + ", gaps " + gapsSeen + " seen, " + gapsTold
                + " told, not ready " + notReadySent + " sent, " + notReadyReceived + " received, refusals "
                + refusalsSent + " sent, " + refusalsReceived + " received, congestion notices "
                + congestionNoticesSent + " sent, " + congestionNotices + " received";
    }
}
