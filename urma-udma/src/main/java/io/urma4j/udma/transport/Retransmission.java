package io.urma4j.udma.transport;

import io.urma4j.udma.transport.Traffic.Event;

/**
 * When a requester starts over: at a sign of a loss, at a timeout, and when a receiver that was not ready may be tried again.
 * {@link LossRecovery} finds the losses and chooses the packets.
 */
final class Retransmission {
    private static final long NOT_HELD = Long.MIN_VALUE;

    private final PsnWindow psns;
    private final InFlight inFlight;
    private final LossRecovery recovery;
    private final RetryTimer timer;
    private final CongestionControl congestion;
    private final LastRewind lastRewind;
    private final Traffic traffic;
    private final int rnrRetries;

    /**
     * Until then nothing is sent, since the receiver of the oldest message was not ready (RNR NAK). That is for a connection
     * of one queue; on shared ones the queues wait.
     */
    private long heldUntilNanos = NOT_HELD;

    /** When the last such wait ends, or has ended: the peer need not answer before. */
    private long waitEndNanos = NOT_HELD;

    /** How often the requester has waited for that receiver. */
    private int rnrTries;

    Retransmission(
            PsnWindow psns,
            InFlight inFlight,
            LossRecovery recovery,
            RetryTimer timer,
            CongestionControl congestion,
            LastRewind lastRewind,
            Traffic traffic,
            int rnrRetries) {
        this.psns = psns;
        this.inFlight = inFlight;
        this.recovery = recovery;
        this.timer = timer;
        this.congestion = congestion;
        this.lastRewind = lastRewind;
        this.traffic = traffic;
        this.rnrRetries = rnrRetries;
    }

    // ---- signs of a loss

    /** Something was lost on the way there or back: everything that is not acknowledged is retransmitted, once. */
    void goBack(long nowNanos) {
        boolean mayGoBack = !isHeld(nowNanos) && psns.isAnyUnacked();
        if (mayGoBack && lastRewind.goesBack(psns.unacked(), nowNanos)) {
            rewindWholly();
            timer.again(nowNanos);
        }
    }

    /** The responder misses the oldest packet, and has dropped whatever arrived behind it. */
    void goBackForGap(long nowNanos) {
        boolean isOld = psns.inFlight() > 0 && lastRewind.isTooRecent(nowNanos);
        if (!isOld) {
            goBack(nowNanos);
        }
    }

    /** Has the packets that are lost by now retransmitted, once. */
    void retransmitLost(long nowNanos) {
        boolean mayFind = !psns.isResyncing() && !isHeld(nowNanos);
        if (mayFind && recovery.findLost(psns.end(), nowNanos)) {
            rewind();
            timer.again(nowNanos);
        }
    }

    private void rewindWholly() {
        recovery.forget(psns.end());
        rewind();
    }

    private void rewind() {
        lastRewind.begin();
        psns.rewind();
        inFlight.rewind();
    }

    // ---- a receiver that is not ready

    boolean isHeld(long nowNanos) {
        return nowNanos < heldUntilNanos;
    }

    /** Nothing is sent until the receiver may be ready, and then everything again. False when it was tried often enough. */
    boolean hold(long waitNanos, long nowNanos) {
        if (rnrRetries != ConnectionConfig.RNR_FOR_EVER && ++rnrTries > rnrRetries) {
            return false;
        }
        rewindWholly();
        timer.hold(nowNanos);
        heldUntilNanos = nowNanos + waitNanos;
        waitEndNanos = heldUntilNanos;
        return true;
    }

    /** The end of the last wait that a receiver asked for; {@code Long.MIN_VALUE} if none has. */
    long waitEndNanos() {
        return waitEndNanos;
    }

    /**
     * Something was acknowledged: a new loss may be retransmitted for, and the next message has all tries. If its receiver was
     * not ready before, it was meanwhile, and the wait ends.
     */
    void progressed(long nowNanos) {
        lastRewind.progressed(psns.unacked(), nowNanos);
        heldUntilNanos = NOT_HELD;
        waitEndNanos = Math.min(waitEndNanos, nowNanos);
        rnrTries = 0;
    }

    // ---- time

    /** False when the peer counts as silent. */
    boolean runTimers(long nowNanos) {
        if (!isHeld(nowNanos)) {
            heldUntilNanos = NOT_HELD; // this step sends, or what it lacks has the next one come
        }
        if (recovery.isLossDue(nowNanos)) {
            retransmitLost(nowNanos);
        }
        if (timer.isDue(nowNanos)) {
            if (timer.isSilent(nowNanos)) {
                return false;
            }
            expire(nowNanos);
        } else if (timer.isProbeDue(nowNanos)) {
            timer.probed();
            if (probesOldest()) {
                traffic.add(Event.PROBE);
            }
        }
        return true;
    }

    private void expire(long nowNanos) {
        traffic.add(Event.TIMEOUT);
        if (!timer.isFirst() || !probesOldest()) {
            congestion.timedOut(nowNanos);
            rewindWholly();
        }
        timer.expired(nowNanos);
    }

    /** Has the oldest packet retransmitted alone, if that is possible: its acknowledgement reports the state of the others. */
    private boolean probesOldest() {
        if (!psns.isAnyUnacked() || psns.isResyncing() || !recovery.probes(psns.unacked())) {
            return false;
        }
        rewind();
        return true;
    }

    long deadlineNanos() {
        if (heldUntilNanos != NOT_HELD && !inFlight.isEmpty() && !timer.isRunning()) {
            return heldUntilNanos;
        }
        return !timer.isRunning() ? timer.dueNanos() : Math.min(timer.dueNanos(), lossDueNanos());
    }

    /** When something that is missing will count as lost. */
    private long lossDueNanos() {
        return Math.max(heldUntilNanos, recovery.dueNanos());
    }

    /** Starts anew, with nothing in flight. */
    void restart() {
        lastRewind.clear();
        recovery.forget(psns.unacked());
        recovery.acknowledged(psns.unacked());
        timer.stop(); // a late answer may have set it
        heldUntilNanos = NOT_HELD;
        waitEndNanos = NOT_HELD;
        rnrTries = 0;
    }
}
