package io.urma4j.udma.control;

import io.urma4j.spi.support.Timers;
import io.urma4j.udma.control.PeerMessage.Ping;
import org.jspecify.annotations.Nullable;

/**
 * Checks the peers of a context: one that is silent is pinged while it holds something, and dropped if it does not. For one
 * thread.
 */
final class Liveness {
    /** A peer that is silent for this time is pinged, or dropped if it holds nothing. */
    static final long QUIET_NANOS = 4_000_000_000L;

    /** A peer that does not answer for this time is lost. */
    private static final long SILENCE_NANOS = 10_000_000_000L;

    private final ControlClock clock;
    private final PeerTable peers;
    private final PeerEvents events;
    private final Requests requests;
    private Timers.@Nullable Timer idleTimer; // when to look at peers that hold nothing

    Liveness(ControlClock clock, PeerTable peers, PeerEvents events, Requests requests) {
        this.clock = clock;
        this.peers = peers;
        this.events = events;
        this.requests = requests;
    }

    private boolean isQuiet(Peer peer) {
        return clock.now() - peer.heardNanos >= QUIET_NANOS;
    }

    private boolean isSilent(Peer peer) {
        return clock.now() - peer.heardNanos >= SILENCE_NANOS;
    }

    /** Schedules a check of a peer for the time when it may have been silent for too long; it was just heard or checked. */
    void watch(Peer peer) {
        peer.cancelLook();
        if (peer.holds(events)) {
            peers.isHolder(peer);
            peer.look = clock.at(peer.heardNanos + QUIET_NANOS, () -> look(peer));
        } else {
            peers.isIdle(peer);
            watchIdle();
        }
    }

    private void look(Peer peer) {
        if (isQuiet(peer) && peer.holds(events)) {
            ping(peer);
        } else {
            watch(peer);
        }
    }

    /** One timer for all peers that hold nothing: an attack leaves no more timers than the table has places. */
    private void watchIdle() {
        Peer first = peers.longestIdle();
        if (first != null && idleTimer == null) {
            idleTimer = clock.at(first.heardNanos + QUIET_NANOS, this::lookAtIdle);
        }
    }

    private void lookAtIdle() {
        idleTimer = null;
        for (Peer peer = peers.longestIdle(); peer != null && isQuiet(peer); peer = peers.longestIdle()) {
            if (peer.holds(events)) {
                peers.isHolder(peer);
                ping(peer);
            } else {
                requests.drop(peer, "it was silent, and held nothing");
            }
        }
        watchIdle();
    }

    /** Checks whether a peer is still alive: there is reason to doubt it. */
    void doubt(Peer peer) {
        if (!peer.isLost() && events.isDead(peer)) {
            requests.lose(peer, Requests.DEAD);
        } else if (!peer.isLost()) {
            ping(peer);
        }
    }

    /**
     * The context of a peer lives, and no longer knows this one. Whether the peer stays: it does if only windows of its identity
     * hang on it, since these end when it is gone (S14.32). The UNKNOWN is an answer to the ping.
     */
    boolean staysUnknown(Peer peer) {
        boolean isAsked = !peer.waiting.isEmpty() || peer.pending.size() > (peer.pinging ? 1 : 0);
        if (isAsked || events.holds(peer) || !events.hasGrants(peer)) {
            return false;
        }
        peers.heard(peer, clock.now());
        requests.answeredPing(peer);
        return true;
    }

    private void ping(Peer peer) {
        if (peer.pinging) {
            return;
        }
        peer.pinging = true;
        var _ = requests.ask(peer, _ -> new Ping(), clock.now() + SILENCE_NANOS).whenComplete((_, failure) -> {
            peer.pinging = false;
            if (failure == null || (!peer.isLost() && !isSilent(peer))) {
                watch(peer); // also if the ping waited behind other requests, and never left
            } else {
                requests.lose(peer, "it has not answered for " + SILENCE_NANOS / 1_000_000_000L + " s");
            }
        });
    }
}
