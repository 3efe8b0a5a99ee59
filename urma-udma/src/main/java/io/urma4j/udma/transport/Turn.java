package io.urma4j.udma.transport;

/** A READ or an atomic of the peer: what is needed to answer it, now and when it comes again. Used again and again. */
final class Turn {
    long firstPsn;

    /** PSNs that it takes, one for each packet of its answer. */
    int packets;

    boolean isRead;
    long va;
    int remoteKey;
    long lengthBytes;

    /** Of an atomic: what was there before. */
    long original;

    /** The count of successes with this one. */
    int msn;

    // ---- what is to be sent of the answer

    boolean isWanted;

    /** The next packet. */
    long nextPsn;

    /** The PSN behind the last packet. */
    long endPsn;

    /** The byte behind the last one, counted from {@link #va}. */
    long endByte;

    /** The next packet is the first one of this answer. */
    boolean isAtStart;

    void want(long fromPsn, long toPsn, long toByte) {
        isWanted = true;
        endByte = toByte;
        nextPsn = fromPsn;
        endPsn = toPsn;
        isAtStart = true;
    }
}
