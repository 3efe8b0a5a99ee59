package io.urma4j.udma.transport;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/** A READ or an atomic of the peer: the state for its response and for duplicates. The object is reused. */
final class ResponderResource {
    /** Maximum parts of a response that can be pending; further ones are merged with their neighbours. */
    static final int MAX_PARTS = 8;

    long firstPsn;

    /** Number of its PSNs, one for each packet of its response. */
    int packets;

    boolean isRead;
    long va;
    int remoteKey;
    long lengthBytes;

    /** Of an atomic: the previous value. */
    long original;

    /** Its last transmission, which its response names. */
    int transmission;

    /** The count of successes including this one. */
    int msn;

    /** Of a READ of memory that answers later; kept for the next one. */
    private @Nullable Fetches fetches;

    private boolean isLate;

    // ---- the pending parts of the response: disjoint, in the order of their PSNs

    private final long[] froms = new long[MAX_PARTS];
    private final long[] tos = new long[MAX_PARTS];
    private int parts;

    /** The end of the last pending part, counted from {@link #va}. */
    private long endByte;

    /** The next packet is the first one of its part. */
    private boolean isAtStart;

    /** What is pending is a retransmission, at least in part. */
    private boolean isRepeated;

    /** A READ, of which all is pending. */
    void beginRead(int key, long fromVa, long length, long psn, int packetCount, int successes, int sentAs) {
        isRead = true;
        remoteKey = key;
        va = fromVa;
        lengthBytes = length;
        begin(psn, packetCount, successes, sentAs);
    }

    /** The bytes of the READ must be fetched. */
    void isFetched(Memory memory, ConnectionConfig config) {
        fetches = fetches == null ? new Fetches(memory, config.number(), config.mtuBytes()) : fetches;
        isLate = true;
    }

    /** Of a READ that {@link #isLate}. */
    Fetches fetches() {
        return requireNonNull(fetches);
    }

    /** Whether the bytes of the READ must be fetched. */
    boolean isLate() {
        return isLate;
    }

    /** Releases all fragments. */
    void endFetches() {
        if (fetches != null) {
            fetches.release();
        }
    }

    /** An atomic that was executed. */
    void beginAtomic(long previous, long psn, int successes, int sentAs) {
        isRead = false;
        original = previous;
        lengthBytes = 0;
        begin(psn, 1, successes, sentAs);
    }

    private void begin(long psn, int packetCount, int successes, int sentAs) {
        assert parts == 0 : "an answer is not sent so far";
        isLate = false;
        firstPsn = psn;
        packets = packetCount;
        msn = successes;
        transmission = sentAs;
        want(psn, psn + packetCount, lengthBytes);
        isRepeated = false;
    }

    boolean isWanted() {
        return parts > 0;
    }

    /** No part is pending. */
    void letGo() {
        parts = 0;
        endFetches();
    }

    /** Only that part is pending. */
    void want(long fromPsn, long toPsn, long toByte) {
        parts = 1;
        froms[0] = fromPsn;
        tos[0] = toPsn;
        endByte = toByte;
        isAtStart = true;
        isRepeated = true;
        assert invariants();
    }

    /** That part, in whole packets, becomes pending in addition to others. */
    void wantToo(long fromPsn, long toPsn) {
        long before = parts == 0 ? Long.MAX_VALUE : froms[0];
        int first = 0;
        while (first < parts && tos[first] < fromPsn) {
            first++;
        }
        int end = first;
        while (end < parts && froms[end] <= toPsn) {
            end++;
        }
        if (end == first && parts == MAX_PARTS) {
            first = Math.min(first, parts - 1); // no room: what lies between them is sent as well
            end = first + 1;
        }
        long from = end == first ? fromPsn : Math.min(fromPsn, froms[first]);
        long to = end == first ? toPsn : Math.max(toPsn, tos[end - 1]);
        System.arraycopy(froms, end, froms, first + 1, parts - end);
        System.arraycopy(tos, end, tos, first + 1, parts - end);
        froms[first] = from;
        tos[first] = to;
        parts += 1 - (end - first);
        endByte = lengthBytes;
        isAtStart |= froms[0] != before;
        isRepeated = true;
        assert invariants();
    }

    /** The next packet. */
    long nextPsn() {
        return froms[0];
    }

    boolean isAtStart() {
        return isAtStart;
    }

    boolean isRepeated() {
        return isRepeated;
    }

    /** The next packet is the last one of its part. */
    boolean isAtEnd() {
        return froms[0] + 1 == tos[0];
    }

    /** The end of the pending parts, counted from {@link #va}. */
    long endByte() {
        return endByte;
    }

    /** The next packet was sent. */
    void sent() {
        isAtStart = isAtEnd();
        if (++froms[0] == tos[0]) {
            parts--;
            System.arraycopy(froms, 1, froms, 0, parts);
            System.arraycopy(tos, 1, tos, 0, parts);
            if (parts == 0) {
                endFetches();
            }
        }
        assert invariants();
    }

    /** The pending parts are within the response, disjoint and in order. */
    private boolean invariants() {
        long before = firstPsn - 1;
        for (int i = 0; i < parts; i++) {
            if (froms[i] <= before || tos[i] <= froms[i]) {
                return false;
            }
            before = tos[i];
        }
        return parts <= MAX_PARTS && before <= firstPsn + packets;
    }
}
