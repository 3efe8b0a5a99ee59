package io.urma4j.udma.transport;

import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.wire.Aeth;
import java.util.function.ObjLongConsumer;

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
    long invalidSent;
    long invalidReceived;
    long accessSent;
    long accessReceived;
    long operationSent;
    long operationReceived;
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

    /** A request of the peer was refused with that syndrome of a NAK. */
    void nakSent(int syndrome) {
        switch (syndrome) {
            case Aeth.NAK_INVALID_REQUEST, Aeth.NAK_INVALID_RD_REQUEST -> invalidSent++;
            case Aeth.NAK_REMOTE_ACCESS -> accessSent++;
            default -> operationSent++;
        }
    }

    /** The peer has refused a request, which failed with that status for it. */
    void nakReceived(int status) {
        switch (status) {
            case WorkStatus.REM_UNSUPPORTED_REQ_ERR -> invalidReceived++;
            case WorkStatus.REM_ACCESS_ABORT_ERR -> accessReceived++;
            default -> operationReceived++;
        }
    }

    /** Requests of the peer that were refused with an error. */
    public long refusalsSent() {
        return invalidSent + accessSent + operationSent;
    }

    public long refusalsReceived() {
        return invalidReceived + accessReceived + operationReceived;
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

    /** The names and values that come before those of window and round trip, for people. */
    void forEachOfSending(ObjLongConsumer<String> reader) {
        reader.accept("sent", packetsSent);
        reader.accept("received", packetsReceived);
        reader.accept("retransmitted", packetsResent);
        reader.accept("timeouts", timeouts);
    }

    /** The names and values that come behind them. */
    void forEachOther(ObjLongConsumer<String> reader) {
        reader.accept("gapsSeen", gapsSeen);
        reader.accept("gapNaks", gapsTold);
        reader.accept("duplicates", duplicates);
        reader.accept("rnrSent", notReadySent);
        reader.accept("rnrReceived", notReadyReceived);
        reader.accept("marked", marked);
        reader.accept("cnpSent", congestionNoticesSent);
        reader.accept("cnpReceived", congestionNotices);
        reader.accept("nakInvalidSent", invalidSent);
        reader.accept("nakInvalidReceived", invalidReceived);
        reader.accept("nakAccessSent", accessSent);
        reader.accept("nakAccessReceived", accessReceived);
        reader.accept("nakOperationSent", operationSent);
        reader.accept("nakOperationReceived", operationReceived);
        reader.accept("ignored", ignored);
        reader.accept("contradicted", contradictions);
    }

    @Override
    public String toString() {
        return "sent " + packetsSent + " (" + packetsResent + " again), received " + packetsReceived + " (" + duplicates
                + " again, " + ignored + " ignored, " + contradictions + " contradicted), timeouts " + timeouts
                + ", gaps " + gapsSeen + " seen, " + gapsTold
                + " told, not ready " + notReadySent + " sent, " + notReadyReceived + " received, refusals "
                + refusalsSent() + " sent, " + refusalsReceived() + " received, congestion notices "
                + congestionNoticesSent + " sent, " + congestionNotices + " received";
    }
}
