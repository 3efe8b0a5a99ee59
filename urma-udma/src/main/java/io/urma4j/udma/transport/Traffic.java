package io.urma4j.udma.transport;

/** The counters of a connection, for diagnosis. Plain numbers, owned by the connection's thread. */
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

    /** Retransmissions among the sent packets. */
    public long packetsResent() {
        return packetsResent;
    }

    /** How often the timeout expired. */
    public long timeouts() {
        return timeouts;
    }

    /** How often packets of the peer were missing (NAK 0x60 sent). */
    public long gapsSeen() {
        return gapsSeen;
    }

    /** How often the peer has missed packets of this end (NAK 0x60 received). */
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

    /** Requests of the peer that were refused with an error. */
    public long refusalsSent() {
        return refusalsSent;
    }

    public long refusalsReceived() {
        return refusalsReceived;
    }

    /** Duplicate requests. */
    public long duplicates() {
        return duplicates;
    }

    /** Ignored packets: responses to requests that are unknown or over, opcodes of other transports. */
    public long ignored() {
        return ignored;
    }

    /** How often the peer has reported marked packets (CNP received). */
    public long congestionNotices() {
        return congestionNotices;
    }

    /** How often marked packets were reported to the peer (CNP sent). */
    public long congestionNoticesSent() {
        return congestionNoticesSent;
    }

    /** Packets of the peer that a switch on the path has marked. */
    public long marked() {
        return marked;
    }

    /** Requests with the PSN of a buffered request but different content: both were dropped. */
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
