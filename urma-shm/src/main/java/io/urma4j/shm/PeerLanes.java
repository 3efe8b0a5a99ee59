package io.urma4j.shm;

import io.urma4j.shm.control.Peer;
import io.urma4j.spi.support.SendPeer;

/** All flows from one send queue to one peer. Guarded by the queue's lock. */
final class PeerLanes extends SendPeer {
    final Peer peer;

    /** Flows to its queues. */
    int lanes;

    /** Work requests that name it and have no record yet. */
    int unfinished;

    private long lookedNanos;
    private long answered; // slots of its path, at the last look
    private long heardNanos;

    PeerLanes(Peer peer) {
        this.peer = peer;
    }

    /** Whether {@link #look} was called for that time. */
    boolean isLookedAt(long nowNanos) {
        return lookedNanos == nowNanos;
    }

    /**
     * Notes whether the peer has answered anything since the last look. It answers in order, so any answer is a sign of life. Only
     * looks are compared: so nothing is noted where answers are processed.
     *
     * @param answeredNow how many slots of its path were answered
     * @param awaitsAnswer whether it owes an answer, and none waits to be processed
     * @param pausedNanos how long this process was stalled since the last look
     */
    void look(long answeredNow, boolean awaitsAnswer, long nowNanos, long pausedNanos) {
        boolean isHeard = lookedNanos == 0 || answeredNow != answered || !awaitsAnswer;
        lookedNanos = nowNanos;
        answered = answeredNow;
        heardNanos = isHeard ? nowNanos : Math.min(nowNanos, heardNanos + pausedNanos);
    }

    /** The last look at which it had answered something, or owed nothing. */
    long heardNanos() {
        return heardNanos;
    }

    /** Whether nothing will be sent to it: it is gone, and neither an open import nor a work request names it. */
    boolean isOver() {
        return lanes == 0 && unfinished == 0 && peer.isLost();
    }
}
