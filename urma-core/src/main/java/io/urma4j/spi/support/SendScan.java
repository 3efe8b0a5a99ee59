package io.urma4j.spi.support;

import io.urma4j.CompletionStatus;
import io.urma4j.QueueState;
import io.urma4j.spi.support.SendEntry.Stage;

/**
 * Starts what waits in a {@link SendOrder}: from the oldest to the youngest, whatever has nothing before it in its way.
 * What is blocked marks its flow and its peer with the number of the scan, so that nothing behind passes it.
 */
final class SendScan<E extends SendEntry<?, P>, P extends SendPeer> {
    private static final int SUCCESS = CompletionStatus.SUCCESS.value();

    private final OrderWindow<E, P> window;
    private final SendLife life;
    private final SendReports<E, P> reports;
    private final SendActions<E, P> actions;
    private final SendRules rules;

    private long firstWaiting; // nothing before it waits
    private long scans;

    SendScan(
            OrderWindow<E, P> window,
            SendLife life,
            SendReports<E, P> reports,
            SendActions<E, P> actions,
            SendRules rules) {
        this.window = window;
        this.life = life;
        this.reports = reports;
        this.actions = actions;
        this.rules = rules;
    }

    /** Nothing before {@code position} waits. */
    void startAt(long position) {
        firstWaiting = position;
    }

    /** The work request of {@code position} waits again. */
    void waitsAgain(long position) {
        firstWaiting = Math.min(firstWaiting, position);
    }

    /** What must hold between two scans: none that waits is passed over. */
    boolean isSound() {
        return window.isSettledOrStarted(window.head(), Math.min(firstWaiting, window.end()));
    }

    /** Starts what can be started; the queue is READY. */
    void run(long nowNanos) {
        scans++;
        // not before the head: the places of older ones have younger ones in them by now
        long position = Math.max(firstWaiting, window.head());
        firstWaiting = Long.MAX_VALUE; // one that begins may have an older one wait again
        waitsAgain(scanFrom(position, nowNanos));
    }

    /** Returns the position of the first that still waits; without one, where the next scan begins. */
    private long scanFrom(long first, long nowNanos) {
        long blocked = Long.MAX_VALUE;
        int started = 0;
        long end = window.end();
        long position = first;
        for (; position < end && window.hasWaiting(); position++) {
            E entry = window.at(position);
            if (entry.stage != Stage.WAITING) {
                continue;
            }
            if (started == rules.startsPerScan()) {
                actions.wantStep();
                break;
            }
            if (tryStart(position, entry, nowNanos)) {
                started++;
                continue;
            }
            if (life.state() != QueueState.READY) {
                return first; // it has failed, and the queue with it
            }
            if (window.hasFailed()) {
                actions.wantStep(); // the consequences for the others come before they start
                return first;
            }
            blocked = Math.min(blocked, position);
            if (actions.blocksAll(entry)) {
                break;
            }
        }
        return Math.min(blocked, position);
    }

    private boolean tryStart(long position, E entry, long nowNanos) {
        if (entry.followsEvent && !isEventOver(position, entry, nowNanos)) {
            return false;
        }
        if (entry.kind == WorkKind.NOP) {
            return tryNop(position, entry, nowNanos);
        }
        P peer = entry.peer;
        if (peer == null) {
            return actions.begin(position, entry, nowNanos);
        }
        if (!rules.keepsOrder()) {
            return !actions.mustWait(entry, peer) && actions.begin(position, entry, nowNanos);
        }
        SendFlow flow = entry.flow;
        return entry.kind == WorkKind.MESSAGE && flow != null
                ? tryMessage(position, entry, flow, peer, nowNanos)
                : tryOneSided(position, entry, peer, nowNanos);
    }

    private boolean isEventOver(long position, E entry, long nowNanos) {
        if (entry.awaitsEvent()) {
            block(entry);
            return false;
        }
        window.eventEnded(position, nowNanos);
        return true;
    }

    /** Nothing to its target passes it. */
    private void block(E entry) {
        P peer = entry.peer;
        if (peer == null || !rules.keepsOrder()) {
            return;
        }
        SendFlow flow = entry.flow;
        if (entry.kind == WorkKind.MESSAGE && flow != null) {
            flow.blockedInScan = scans;
            peer.flowBlockedInScan = scans;
        } else {
            peer.oneSidedBlockedInScan = scans;
        }
    }

    private boolean tryNop(long position, E entry, long nowNanos) {
        reports.run();
        if (position != window.head()) {
            return false; // a NOP completes after everything before it
        }
        if (entry.isAfterFailure()) {
            return actions.begin(position, entry, nowNanos); // which fails it
        }
        window.end(entry, SUCCESS);
        return true;
    }

    private boolean tryOneSided(long position, E entry, P peer, long nowNanos) {
        if (peer.sentMessages > 0
                || peer.flowBlockedInScan == scans
                || peer.oneSidedBlockedInScan == scans
                || actions.mustWait(entry, peer)
                || !actions.begin(position, entry, nowNanos)) {
            if (entry.stage == Stage.WAITING) {
                peer.oneSidedBlockedInScan = scans;
            }
            return false;
        }
        return true;
    }

    private boolean tryMessage(long position, E entry, SendFlow flow, P peer, long nowNanos) {
        if (flow.blockedInScan == scans
                || peer.oneSidedBlockedInScan == scans
                || (flow.probing && mustProbe(entry, flow, nowNanos))
                || (entry.placesBytes && (peer.sentMessages > 0 || peer.flowBlockedInScan == scans))
                || actions.mustWait(entry, peer)
                || !actions.begin(position, entry, nowNanos)) {
            if (entry.stage == Stage.WAITING) {
                flow.blockedInScan = scans;
                peer.flowBlockedInScan = scans;
            }
            return false;
        }
        return true;
    }

    /** Whether it follows a message that found its receiver not ready, or is that message too early. */
    private static boolean mustProbe(SendEntry<?, ?> entry, SendFlow flow, long nowNanos) {
        boolean isRest = entry.isHalfSent(); // of a message that the ring had no room for: it goes on
        return !isRest && (flow.sent > 0 || nowNanos - flow.retryAtNanos < 0);
    }
}
