package io.urma4j.shm;

import java.util.EnumSet;
import java.util.Set;

/** Why a datagram was lost (S12.1); each is a counter of its own. */
enum Drop {
    /** The receiver had no receive work request. */
    NO_RECEIVE("droppedNoReceive"),

    /** The receiver was in RESET or in ERROR. */
    WRONG_STATE("droppedWrongState"),

    /** The receiver takes messages, no datagrams. */
    WRONG_MODE("droppedWrongMode"),

    /** The record would have found no place. */
    JFC_FULL("droppedJfcFull"),

    /** The peer was gone. */
    PEER_GONE("droppedPeerGone"),

    /** The peer took nothing out of its ring for longer than the timeout. */
    PEER_SILENT("droppedPeerSilent");

    static final Set<Drop> OF_RECEIVERS = EnumSet.of(NO_RECEIVE, WRONG_STATE, WRONG_MODE, JFC_FULL);
    static final Set<Drop> OF_SENDERS = EnumSet.of(PEER_GONE, PEER_SILENT);

    /** As counters are named. */
    final String counter;

    Drop(String counter) {
        this.counter = counter;
    }
}
