package io.urma4j.udma.transport;

import static java.util.Objects.requireNonNull;

import io.urma4j.udma.wire.PathMtu;
import org.jspecify.annotations.Nullable;

/**
 * A message on the wire: a work request, or a piece of a long one. It gets its PSNs when its first packet is sent, one for
 * each packet; a READ has those of its responses. The object is reused.
 */
final class WireMessage {
    @Nullable
    private Request request;

    /** Its offset in the payload of its request. */
    long fromByte;

    long lengthBytes;
    boolean isLastOfRequest;

    long firstPsn;

    /** How many bytes all messages before it have, from the first one of the connection on. */
    long firstByte;

    int packets;

    /** The responder has refused it, or was not ready: it does not count as a success there. */
    boolean isRefused;

    /** Its READ or atomic was sent, and not scheduled for retransmission since then. */
    boolean isAsked;

    /** Parts of it were replaced by RESYNC: the responder may have executed it, or not. */
    boolean isUncertain;

    void begin(Request of, long from, long length, int packetCount, boolean last) {
        request = of;
        fromByte = from;
        lengthBytes = length;
        packets = packetCount;
        isLastOfRequest = last;
        isRefused = false;
        isAsked = false;
        isUncertain = false;
    }

    Request request() {
        return requireNonNull(request);
    }

    /** The PSN behind its last one. */
    long endPsn() {
        return firstPsn + packets;
    }

    /** How many bytes all packets before that one have, from the first one of the connection on. */
    long bytesBefore(long psn, int mtuBytes) {
        return firstByte + Math.min(lengthBytes, (psn - firstPsn) * mtuBytes);
    }

    /** Whether this end sends packets of it that no path MTU of RoCE allows. */
    boolean hasLongPackets() {
        return lengthBytes > PathMtu.LARGEST_OF_ROCE && !isAnswered();
    }

    boolean isWholeRequest() {
        return isLastOfRequest && fromByte == 0;
    }

    boolean isAnswered() {
        return request().isAnswered();
    }

    /**
     * A READ or an atomic whose response is required; no acknowledgement passes it. A message that was never sent has none.
     */
    boolean isUnanswered() {
        return packets > 0 && isAnswered() && !isRefused && !isUncertain;
    }

    /** A SEND or WRITE, or a piece of one, that is to succeed, and of which every packet has its payload. */
    boolean isSound() {
        return packets > 0
                && !isAnswered()
                && !isRefused
                && !isUncertain
                && !request().hasFailed();
    }

    /** An acknowledgement passes a SEND or a WRITE, and an answer that will not come. */
    boolean mayBePassed() {
        return !isAnswered() || packets == 0 || isRefused || isUncertain;
    }

    /** Whether its queue can store the answer of that PSN now. */
    boolean takesAnswer(long psn, int payloadBytes, int mtuBytes) {
        Request of = request();
        long at = of.isRead() ? fromByte + (psn - firstPsn) * mtuBytes : 0;
        int length = of.isRead() ? payloadBytes : (int) of.lengthBytes;
        return of.isAbandoned || length == 0 || of.work().takes(of.position, at, length);
    }
}
